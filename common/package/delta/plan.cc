#include "common/package/delta/plan.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace ferry::package::delta {
namespace {

constexpr size_t kBlock = 1024;
constexpr size_t kRegion = 64 << 10;  // that candidates are looked for at once
constexpr double kSwitchBits = 200;   // of a segment's header, and of what is not learnt
constexpr double kLiteralBits = 7.9;  // of a byte that is like nothing in the base
constexpr size_t kMaxRecent = 4;
constexpr uint32_t kLeastEqual = 64
                                 << 10;  // of a run between numbers that has a segment of its own

// The bits of the numbers' differences, if each class cost what its share among them says.
double BitsOf(const uint8_t* base, const uint8_t* target, size_t length, Mode mode) {
  const unsigned width = WidthOf(mode);
  uint32_t classes[33] = {};
  for (size_t i = 0; i + width <= length; i += width) {
    const int32_t difference =
        DifferenceOf(mode, ReadNumber(base + i, width), ReadNumber(target + i, width));
    ++classes[std::bit_width(static_cast<uint32_t>(std::abs(int64_t{difference})))];
  }
  const double count = std::max<double>(static_cast<double>(length / width), 1);
  double bits = 0;
  for (int i = 0; i <= 32; ++i) {
    if (classes[i] == 0) continue;
    bits += classes[i] * (i + std::log2(count / classes[i]));
  }
  return bits + 8;
}

// The cheapest mode of a width for an estimate: float's order is as good as any for both kinds of
// small differences.
Mode PlainMode(unsigned width) {
  return width == 1 ? Mode::kInt8 : width == 2 ? Mode::kF16 : Mode::kF32;
}

// Short equal runs go with the numbers before or behind them, which then keep their rows.
std::vector<Segment> MergeEqual(const std::vector<Segment>& regions) {
  std::vector<Segment> out;
  for (size_t i = 0; i < regions.size(); ++i) {
    Segment next = regions[i];
    const auto follows = [](const Segment& a, const Segment& b) {
      return b.mode != Mode::kLiteral && b.from == a.from + a.length;
    };
    if (next.mode == Mode::kEqual && next.length < kLeastEqual) {
      const bool before = !out.empty() && IsNumeric(out.back().mode) && follows(out.back(), next);
      const bool behind =
          i + 1 < regions.size() && IsNumeric(regions[i + 1].mode) && follows(next, regions[i + 1]);
      const Mode mode = before ? out.back().mode : behind ? regions[i + 1].mode : Mode::kEqual;
      if (next.length % WidthOf(mode) == 0) next.mode = mode;
    }
    if (!out.empty() && out.back().mode == next.mode && IsNumeric(next.mode) &&
        follows(out.back(), next)) {
      out.back().length += next.length;
    } else {
      out.push_back(next);
    }
  }
  return out;
}

}  // namespace

bool Planner::Lies(size_t at, size_t length, int64_t offset) const {
  const int64_t from = static_cast<int64_t>(at) + offset;
  return from >= 0 && static_cast<uint64_t>(from) + length <= base_.size();
}

std::vector<int64_t> Planner::Candidates(size_t region) {
  const size_t length = std::min(kRegion, target_.size() - region);
  std::vector<int64_t> out = index_.Offsets(target_, region, length, kOffsets);
  const auto add = [&](int64_t offset) {
    if (std::find(out.begin(), out.end(), offset) == out.end()) out.push_back(offset);
  };
  for (const int64_t offset : recent_) add(offset);
  add(0);
  add(static_cast<int64_t>(base_.size()) - static_cast<int64_t>(target_.size()));
  return out;
}

Planner::Choice Planner::Copied(size_t at, size_t length, int64_t offset, unsigned width) const {
  if (!Lies(at, length, offset) || length % width != 0) return {offset, width, 1e18};
  const uint8_t* from = base_.data() + static_cast<int64_t>(at) + offset;
  return {offset, width, BitsOf(from, &target_[at], length, PlainMode(width))};
}

