#include "device-runtime/kernels/conv/any.h"

#include "device-runtime/kernels/parallel.h"

namespace ferry::kernels {
namespace {

// One output element.
template <typename T>
T Element(const ConvShape& s, const T* x, const T* w, int64_t row, int64_t column, int64_t oc) {
  const int64_t in_group = s.in_c / s.groups, out_group = s.out_c / s.groups;
  const int64_t first = oc / out_group * in_group;
  T sum = 0;
  for (int64_t kh = 0; kh < s.kernel_h; ++kh) {
    const int64_t h = row * s.stride_h - s.pad_top + kh * s.dilation_h;
    if (h < 0 || h >= s.in_h) continue;
    for (int64_t kw = 0; kw < s.kernel_w; ++kw) {
      const int64_t at = column * s.stride_w - s.pad_left + kw * s.dilation_w;
      if (at < 0 || at >= s.in_w) continue;
      const T* from = x + (h * s.in_w + at) * s.in_c + first;
      const T* weights = w + (oc * in_group * s.kernel_h + kh) * s.kernel_w + kw;
      for (int64_t ic = 0; ic < in_group; ++ic) {
        sum += from[ic] * weights[ic * s.kernel_h * s.kernel_w];
      }
    }
  }
  return sum;
}

template <typename T>
void All(sys::Parallel& parallel, const ConvShape& s, const T* x, const T* w, const T* bias,
         const T* add, T* y) {
  if (s.out_w * s.out_c == 0) return;  // rows of nothing may be without number
  const int64_t work = s.out_w * s.out_c * s.in_c / s.groups * s.kernel_h * s.kernel_w;
  ForPieces(parallel, s.batch * s.out_h, work, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const T* image = x + i / s.out_h * s.in_h * s.in_w * s.in_c;
      for (int64_t column = 0; column < s.out_w; ++column) {
        for (int64_t oc = 0; oc < s.out_c; ++oc) {
          const int64_t at = (i * s.out_w + column) * s.out_c + oc;
          T sum = Element(s, image, w, i % s.out_h, column, oc);
          if (bias != nullptr) sum += bias[oc];
          if (add != nullptr) sum += add[at];
          y[at] = sum;
        }
      }
    }
  });
}

template <typename T>
void As(sys::Parallel& parallel, const ConvShape& s, const void* x, const void* w, const void* bias,
        const void* add, void* y) {
  All(parallel, s, static_cast<const T*>(x), static_cast<const T*>(w), static_cast<const T*>(bias),
      static_cast<const T*>(add), static_cast<T*>(y));
}

}  // namespace

bool ConvAny(sys::Parallel& parallel, tensor::DType dtype, const ConvShape& s, const void* x,
             const void* w, const void* bias, const void* add, void* y) {
  if (dtype == tensor::DType::kF64) {
    As<double>(parallel, s, x, w, bias, add, y);
  } else if (dtype == tensor::DType::kI32) {
    As<uint32_t>(parallel, s, x, w, bias, add, y);  // the low bits of signed ones are the same
  } else {
    return false;
  }
  return true;
}

}  // namespace ferry::kernels
