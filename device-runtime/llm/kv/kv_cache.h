// The paged KV cache: pages of kernels::kPagePositions positions, shared between sequences by count
// and by content. Source: paging after Kwon et al., "Efficient Memory Management for Large Language
// Model Serving with PagedAttention" (2023), prefix hashes as in vLLM.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/bytes.h"
#include "common/base/status.h"
#include "device-runtime/kernels/attention/page.h"
#include "device-runtime/llm/model.h"

namespace ferry::llm {

inline constexpr int64_t kPositionsOfPage = kernels::kPagePositions;

// "f32", "f16", "q8", "q4" and back; kInvalidArgument lists them.
const char* KvTypeName(kernels::KvType type);
Result<kernels::KvType> ParseKvType(std::string_view name);

// Bytes that a cache may take unless told: room for kDefaultKvContexts texts as long as the model
// reads, at most half of the memory that the machine has to spare. Pages are taken as they are
// needed: what is allowed is not taken.
inline constexpr int64_t kDefaultKvContexts = 4;
inline constexpr int64_t kLeastKvBytes = int64_t{64} << 20;

struct KvOptions {
  int64_t limit_bytes = 0;              // 0: as above
  std::optional<kernels::KvType> type;  // none: ModelConfig::kv_type
  // A folder on a disk. Pages beyond three quarters of `limit_bytes` then lie in a file without a
  // name in it, of which a pass holds the layer that it is in: the last quarter. At most room for
  // kDefaultKvContexts texts. Empty: ModelConfig::kv_spill_folder; none there either: no file.
  std::string spill_folder;
};

class KvPool;
class RecurrentState;
struct KvPage;  // of kv_cache.cc

// Among whom prefixes are shared. Who finds a prefix is answered sooner, and so learns that someone
// of the same scope has said it; other scopes' prefixes are never found.
struct PrefixScope {
  std::array<uint64_t, 2> id{};  // of the pool's only scope, where nobody names one
  // Equal names, equal scopes; never the unnamed one.
  static PrefixScope Of(std::string_view name);
  bool operator==(const PrefixScope&) const = default;
};

// The keys and values of one sequence. Movable; dropping it frees its pages. One thread at a time.
// All sequences of a pool may be used on different threads.
class KvSequence {
 public:
  KvSequence();
  KvSequence(KvSequence&&) noexcept;
  KvSequence& operator=(KvSequence&&) noexcept;
  ~KvSequence();

  int64_t length() const;
  // Makes room for `more` positions behind the length; copies a page first if it is shared.
  // kOutOfMemory names the pool's limit and what is in use; the sequence is as before.
  Status Reserve(int64_t more);
  // Forgets positions from `length` on; no copy, pages that become empty are freed. Where layers
  // keep states or see a window and `length` is over kStateReach back, all positions may be
  // forgotten: ask length().
  void Truncate(int64_t length);
  // A sequence with the same first `length` positions (or none, as Truncate says); no copy of pages
  // before one of the two writes. What this sequence had reserved behind `length` has to be
  // reserved again.
  Result<KvSequence> Fork(int64_t length) const;

  // For Model::Forward: how pages of `layer` are laid; its pages, [ceil(length / 16)], null where
  // a window has passed, valid until the next Reserve or Truncate; the layer's part of the page of
  // `position` (reserved); a row of floats of a layer whose keys are rows and exact; what layers
  // that step keep (reserved; null where no layer does); and the new length.
  const kernels::KvLayout& layout(int64_t layer) const;
  const uint8_t* const* pages(int64_t layer) const;
  uint8_t* page(int64_t layer, int64_t position);
  float* row(int64_t layer, int64_t position);
  RecurrentState* recurrent();
  // All of a page, a copy: the part of layers that see all positions, and that of the others (empty
  // where there are none, and once the window has passed); the same written, the latter where it is
  // not empty; bytes of the two parts; how many pages rows behind need the latter of. For
  // prefix_files.
  struct PageBytes {
    Bytes bytes, window;
  };
  PageBytes ReadPage(int64_t page) const;
  void WritePage(int64_t page, ByteView bytes, ByteView window);
  int64_t page_bytes() const;
  int64_t window_bytes(int64_t page) const;
  int64_t window_pages() const;
  void Advance(int64_t positions);
  // A pass is through with `layer`: of pages that lie in a file, that part leaves memory.
  void LeaveLayer(int64_t layer) const;

 private:
  friend class KvPool;
  struct State;
  std::unique_ptr<State> state_;
};

// Memory for sequences of one model. Any thread.
class KvPool : public std::enable_shared_from_this<KvPool> {
 public:
  // Takes memory page by page as sequences grow, up to the limit; kInvalidArgument when one page
  // does not fit. States of layers are beside it, a fixed size a sequence. Prefixes of models that
  // have states are not shared. What layers keep before their window is given back.
  static Result<std::shared_ptr<KvPool>> Create(const ModelConfig& config,
                                                const KvOptions& options = {});
  ~KvPool();

  KvSequence NewSequence();
  // A sequence that begins with the longest prefix of `tokens` whose full pages were offered in
  // `scope` and are still there; at most tokens.size() - 1 positions, so that logits of the last
  // can be computed.
  KvSequence NewSequence(std::span<const TokenId> tokens, const PrefixScope& scope = {});
  // Offers the full pages of `sequence`, which holds `tokens` and began in `scope`, to later
  // NewSequence calls of it. Pages that nobody else uses are given up, the longest unused first,
  // when memory is needed.
  void Offer(const KvSequence& sequence, std::span<const TokenId> tokens,
             const PrefixScope& scope = {});

  struct Stats {
    int64_t limit_bytes = 0;    // of memory and file together
    int64_t used_bytes = 0;     // in sequences
    int64_t kept_bytes = 0;     // offered, in no sequence
    int64_t spilled_bytes = 0;  // of both, what lies in a file
    int64_t page_bytes = 0;     // one page of all layers
    int64_t prefix_hits = 0;    // positions that NewSequence found
  };
  Stats stats() const;
  kernels::KvType type() const;
  // Layers keep states, which no prefix has.
  bool has_states() const;

 private:
  friend class KvSequence;
  struct State;
  explicit KvPool(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace ferry::llm
