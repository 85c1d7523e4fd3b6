#include "device-runtime/kernels/gemm/any.h"

#include "device-runtime/kernels/parallel.h"

namespace ferry::kernels {
namespace {

using tensor::DType;

// Signed integers multiply as unsigned ones: the low bits are the same, and wrap.
template <typename T>
void Rows(int64_t begin, int64_t end, int64_t n, int64_t k, const AnyMatrix& a, const AnyMatrix& b,
          const T* bias, const T* add, T* y) {
  const T* left = static_cast<const T*>(a.data);
  const T* right = static_cast<const T*>(b.data);
  for (int64_t row = begin; row < end; ++row) {
    T* to = y + row * n;
    for (int64_t j = 0; j < n; ++j) to[j] = 0;
    for (int64_t i = 0; i < k; ++i) {
      const T factor = left[row * a.row_stride + i * a.column_stride];
      const T* from = right + i * b.row_stride;
      if (b.column_stride == 1) {
        for (int64_t j = 0; j < n; ++j) to[j] += factor * from[j];
      } else {
        for (int64_t j = 0; j < n; ++j) to[j] += factor * from[j * b.column_stride];
      }
    }
    for (int64_t j = 0; j < n; ++j) {
      if (bias != nullptr) to[j] += bias[j];
      if (add != nullptr) to[j] += add[row * n + j];
    }
  }
}

template <typename T>
void All(sys::Parallel& parallel, int64_t m, int64_t n, int64_t k, const AnyMatrix& a,
         const AnyMatrix& b, const void* bias, const void* add, void* y) {
  if (n == 0) return;  // rows of nothing may be without number
  ForPieces(parallel, m, n * k / 4 + n, [&](int64_t begin, int64_t end) {
    Rows(begin, end, n, k, a, b, static_cast<const T*>(bias), static_cast<const T*>(add),
         static_cast<T*>(y));
  });
}

}  // namespace

bool GemmAny(sys::Parallel& parallel, DType dtype, int64_t m, int64_t n, int64_t k,
             const AnyMatrix& a, const AnyMatrix& b, const void* bias, const void* add, void* y) {
  switch (dtype) {
    case DType::kF64:
      All<double>(parallel, m, n, k, a, b, bias, add, y);
      return true;
    case DType::kI32:
    case DType::kU32:
      All<uint32_t>(parallel, m, n, k, a, b, bias, add, y);
      return true;
    case DType::kI64:
    case DType::kU64:
      All<uint64_t>(parallel, m, n, k, a, b, bias, add, y);
      return true;
    default:
      return false;
  }
}

}  // namespace ferry::kernels
