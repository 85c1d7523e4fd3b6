// Writing elements at places that indices name.
#pragma once

#include "common/sys/executor.h"
#include "device-runtime/kernels/gather/gather.h"
#include "device-runtime/tensor/dtype.h"

namespace ferry::kernels {

enum class ScatterKind { kReplace, kAdd, kMul, kMin, kMax };

// y = x (`elements` of them), then for each point of the grid in order the updates [points, inner]
// replace what lies at its place, or are combined with it (numbers of WithNumber; integers wrap, of
// bools sums and products are or and and). False, and y unspecified, when an index is outside.
[[nodiscard]] bool Scatter(tensor::DType dtype, ScatterKind kind, const IndexGrid& grid,
                           const Indices& indices, int64_t elements, const void* x,
                           const void* updates, void* y);

}  // namespace ferry::kernels
