#include "device-runtime/passes/memory/columns.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "device-runtime/passes/raster/regions.h"

namespace ferry::passes {
namespace {

using ir::Region;

// The region's axes, the largest step of the destination first, joined where both sides are even.
Region Ordered(const Region& region) {
  std::vector<size_t> order(static_cast<size_t>(region.rank));
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(
      order, [&](size_t a, size_t b) { return region.to_stride[a] > region.to_stride[b]; });
  Region ordered = region;
  for (size_t i = 0; i < order.size(); ++i) {
    ordered.size[i] = region.size[order[i]];
    ordered.from_stride[i] = region.from_stride[order[i]];
    ordered.to_stride[i] = region.to_stride[order[i]];
  }
  return Joined(ordered);
}

struct Rows {
  int64_t rows, stride;
  Column column;
};

// A copy as rows of elements that lie side by side on both sides; of one row where it is one run.
std::optional<Rows> RowsOf(const Region& region) {
  const Region r = Ordered(region);
  Rows found = {1, 0, {0, r.from, 0, r.to, 1}};
  int axes = r.rank;
  if (axes > 0) {
    const auto last = static_cast<size_t>(axes - 1);
    if (r.from_stride[last] == 1 && r.to_stride[last] == 1) {
      found.column.width = r.size[last];
      --axes;
    }
  }
  if (axes > 1) return std::nullopt;
  if (axes == 1) {
    if (r.from_stride[0] < found.column.width || r.to_stride[0] < found.column.width) {
      return std::nullopt;
    }
    found.rows = r.size[0];
    found.stride = r.to_stride[0];
    found.column.from_stride = r.from_stride[0];
  }
  return found;
}

}  // namespace

Columns ColumnsOf(const ir::Program& program, const ir::Step& step) {
  const auto& raster = std::get<ir::RasterPrim>(step.primitive);
  const int64_t count = program.buffers[static_cast<size_t>(step.outputs[0])].shape.elements();
  int64_t written = 0;
  for (const ir::RasterPrim::Copy& copy : raster.copies) {
    if (IsEmpty(copy.region)) return {};
    written += ElementsOf(copy.region);
  }
  if (raster.fill || written != count || count == 0) return {};
  Columns columns = {1, count, {}};
  std::vector<std::optional<Rows>> found;
  for (const ir::RasterPrim::Copy& copy : raster.copies) {
    found.push_back(RowsOf(copy.region));
    if (columns.rows == 1 && found.back() && found.back()->rows > 1) {
      columns.rows = found.back()->rows;
      columns.stride = found.back()->stride;
    }
  }
  if (columns.rows * columns.stride != count) return {};
  for (size_t i = 0; i < found.size(); ++i) {
    if (!found[i] || found[i]->rows != columns.rows) continue;
    Column column = found[i]->column;
    const bool fits = column.to + column.width <= columns.stride;
    if (!fits || (columns.rows > 1 && found[i]->stride != columns.stride)) continue;
    column.copy = i;
    if (columns.rows == 1) column.from_stride = column.width;
    columns.list.push_back(column);
  }
  return columns;
}

}  // namespace ferry::passes
