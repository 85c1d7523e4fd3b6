#include "device-runtime/llm/tokenizer/bpe/merges.h"

#include <algorithm>
#include <bit>
#include <functional>

namespace ferry::llm {
namespace {

constexpr size_t kShortPiece = 32;  // up to here looking at every pair beats a heap
constexpr uint32_t kEnd = ~uint32_t{0};

uint64_t PairOf(uint32_t left, uint32_t right) {
  return uint64_t{left} << 32 | right;
}

uint64_t CandidateOf(uint32_t rank, uint32_t at) {
  return uint64_t{rank} << 32 | at;
}

}  // namespace

MergeTable::MergeTable(size_t merges) {
  const size_t size = std::bit_ceil(std::max<size_t>(2 * merges, 2));
  slots_.resize(size);
  shift_ = 64 - std::countr_zero(size);
}

size_t MergeTable::SlotOf(uint64_t pair) const {
  size_t slot = ((pair ^ pair >> 31) * 0x9e3779b97f4a7c15u) >> shift_;
  while (slots_[slot].pair != pair && slots_[slot].pair != ~uint64_t{0}) {
    slot = (slot + 1) & (slots_.size() - 1);
  }
  return slot;
}

void MergeTable::Add(uint32_t left, uint32_t right, Merge merge) {
  const uint64_t pair = PairOf(left, right);
  slots_[SlotOf(pair)] = {pair, merge};
}

MergeTable::Merge MergeTable::Find(uint32_t left, uint32_t right) const {
  return slots_.empty() ? Merge{} : slots_[SlotOf(PairOf(left, right))].merge;
}

void Merger::Append(const MergeTable& table, const std::vector<uint32_t>& symbols,
                    std::vector<TokenId>& ids) {
  piece_.assign(symbols.begin(), symbols.end());
  if (piece_.size() <= kShortPiece) {
    AppendShort(table, ids);
  } else {
    AppendLong(table, ids);
  }
}

void Merger::AppendShort(const MergeTable& table, std::vector<TokenId>& ids) {
  size_t count = piece_.size();
  pairs_.resize(count);
  for (size_t i = 0; i + 1 < count; ++i) pairs_[i] = table.Find(piece_[i], piece_[i + 1]);
  while (count > 1) {
    size_t best = 0;
    for (size_t i = 1; i + 1 < count; ++i) {
      if (pairs_[i].rank < pairs_[best].rank) best = i;
    }
    if (pairs_[best].rank == kNoToken) break;
    piece_[best] = pairs_[best].joined;
    std::copy(piece_.begin() + best + 2, piece_.begin() + count, piece_.begin() + best + 1);
    std::copy(pairs_.begin() + best + 2, pairs_.begin() + count, pairs_.begin() + best + 1);
    --count;
    if (best > 0) pairs_[best - 1] = table.Find(piece_[best - 1], piece_[best]);
    if (best + 1 < count) pairs_[best] = table.Find(piece_[best], piece_[best + 1]);
  }
  ids.insert(ids.end(), piece_.begin(), piece_.begin() + count);
}

void Merger::Offer(const MergeTable& table, uint32_t left) {
  const MergeTable::Merge merge = table.Find(symbols_[left].id, symbols_[symbols_[left].next].id);
  if (merge.rank == kNoToken) return;
  heap_.push_back(CandidateOf(merge.rank, left));
  std::push_heap(heap_.begin(), heap_.end(), std::greater<>());
}

void Merger::AppendLong(const MergeTable& table, std::vector<TokenId>& ids) {
  const uint32_t count = static_cast<uint32_t>(piece_.size());
  symbols_.resize(count);
  heap_.clear();
  for (uint32_t i = 0; i < count; ++i) {
    symbols_[i] = {piece_[i], i == 0 ? kEnd : i - 1, i + 1 == count ? kEnd : i + 1};
  }
  for (uint32_t i = 0; i + 1 < count; ++i) {
    const MergeTable::Merge merge = table.Find(piece_[i], piece_[i + 1]);
    if (merge.rank != kNoToken) heap_.push_back(CandidateOf(merge.rank, i));
  }
  std::make_heap(heap_.begin(), heap_.end(), std::greater<>());
  while (!heap_.empty()) {
    const uint64_t top = heap_.front();
    std::pop_heap(heap_.begin(), heap_.end(), std::greater<>());
    heap_.pop_back();
    const uint32_t at = static_cast<uint32_t>(top);
    Symbol& left = symbols_[at];
    if (left.id == kNoToken || left.next == kEnd) continue;
    Symbol& right = symbols_[left.next];
    // The pair may have changed since it was offered; then what is there now was offered too.
    const MergeTable::Merge merge = table.Find(left.id, right.id);
    if (merge.rank != static_cast<uint32_t>(top >> 32)) continue;
    left.id = merge.joined;
    left.next = right.next;
    right.id = kNoToken;
    if (left.next != kEnd) {
      symbols_[left.next].previous = at;
      Offer(table, at);
    }
    if (left.previous != kEnd) Offer(table, left.previous);
  }
  for (uint32_t i = 0; i != kEnd; i = symbols_[i].next) {
    ids.push_back(static_cast<TokenId>(symbols_[i].id));
  }
}

}  // namespace ferry::llm
