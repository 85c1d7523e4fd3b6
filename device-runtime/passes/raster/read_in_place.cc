#include "device-runtime/passes/raster/read_in_place.h"

#include <algorithm>

#include "device-runtime/passes/raster/strided.h"

namespace ferry::passes {
namespace {

using ir::AttentionPrim;
using ir::MapPrim;
using ir::MatMulPrim;
using ir::Region;

// A map reads runs in place, but not elements one by one: those a raster collects faster.
constexpr int64_t kMinRun = 8;

bool MapReads(MapPrim& map, size_t input, const Region& copy) {
  std::vector<StridedAxis> axes;
  for (int i = 0; i < map.rank; ++i) {
    const auto a = static_cast<size_t>(i);
    if (map.size[a] == 0) return false;
    axes.push_back({map.size[a], map.strides[input][a]});
  }
  auto seen = SeeThrough(copy, 0, axes);
  if (!seen || seen->base != 0) return false;  // maps read from the start of a buffer
  seen->Join();
  MapPrim split = map;
  split.rank = 0;
  for (size_t i = 0; i < axes.size(); ++i) {
    for (const AxisPart& part : seen->axes[i]) {
      if (split.rank == tensor::kMaxRank) return false;
      const auto at = static_cast<size_t>(split.rank++);
      split.size[at] = part.size;
      for (size_t k = 0; k < map.strides.size(); ++k) {
        split.strides[k][at] = k == input ? part.stride : map.strides[k][i] * part.times;
      }
    }
  }
  int inner = split.rank - 1;
  while (inner >= 0 && split.size[static_cast<size_t>(inner)] == 1) --inner;
  if (inner >= 0) {
    const auto a = static_cast<size_t>(inner);
    const int64_t stride = split.strides[input][a];
    if (stride > 1 || (stride == 1 && split.size[a] < kMinRun)) return false;
  }
  map = std::move(split);
  return true;
}

bool ProductReads(const Region& copy, int64_t rows, int64_t columns, int64_t& row, int64_t& column,
                  std::vector<int64_t>& offsets) {
  if (rows == 0 || columns == 0 || offsets.empty()) return false;
  const StridedAxis axes[] = {{rows, row}, {columns, column}};
  std::vector<int64_t> bases;
  int64_t strides[2] = {};
  for (int64_t offset : offsets) {
    auto seen = SeeThrough(copy, offset, axes);
    if (seen) seen->Join();
    if (!seen || !seen->IsWhole() || seen->base < 0) return false;
    for (size_t i = 0; i < 2; ++i) {
      if (!bases.empty() && strides[i] != seen->axes[i][0].stride) return false;
      strides[i] = seen->axes[i][0].stride;
    }
    bases.push_back(seen->base);
  }
  if (strides[0] < 0 || strides[1] < 0 || (strides[0] > 1 && strides[1] > 1)) return false;
  row = strides[0];
  column = strides[1];
  offsets = std::move(bases);
  return true;
}

// The view seen through a copy; batch axes may split, for all views. `input` 5: the result.
bool AttentionSees(AttentionPrim& p, AttentionPrim::View& view, size_t input, const Region& copy) {
  std::vector<StridedAxis> axes;
  for (int i = 0; i < p.rank; ++i) {
    const auto a = static_cast<size_t>(i);
    axes.push_back({p.size[a], view.batch[a]});
  }
  const int64_t rows = input == 1 || input == 2 ? p.keys : p.queries;
  const int64_t columns = input < 2 ? p.depth : input == 2 || input == 5 ? p.value_depth : p.keys;
  axes.push_back({rows, view.row});
  axes.push_back({columns, view.column});
  if (std::ranges::any_of(axes, [](const StridedAxis& a) { return a.size == 0; })) return false;
  auto seen = SeeThrough(copy, view.offset, axes);
  if (seen) seen->Join();
  const auto rank = static_cast<size_t>(p.rank);
  if (!seen || seen->base < 0 || seen->axes[rank].size() != 1 || seen->axes[rank + 1].size() != 1) {
    return false;
  }
  AttentionPrim split = p;
  split.rank = 0;
  AttentionPrim::View* to[] = {&split.q,         &split.k,         &split.v,
                               &split.biases[0], &split.biases[1], &split.y};
  const AttentionPrim::View* from[] = {&p.q, &p.k, &p.v, &p.biases[0], &p.biases[1], &p.y};
  for (size_t i = 0; i < rank; ++i) {
    for (const AxisPart& part : seen->axes[i]) {
      if (split.rank == tensor::kMaxRank || part.stride < 0) return false;
      const auto at = static_cast<size_t>(split.rank++);
      split.size[at] = part.size;
      for (size_t k = 0; k < std::size(to); ++k) {
        to[k]->batch[at] = k == input ? part.stride : from[k]->batch[i] * part.times;
      }
    }
  }
  AttentionPrim::View& mine = *to[input];
  mine.offset = seen->base;
  mine.row = seen->axes[rank][0].stride;
  mine.column = columns == 1 ? 1 : seen->axes[rank + 1][0].stride;
  if (mine.row < 0 || mine.column < 0 || (input == 5 && mine.column != 1)) return false;
  p = split;
  return true;
}

}  // namespace

bool ReadInPlace(ir::Step& step, size_t input, const Region& copy) {
  if (auto* map = std::get_if<MapPrim>(&step.primitive)) return MapReads(*map, input, copy);
  if (auto* product = std::get_if<MatMulPrim>(&step.primitive)) {
    return input == 0   ? ProductReads(copy, product->m, product->k, product->a_row,
                                       product->a_column, product->a_offsets)
           : input == 1 ? ProductReads(copy, product->k, product->n, product->b_row,
                                       product->b_column, product->b_offsets)
                        : false;
  }
  if (auto* attention = std::get_if<AttentionPrim>(&step.primitive)) {
    AttentionPrim::View* views[] = {&attention->q, &attention->k, &attention->v,
                                    &attention->biases[0], &attention->biases[1]};
    return input < std::size(views) && AttentionSees(*attention, *views[input], input, copy);
  }
  return false;
}

bool WriteInPlace(AttentionPrim& attention, const Region& copy) {
  return AttentionSees(attention, attention.y, 5, Inverse(copy));
}

}  // namespace ferry::passes
