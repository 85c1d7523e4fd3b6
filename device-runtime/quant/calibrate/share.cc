#include <algorithm>
#include <numeric>

#include "device-runtime/quant/calibrate/prepare.h"

namespace ferry::quant {
namespace {

// How many times its own a range may become so that a concatenation needs no rescaling.
constexpr double kMostWidening = 1.5;

// Sets of values, each with the range of all that make new numbers in it.
class Sets {
 public:
  Sets(const ValueRanges& ranges, const std::vector<bool>& moved)
      : parent_(ranges.size()), ranges_(ranges) {
    std::iota(parent_.begin(), parent_.end(), 0);
    for (size_t i = 0; i < ranges.size(); ++i) {
      if (moved[i] && ranges_[i]) ranges_[i] = std::pair(0.0, 0.0);
    }
  }
  size_t Root(size_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  std::pair<double, double> RangeOf(size_t i) { return *ranges_[Root(i)]; }
  void Join(size_t a, size_t b) {
    a = Root(a);
    b = Root(b);
    if (a == b) return;
    ranges_[a] = std::pair(std::min(ranges_[a]->first, ranges_[b]->first),
                           std::max(ranges_[a]->second, ranges_[b]->second));
    parent_[b] = a;
  }

 private:
  std::vector<size_t> parent_;
  ValueRanges ranges_;
};

double Width(const std::pair<double, double>& range) {
  return range.second - range.first;
}

}  // namespace

void ShareRanges(const ir::Graph& graph, const std::vector<Unit>& units, ValueRanges& ranges) {
  std::vector<bool> moved(ranges.size(), false);
  const auto has = [&](ir::ValueId id) { return id != ir::kNoValue && ranges[id].has_value(); };
  for (const Unit& unit : units) {
    if (!unit.moves || !has(unit.inputs[0])) continue;
    for (ir::ValueId id : unit.outputs) {
      if (has(id)) moved[id] = true;
    }
  }
  Sets sets(ranges, moved);
  for (const Unit& unit : units) {
    if (!unit.moves || !has(unit.inputs[0])) continue;
    for (ir::ValueId id : unit.outputs) {
      if (has(id)) sets.Join(unit.inputs[0], id);
    }
  }
  for (const Unit& unit : units) {
    if (graph.nodes[static_cast<size_t>(unit.node)].op != "Concat" || !has(unit.out)) continue;
    for (ir::ValueId id : unit.inputs) {
      if (!has(id)) continue;
      const auto a = sets.RangeOf(id), b = sets.RangeOf(unit.out);
      const double both = std::max(a.second, b.second) - std::min(a.first, b.first);
      const double narrow = std::min(Width(a), Width(b));
      if (both <= kMostWidening * narrow) sets.Join(unit.out, id);
    }
  }
  for (size_t i = 0; i < ranges.size(); ++i) {
    if (ranges[i]) ranges[i] = sets.RangeOf(i);
  }
}

}  // namespace ferry::quant
