#include "device-runtime/passes/raster/strided.h"

#include <algorithm>
#include <utility>

namespace ferry::passes {
namespace {

// An axis of the region, with the coordinates that the read uses so far: [first, first + used].
struct RegionAxis {
  int64_t size, to, from;
  int64_t first = 0, used = 0;
};

// The axes of more than one element, the largest destination stride first; empty optional when
// destinations do not nest (each stride at least the extent of what lies inside it).
std::optional<std::vector<RegionAxis>> Nested(const ir::Region& region) {
  std::vector<RegionAxis> axes;
  for (int i = 0; i < region.rank; ++i) {
    const auto a = static_cast<size_t>(i);
    if (region.size[a] == 1) continue;
    if (region.size[a] < 1 || region.to_stride[a] <= 0) return std::nullopt;
    axes.push_back({region.size[a], region.to_stride[a], region.from_stride[a]});
  }
  std::ranges::sort(axes, [](const RegionAxis& a, const RegionAxis& b) { return a.to > b.to; });
  int64_t inside = 1;
  for (size_t i = axes.size(); i-- > 0;) {
    if (axes[i].to < inside) return std::nullopt;
    inside = axes[i].to * axes[i].size;
  }
  return axes;
}

// Walks one axis of the read over the region's; parts are added the innermost first.
bool Walk(std::vector<RegionAxis>& region, StridedAxis axis, std::vector<AxisPart>& parts) {
  int64_t times = 1;
  while (true) {
    bool advanced = false;
    for (RegionAxis& r : region) {
      if (r.to > axis.stride || axis.stride % r.to != 0) continue;
      const int64_t step = axis.stride / r.to;
      if (r.first + r.used + (axis.size - 1) * step < r.size) {
        r.used += (axis.size - 1) * step;
        parts.push_back({axis.size, step * r.from, times});
        return true;
      }
      // All of the region's axis, and the rest further out.
      if (r.first != 0 || r.used != 0 || r.size % step != 0) continue;
      const int64_t inner = r.size / step;
      if (inner < 2 || axis.size % inner != 0) continue;
      r.used = (inner - 1) * step;
      parts.push_back({inner, step * r.from, times});
      axis.size /= inner;
      axis.stride *= inner;
      times *= inner;
      advanced = true;
      break;
    }
    if (!advanced) return false;
  }
}

}  // namespace

void SeenThrough::Join() {
  for (std::vector<AxisPart>& parts : axes) {
    std::vector<AxisPart> joined;
    for (const AxisPart& part : parts) {
      if (!joined.empty() && joined.back().stride == part.stride * part.size) {
        joined.back() = {joined.back().size * part.size, part.stride, part.times};
      } else {
        joined.push_back(part);
      }
    }
    parts = std::move(joined);
  }
}

bool SeenThrough::IsWhole() const {
  return std::ranges::all_of(axes, [](const auto& parts) { return parts.size() == 1; });
}

std::optional<SeenThrough> SeeThrough(const ir::Region& region, int64_t base,
                                      std::span<const StridedAxis> axes) {
  auto nested = Nested(region);
  int64_t rest = base - region.to;
  if (!nested || rest < 0) return std::nullopt;
  SeenThrough seen;
  seen.base = region.from;
  for (RegionAxis& r : *nested) {
    r.first = rest / r.to;
    if (r.first >= r.size) return std::nullopt;
    rest -= r.first * r.to;
    seen.base += r.first * r.from;
  }
  if (rest != 0) return std::nullopt;
  // Small strides first: they take whole axes, which larger ones then continue.
  std::vector<size_t> order(axes.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, {}, [&](size_t i) { return axes[i].stride; });
  seen.axes.resize(axes.size());
  for (size_t i : order) {
    if (axes[i].stride < 0) return std::nullopt;
    if (axes[i].size == 1 || axes[i].stride == 0) {
      seen.axes[i].push_back({axes[i].size, 0, 1});
      continue;
    }
    if (!Walk(*nested, axes[i], seen.axes[i])) return std::nullopt;
    std::ranges::reverse(seen.axes[i]);
  }
  return seen;
}

ir::Region Inverse(const ir::Region& region) {
  ir::Region inverse = region;
  std::swap(inverse.from_stride, inverse.to_stride);
  std::swap(inverse.from, inverse.to);
  return inverse;
}

}  // namespace ferry::passes
