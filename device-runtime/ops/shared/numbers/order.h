// The order of elements whatever the dtype.
#pragma once

#include "device-runtime/ops/shared/numbers/exact.h"

namespace ferry::ops {

// -1, 0 or 1: element `i` of `a` is less than, equal to or greater than element `j` of `b` (of the
// same dtype). NaN equals itself and is the greatest; texts go by their bytes.
inline int Order(const Tensor& a, int64_t i, const Tensor& b, int64_t j) {
  if (a.dtype() == DType::kString) {
    const int order = a.Text(i).compare(b.Text(j));
    return order < 0 ? -1 : order > 0 ? 1 : 0;
  }
  return WithExact(a.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T x = Get<T>(a, i);
    const T y = Get<T>(b, j);
    if (IsNan(x) || IsNan(y)) return static_cast<int>(IsNan(x)) - static_cast<int>(IsNan(y));
    return static_cast<int>(x > y) - static_cast<int>(x < y);
  });
}

}  // namespace ferry::ops
