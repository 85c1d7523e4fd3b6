#include "device-runtime/passes/raster/regions.h"

#include <algorithm>

namespace ferry::passes {

using ir::Region;

std::vector<StridedAxis> AxesOf(const Region& r) {
  std::vector<StridedAxis> axes;
  for (int i = 0; i < r.rank; ++i) {
    const auto a = static_cast<size_t>(i);
    axes.push_back({r.size[a], r.from_stride[a]});
  }
  return axes;
}

bool IsEmpty(const Region& r) {
  return std::any_of(r.size.begin(), r.size.begin() + r.rank, [](int64_t n) { return n == 0; });
}

int64_t ElementsOf(const Region& r) {
  int64_t count = 1;
  for (int i = 0; i < r.rank; ++i) count *= r.size[static_cast<size_t>(i)];
  return count;
}

Region Joined(const Region& r) {
  Region joined;
  joined.from = r.from;
  joined.to = r.to;
  for (int i = 0; i < r.rank; ++i) {
    const auto a = static_cast<size_t>(i);
    if (r.size[a] == 1) continue;
    const auto last = static_cast<size_t>(joined.rank - 1);
    if (joined.rank > 0 && joined.from_stride[last] == r.from_stride[a] * r.size[a] &&
        joined.to_stride[last] == r.to_stride[a] * r.size[a]) {
      joined.size[last] *= r.size[a];
      joined.from_stride[last] = r.from_stride[a];
      joined.to_stride[last] = r.to_stride[a];
      continue;
    }
    const auto next = static_cast<size_t>(joined.rank++);
    joined.size[next] = r.size[a];
    joined.from_stride[next] = r.from_stride[a];
    joined.to_stride[next] = r.to_stride[a];
  }
  return joined;
}

std::optional<Region> Composed(const Region& inner, const Region& given) {
  Region outer = given;
  auto seen = SeeThrough(inner, outer.from, AxesOf(outer));
  if (!seen) {  // where both cut the same elements into other axes
    outer = Joined(given);
    seen = SeeThrough(inner, outer.from, AxesOf(outer));
  }
  if (!seen) return std::nullopt;
  // Axes stay apart where they can: copies are cut along them.
  for (int attempt = 0; attempt < 2; ++attempt) {
    Region region;
    region.from = seen->base;
    region.to = outer.to;
    size_t rank = 0;
    for (size_t i = 0; i < seen->axes.size(); ++i) {
      for (const AxisPart& part : seen->axes[i]) {
        if (part.size == 1 || rank++ >= tensor::kMaxRank) continue;
        const size_t a = rank - 1;
        region.size[a] = part.size;
        region.from_stride[a] = part.stride;
        region.to_stride[a] = outer.to_stride[i] * part.times;
      }
    }
    region.rank = static_cast<int>(rank);
    if (rank <= tensor::kMaxRank) return region;
    seen->Join();
  }
  return std::nullopt;
}

}  // namespace ferry::passes
