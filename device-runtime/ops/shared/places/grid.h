// Grids of gathers and scatters that several operators share.
#pragma once

#include "device-runtime/ops/lower_context.h"
#include "device-runtime/ops/shared/places/indices.h"

namespace ferry::ops {

// Each element at its own place of `data`, but along `axis`, where the index says; indices have the
// rank of data.
inline ir::IndexGrid ElementGrid(const Shape& data, const Shape& indices, int axis) {
  const tensor::Strides strides = tensor::DenseStrides(data);
  const auto at = static_cast<size_t>(axis);
  ir::IndexGrid grid;
  grid.rank = data.rank();
  grid.depth = 1;
  for (int i = 0; i < data.rank(); ++i) grid.size[static_cast<size_t>(i)] = indices[i];
  grid.data_stride = strides;
  grid.data_stride[at] = 0;
  grid.index_stride = tensor::DenseStrides(indices);
  grid.extent[0] = data[axis];
  grid.extent_stride[0] = strides[at];
  return grid;
}

// Slices of `data` at the places that the last axis of `indices` names, `depth` axes from
// `batch_dims` on, inside each of the entries of the axes before.
inline ir::IndexGrid SliceGrid(const Shape& data, const Shape& indices, int batch_dims, int depth) {
  const int rank = data.rank();
  ir::IndexGrid grid;
  grid.rank = 2;
  grid.depth = depth;
  const int64_t slices = indices.Product(batch_dims, indices.rank() - 1);
  grid.size = {data.Product(0, batch_dims), slices};
  grid.data_stride = {data.Product(batch_dims, rank), 0};
  grid.index_stride = {slices * depth, depth};
  grid.index_step = 1;
  for (int k = 0; k < depth; ++k) {
    grid.extent[static_cast<size_t>(k)] = data[batch_dims + k];
    grid.extent_stride[static_cast<size_t>(k)] = data.Product(batch_dims + k + 1, rank);
  }
  grid.inner = data.Product(batch_dims + depth, rank);
  return grid;
}

inline ir::ScatterKind KindOf(Reduction reduction) {
  switch (reduction) {
    case Reduction::kAdd:
      return ir::ScatterKind::kAdd;
    case Reduction::kMul:
      return ir::ScatterKind::kMul;
    case Reduction::kMin:
      return ir::ScatterKind::kMin;
    case Reduction::kMax:
      return ir::ScatterKind::kMax;
    default:
      return ir::ScatterKind::kReplace;
  }
}

// 0, 1, ... as a constant of i64.
inline Result<BufferId> Counting(LowerContext& c, int64_t count) {
  FERRY_ASSIGN_OR_RETURN(Tensor numbers, Tensor::Allocate(DType::kI64, {count}));
  for (int64_t i = 0; i < count; ++i) numbers.mutable_data<int64_t>()[static_cast<size_t>(i)] = i;
  return c.Constant(std::move(numbers));
}

}  // namespace ferry::ops
