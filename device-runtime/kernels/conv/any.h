// Convolutions of other numbers than float32.
#pragma once

#include "device-runtime/kernels/conv/conv.h"
#include "device-runtime/tensor/dtype.h"

namespace ferry::kernels {

// y NHWC = conv(x NHWC, w [out_c, in_c/groups, kh, kw]) + bias [out_c]? + add (as y)?; f64, or i32,
// which wraps. False for other dtypes.
[[nodiscard]] bool ConvAny(sys::Parallel& parallel, tensor::DType dtype, const ConvShape& shape,
                           const void* x, const void* w, const void* bias, const void* add,
                           void* y);

}  // namespace ferry::kernels
