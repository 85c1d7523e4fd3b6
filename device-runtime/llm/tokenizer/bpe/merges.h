// Byte-pair merging of one piece: the pair of lowest rank first, of equal ranks the leftmost.
// Source: Sennrich et al., "Neural Machine Translation of Rare Words with Subword Units" (2016).
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "common/base/status.h"
#include "device-runtime/llm/tokenizer/tokenizer.h"

namespace ferry::llm {

inline constexpr uint32_t kNoToken = ~uint32_t{0};

// Which ids join, how early, and into what: an open hash table. Immutable once filled.
class MergeTable {
 public:
  struct Merge {
    uint32_t rank = kNoToken;  // kNoToken: these do not join
    uint32_t joined = kNoToken;
  };

  MergeTable() = default;
  explicit MergeTable(size_t merges);
  // A later rank of the same pair replaces the earlier.
  void Add(uint32_t left, uint32_t right, Merge merge);
  Merge Find(uint32_t left, uint32_t right) const;

 private:
  struct Slot {
    uint64_t pair = ~uint64_t{0};
    Merge merge;
  };
  size_t SlotOf(uint64_t pair) const;

  std::vector<Slot> slots_;
  int shift_ = 63;
};

// Working memory of merging; one thread.
class Merger {
 public:
  // Appends what `symbols` join into. Time n log n.
  void Append(const MergeTable& table, const std::vector<uint32_t>& symbols,
              std::vector<TokenId>& ids);

 private:
  struct Symbol {
    uint32_t id;  // kNoToken: joined to the one on its left
    uint32_t previous;
    uint32_t next;
  };
  void AppendShort(const MergeTable& table, std::vector<TokenId>& ids);
  void AppendLong(const MergeTable& table, std::vector<TokenId>& ids);
  void Offer(const MergeTable& table, uint32_t left);

  std::vector<uint32_t> piece_;
  std::vector<MergeTable::Merge> pairs_;
  std::vector<Symbol> symbols_;
  std::vector<uint64_t> heap_;  // rank, then place: the least comes first
};

}  // namespace ferry::llm
