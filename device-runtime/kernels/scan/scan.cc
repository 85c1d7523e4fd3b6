#include "device-runtime/kernels/scan/scan.h"

#include "device-runtime/kernels/numbers.h"
#include "device-runtime/kernels/parallel.h"

namespace ferry::kernels {
namespace {

template <typename T>
void Line(const ScanShape& s, const T* x, T* y) {
  using Wide = WideOf<T>;
  Wide total = s.product ? Wide{1} : Wide{0};
  const int64_t step = s.reverse ? -s.inner : s.inner;
  int64_t at = s.reverse ? (s.size - 1) * s.inner : 0;
  for (int64_t i = 0; i < s.size; ++i, at += step) {
    const Wide before = total;
    const auto value = static_cast<Wide>(x[at]);
    total = s.product ? Product(total, value) : Sum(total, value);
    y[at] = static_cast<T>(s.exclusive ? before : total);
  }
}

}  // namespace

bool Scan(sys::Parallel& parallel, tensor::DType dtype, const ScanShape& s, const void* x,
          void* y) {
  return WithNumber(dtype, [&](auto zero) {
    using T = decltype(zero);
    if (s.size == 0) return;  // lines of nothing may be without number
    ForPieces(parallel, s.outer * s.inner, s.size + 1, [&](int64_t begin, int64_t end) {
      for (int64_t line = begin; line < end; ++line) {
        const int64_t at = line / s.inner * s.size * s.inner + line % s.inner;
        Line(s, static_cast<const T*>(x) + at, static_cast<T*>(y) + at);
      }
    });
  });
}

}  // namespace ferry::kernels
