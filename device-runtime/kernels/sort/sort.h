// The greatest or least elements along an axis, in order.
#pragma once

#include "common/sys/executor.h"
#include "device-runtime/tensor/dtype.h"

namespace ferry::kernels {

struct SortShape {
  int64_t outer, size, inner;
  int64_t count;  // at most size
  bool largest;
};

// Bytes of room that Sort needs: lines are sorted in up to kSortPieces pieces.
inline constexpr int64_t kSortPieces = 4;
int64_t SortRoom(tensor::DType dtype, const SortShape& shape);
// x [outer, size, inner] of numbers (WithNumber) -> values and i64 indices [outer, count, inner];
// of equal elements those of lower index first, NaN is greater than all numbers. False for other
// dtypes. `room` has SortRoom bytes, aligned to 8.
[[nodiscard]] bool Sort(sys::Parallel& parallel, tensor::DType dtype, const SortShape& shape,
                        const void* x, void* values, int64_t* indices, void* room);

}  // namespace ferry::kernels
