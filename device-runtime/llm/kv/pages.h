// The pages of a KvPool: reference counts, the index of offered contents, the order in which unused
// pages are given up.
#pragma once

#include <array>
#include <cstdint>
#include <list>
#include <mutex>
#include <span>
#include <unordered_map>
#include <vector>

#include "common/base/status.h"
#include "device-runtime/kernels/attention/page.h"
#include "device-runtime/llm/kv/kv_cache.h"

namespace ferry::llm {

// What an offered page holds: these tokens behind what the page with serial number `before` holds
// (0: at the start), for those of `scope`. Serial numbers are never used twice, so that equal keys
// mean equal prefixes, compared token by token.
struct PageContent {
  PrefixScope scope;
  uint64_t before = 0;
  std::array<TokenId, kernels::kPagePositions> tokens{};
  bool operator==(const PageContent&) const = default;
};

struct PageContentHash {
  size_t operator()(const PageContent& content) const;
};

// All layers of kPagePositions positions, one after another.
struct KvPage {
  float* floats = nullptr;
  uint64_t serial = 0;
  int64_t references = 0;  // sequences that hold it; 0: offered and kept
  bool offered = false;    // in the index, under `content`
  PageContent content;
  std::list<KvPage*>::iterator kept_at;  // while kept
};

// Any thread. A sequence that holds an offered page holds the offered pages before it too (Offer
// sees to it), and drops its last page first: so what is given up first never has a reachable page
// behind it.
class KvPages {
 public:
  KvPages(int64_t page_bytes, int64_t limit_bytes);
  ~KvPages();

  // `count` new pages with one reference each, contents undefined. All or none.
  Result<std::vector<KvPage*>> Take(int64_t count);
  // One more reference to each.
  void Share(std::span<KvPage* const> pages);
  // One reference less to each, the last page first.
  void Release(std::span<KvPage* const> pages);
  // Whether the caller, who holds `page`, may write to it: nobody else holds it. It is no longer
  // offered then.
  bool MakeWritable(KvPage* page);
  // The offered pages with the longest prefix of `tokens`, whole pages, one more reference each.
  std::vector<KvPage*> Find(std::span<const TokenId> tokens, const PrefixScope& scope);
  // Offers `pages`, which hold `tokens` (all full). A page whose content is offered already gives
  // way to that one; true when `pages` changed.
  bool Offer(std::span<KvPage*> pages, std::span<const TokenId> tokens, const PrefixScope& scope);

  KvPool::Stats stats() const;

 private:
  KvPage* Allocate();              // null: the machine has no more
  void Unreference(KvPage* page);  // the lock is held
  bool GiveUpOldest();             // frees the page kept longest; false: none
  void Free(KvPage* page);

  const int64_t page_bytes_;
  const int64_t limit_bytes_;
  mutable std::mutex mutex_;
  int64_t used_ = 0;  // pages in sequences
  int64_t prefix_hits_ = 0;
  uint64_t last_serial_ = 0;
  std::list<KvPage*> kept_;  // in no sequence, the longest unused first
  std::unordered_map<PageContent, KvPage*, PageContentHash> offered_;
};

}  // namespace ferry::llm
