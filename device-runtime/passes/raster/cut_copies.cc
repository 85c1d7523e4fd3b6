#include "device-runtime/passes/raster/cut_copies.h"

#include <algorithm>

#include "device-runtime/passes/raster/regions.h"

namespace ferry::passes {
namespace {

using ir::RasterPrim;
using ir::Region;
using ir::Step;

constexpr int kMaxCuts = 256;      // tries
constexpr int64_t kMaxPeriod = 8;  // copies that take turns

// An axis, and how many of its steps come from the one of inner's copies that holds the region's
// first element: the widest box from there, grown along small strides first.
std::optional<std::pair<size_t, int64_t>> CutOf(const Step& inner, const Region& outer) {
  std::vector<size_t> order;
  for (int i = 0; i < outer.rank; ++i) {
    if (outer.from_stride[static_cast<size_t>(i)] < 0) return std::nullopt;
    order.push_back(static_cast<size_t>(i));
  }
  std::ranges::stable_sort(order, {}, [&](size_t a) { return outer.from_stride[a]; });
  for (const RasterPrim::Copy& copy : std::get<RasterPrim>(inner.primitive).copies) {
    if (IsEmpty(copy.region)) continue;
    Region box = outer;
    for (size_t a : order) box.size[a] = 1;
    if (!SeeThrough(copy.region, box.from, AxesOf(box))) continue;
    std::optional<std::pair<size_t, int64_t>> cut;
    for (size_t a : order) {
      int64_t low = 1, high = outer.size[a];
      for (box.size[a] = high; low < high; box.size[a] = (low + high + 1) / 2) {
        if (SeeThrough(copy.region, box.from, AxesOf(box))) {
          low = box.size[a];
        } else {
          high = box.size[a] - 1;
        }
      }
      box.size[a] = low;
      if (low < outer.size[a]) cut = {a, low};
    }
    return cut;
  }
  return std::nullopt;
}

// After how many steps along an axis a region comes back to the copy that its first element is
// from, having left it behind `first`; 0 when it does not, or not evenly.
int64_t PeriodOf(const Step& inner, const Region& outer, size_t axis, int64_t first) {
  const int64_t size = outer.size[axis];
  if (outer.rank == tensor::kMaxRank) return 0;
  const auto& copies = std::get<RasterPrim>(inner.primitive).copies;
  for (int64_t period = first + 1; period <= kMaxPeriod && 2 * period <= size; ++period) {
    if (size % period != 0) continue;
    const StridedAxis turns[] = {{size / period, outer.from_stride[axis] * period}};
    for (const RasterPrim::Copy& copy : copies) {
      if (!IsEmpty(copy.region) && SeeThrough(copy.region, outer.from, turns)) return period;
    }
  }
  return 0;
}

bool Pieces(const Step& inner, const Region& outer, std::vector<CopyPiece>& pieces, int& cuts) {
  for (const RasterPrim::Copy& copy : std::get<RasterPrim>(inner.primitive).copies) {
    if (IsEmpty(copy.region)) continue;
    if (auto region = Composed(copy.region, outer)) {
      pieces.push_back({inner.inputs[static_cast<size_t>(copy.input)], *region});
      return pieces.size() <= kMaxPieces;
    }
  }
  if (++cuts > kMaxCuts || std::get<RasterPrim>(inner.primitive).copies.size() < 2) return false;
  const auto cut = CutOf(inner, outer);
  if (!cut) return false;
  const auto [axis, first] = *cut;
  if (const int64_t period = PeriodOf(inner, outer, axis, first)) {
    // Copies take turns along the axis: what each brings is one region of larger steps.
    Region turns = outer;
    const auto last = static_cast<size_t>(turns.rank++);
    turns.size[axis] /= period;
    turns.from_stride[axis] *= period;
    turns.to_stride[axis] *= period;
    turns.size[last] = period;
    turns.from_stride[last] = outer.from_stride[axis];
    turns.to_stride[last] = outer.to_stride[axis];
    return Pieces(inner, turns, pieces, cuts);
  }
  Region head = outer, tail = outer;
  head.size[axis] = first;
  tail.size[axis] -= first;
  tail.from += first * outer.from_stride[axis];
  tail.to += first * outer.to_stride[axis];
  return Pieces(inner, head, pieces, cuts) && Pieces(inner, tail, pieces, cuts);
}

}  // namespace

bool CutCopies(const Step& inner, const Region& outer, std::vector<CopyPiece>& pieces) {
  int cuts = 0;
  return Pieces(inner, outer, pieces, cuts);
}

}  // namespace ferry::passes
