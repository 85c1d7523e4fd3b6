#include "common/package/delta/offsets.h"

#include <algorithm>
#include <bit>
#include <unordered_map>

namespace ferry::package::delta {
namespace {

constexpr size_t kUnit = 16;                      // between samples, at least
constexpr size_t kMostSamples = size_t{2} << 20;  // of each kind
constexpr size_t kPrintBytes = 16;                // that a print is made of

struct PrintKind {
  size_t step;   // from one byte of a print to the next
  size_t first;  // of them
  size_t every;  // where in a target one may begin
};
// Whole bytes; the upper byte of two; the upper byte, and the second one, of four.
constexpr PrintKind kPrintKinds[] = {{1, 0, 1}, {2, 1, 2}, {4, 3, 4}, {4, 2, 4}};

constexpr size_t SpanOf(size_t kind) {
  return kPrintKinds[kind].step * kPrintBytes;
}

}  // namespace

// 0: all bytes are alike, which is no sign of a place.
uint64_t BaseIndex::Print(ByteView bytes, size_t at, size_t kind) {
  uint64_t hash = 0;
  uint8_t differs = 0;
  const uint8_t* byte = bytes.data() + at + kPrintKinds[kind].first;
  for (size_t i = 0; i < kPrintBytes; ++i, byte += kPrintKinds[kind].step) {
    differs |= static_cast<uint8_t>(*byte ^ bytes[at + kPrintKinds[kind].first]);
    hash = (hash ^ *byte) * 0x9E3779B97F4A7C15;
    hash ^= hash >> 29;
  }
  return differs == 0 ? 0 : hash | 1;
}

BaseIndex::BaseIndex(ByteView base)
    : base_(base), unit_(std::max(kUnit, std::bit_ceil(base.size() / kMostSamples + 1))) {
  bits_ = static_cast<unsigned>(std::bit_width(base.size() / unit_ + 1));
  for (size_t kind = 0; kind < kKinds; ++kind) {
    samples_[kind].resize(size_t{1} << bits_);
    for (size_t at = 0; at + SpanOf(kind) <= base.size(); at += unit_) {
      const uint64_t print = Print(base, at, kind);
      if (print == 0) continue;
      Sample& sample = samples_[kind][print >> (64 - bits_)];
      sample = {static_cast<uint32_t>(print), static_cast<uint32_t>(at / unit_ + 1)};
    }
  }
}

std::vector<int64_t> BaseIndex::Offsets(ByteView target, size_t at, size_t length,
                                        size_t most) const {
  std::unordered_map<int64_t, uint32_t> votes;
  for (size_t kind = 0; kind < kKinds; ++kind) {
    const size_t span = SpanOf(kind);
    const size_t end = std::min(at + length, target.size() < span ? 0 : target.size() - span + 1);
    for (size_t from = at; from < end; from += kPrintKinds[kind].every) {
      const uint64_t print = Print(target, from, kind);
      if (print == 0) continue;
      const Sample& sample = samples_[kind][print >> (64 - bits_)];
      if (sample.at == 0 || sample.check != static_cast<uint32_t>(print)) continue;
      ++votes[static_cast<int64_t>((sample.at - 1) * unit_) - static_cast<int64_t>(from)];
    }
  }
  std::vector<std::pair<uint32_t, int64_t>> ranked;
  for (const auto& [offset, count] : votes) ranked.emplace_back(count, offset);
  std::sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  std::vector<int64_t> out;
  for (const auto& [count, offset] : ranked) {
    if (out.size() == most) break;
    out.push_back(offset);
  }
  return out;
}

}  // namespace ferry::package::delta
