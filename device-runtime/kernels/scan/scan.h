// Running sums and products along an axis.
#pragma once

#include "common/sys/executor.h"
#include "device-runtime/tensor/dtype.h"

namespace ferry::kernels {

struct ScanShape {
  int64_t outer, size, inner;
  bool product = false;
  bool exclusive = false;  // without the element itself
  bool reverse = false;    // from the end
};

// x and y are [outer, size, inner] of numbers (WithNumber). Floats are added in double, integers
// wrap. False for other dtypes.
[[nodiscard]] bool Scan(sys::Parallel& parallel, tensor::DType dtype, const ScanShape& shape,
                        const void* x, void* y);

}  // namespace ferry::kernels
