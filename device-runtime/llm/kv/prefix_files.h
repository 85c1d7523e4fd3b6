// Prefixes on disk: pages of a KV cache in files, so that a new process need not read a long prompt
// again. A page's file is named by all that its numbers depend on: model, adapters, instruction
// set, types, and the tokens up to its end. Source: own.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "common/base/bytes.h"
#include "common/base/status.h"
#include "common/sys/filesystem.h"
#include "device-runtime/llm/kv/kv_cache.h"
#include "device-runtime/llm/model.h"

namespace ferry::llm {

// Most bytes of the pages in a folder; those written first go first.
inline constexpr int64_t kDefaultPrefixBytes = int64_t{2} << 30;
// Prompts of fewer whole pages are read again sooner than found.
inline constexpr int64_t kLeastPrefixPages = 4;

// A folder of pages. Any thread; several processes may use one folder.
class PrefixFiles {
 public:
  // The folder is made when the first page is written: 0700, files 0600, for they tell what was
  // said. `fs` outlives this.
  PrefixFiles(sys::FileSystem& fs, std::string folder, int64_t limit_bytes = kDefaultPrefixBytes);

  // Appends to `kv`, which holds the first tokens of `tokens` in whole pages, the pages that are
  // there, at most up to the last token but one. What is damaged or of something else is as absent.
  // `key`: of PrefixKey. Errors are the cache's own (kOutOfMemory).
  Status Read(const Digest& key, std::span<const TokenId> tokens, KvSequence* kv) const;
  // Writes the whole pages of `kv`, which holds `tokens`, that are not there yet. A disk that is
  // full or a folder that cannot be written is no error: the next process reads the prompt again.
  void Write(const Digest& key, std::span<const TokenId> tokens, const KvSequence& kv) const;

 private:
  Status WritePage(const std::string& name, ByteView bytes) const;
  void MakeRoom(int64_t bytes) const;

  sys::FileSystem& fs_;
  const std::string folder_;
  const int64_t limit_bytes_;
};

// What the numbers of a page depend on beside tokens.
struct PrefixInputs {
  Digest model{};
  Digest adapters{};  // zero: none
  std::string isa;
  bool exact = false;
  kernels::KvType type = kernels::KvType::kF32;
};
Digest PrefixKey(const PrefixInputs& inputs);

}  // namespace ferry::llm