// For each width the cheapest offset, and literals.
std::vector<Planner::Choice> Planner::ChoicesOf(size_t at, size_t length,
                                                const std::vector<int64_t>& offsets) {
  std::vector<Choice> out{{0, 0, kLiteralBits * static_cast<double>(length)}};
  for (const unsigned width : {1U, 2U, 4U}) {
    Choice best{0, width, 1e18};
    for (const int64_t offset : offsets) {
      if (!Lies(at, length, offset)) continue;
      const bool equal =
          std::memcmp(base_.data() + static_cast<int64_t>(at) + offset, &target_[at], length) == 0;
      const Choice choice = equal ? Choice{offset, width, 0} : Copied(at, length, offset, width);
      // A place that goes on is preferred to one that is about as good.
      const bool goes_on = !recent_.empty() && recent_.front() == offset;
      if (choice.bits - (goes_on ? kSwitchBits : 0) < best.bits) best = choice;
    }
    out.push_back(best);
  }
  return out;
}

// Whole runs of equal bytes are told apart from numbers.
void Planner::Split(const Choice& choice, size_t at, size_t length,
                    std::vector<Segment>& out) const {
  const auto add = [&](Mode mode, size_t from, size_t size) {
    const uint64_t base_at =
        mode == Mode::kLiteral ? 0
                               : static_cast<uint64_t>(static_cast<int64_t>(from) + choice.offset);
    if (!out.empty() && out.back().mode == mode &&
        (mode == Mode::kLiteral || out.back().from + out.back().length == base_at)) {
      out.back().length += static_cast<uint32_t>(size);
    } else {
      out.push_back({mode, static_cast<uint32_t>(size), 1, base_at});
    }
  };
  if (choice.width == 0) return add(Mode::kLiteral, at, length);
  const uint8_t* from = base_.data() + static_cast<int64_t>(at) + choice.offset;
  const bool equal = std::memcmp(from, &target_[at], length) == 0;
  add(equal ? Mode::kEqual : PlainMode(choice.width), at, length);
}

// The cheapest way through all blocks, one choice of each; to change width or place costs a header.
std::vector<uint8_t> Planner::CheapestWays(const std::vector<std::vector<Choice>>& blocks) {
  std::vector<std::array<uint8_t, kWays>> came(blocks.size());
  std::array<double, kWays> sums{};
  for (size_t i = 0; i < blocks.size(); ++i) {
    std::array<double, kWays> next{};
    for (size_t way = 0; way < kWays; ++way) {
      double best = 1e300;
      for (size_t before = 0; before < kWays; ++before) {
        const bool goes_on =
            i == 0 ||
            (before == way && (way == 0 || blocks[i - 1][way].offset == blocks[i][way].offset));
        const double sum = sums[before] + (goes_on ? 0 : kSwitchBits);
        if (sum < best) best = sum, came[i][way] = static_cast<uint8_t>(before);
      }
      next[way] = best + blocks[i][way].bits;
    }
    sums = next;
  }
  std::vector<uint8_t> ways(blocks.size());
  auto way = static_cast<uint8_t>(std::min_element(sums.begin(), sums.end()) - sums.begin());
  for (size_t i = blocks.size(); i-- > 0;) {
    ways[i] = way;
    way = came[i][way];
  }
  return ways;
}

void Planner::NoteUsed(const std::vector<Choice>& choices) {
  const auto best = std::min_element(choices.begin(), choices.end(),
                                     [](auto& a, auto& b) { return a.bits < b.bits; });
  if (best->width == 0) return;
  std::erase(recent_, best->offset);
  recent_.insert(recent_.begin(), best->offset);
  if (recent_.size() > kMaxRecent) recent_.pop_back();
}

std::vector<Segment> Planner::Plan(size_t at) {
  const size_t end = std::min(target_.size(), at + kMaxChunkBytes);
  std::vector<std::vector<Choice>> blocks;
  std::vector<int64_t> candidates;
  for (size_t from = at; from < end; from += kBlock) {
    if ((from - at) % kRegion == 0) candidates = Candidates(from);
    blocks.push_back(ChoicesOf(from, std::min(kBlock, end - from), candidates));
    NoteUsed(blocks.back());
  }
  const std::vector<uint8_t> ways = CheapestWays(blocks);
  std::vector<Segment> regions;
  for (size_t i = 0; i < blocks.size(); ++i) {
    const size_t from = at + i * kBlock;
    Split(blocks[i][ways[i]], from, std::min(kBlock, end - from), regions);
  }
  std::vector<Segment> out;
  size_t from = at;
  for (const Segment& region : MergeEqual(regions)) {
    if (IsNumeric(region.mode)) {
      ChooseMode(base_, target_, from, region, out);
    } else {
      out.push_back(region);
    }
    from += region.length;
  }
  return out;
}

}  // namespace ferry::package::delta
