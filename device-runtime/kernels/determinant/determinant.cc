#include "device-runtime/kernels/determinant/determinant.h"

#include <cmath>
#include <utility>

namespace ferry::kernels {
namespace {

// Overwrites the m rows of `a`.
double Eliminated(double* a, int64_t m) {
  double product = 1;
  for (int64_t i = 0; i < m; ++i) {
    int64_t pivot = i;
    for (int64_t row = i + 1; row < m; ++row) {
      if (std::abs(a[row * m + i]) > std::abs(a[pivot * m + i])) pivot = row;
    }
    if (a[pivot * m + i] == 0) return 0;
    if (pivot != i) {
      product = -product;
      for (int64_t k = i; k < m; ++k) std::swap(a[i * m + k], a[pivot * m + k]);
    }
    product *= a[i * m + i];
    for (int64_t row = i + 1; row < m; ++row) {
      const double factor = a[row * m + i] / a[i * m + i];
      for (int64_t k = i; k < m; ++k) a[row * m + k] -= factor * a[i * m + k];
    }
  }
  return product;
}

template <typename T>
void All(int64_t count, int64_t size, const T* x, T* y, double* room) {
  for (int64_t i = 0; i < count; ++i) {
    for (int64_t k = 0; k < size * size; ++k) {
      room[k] = static_cast<double>(x[i * size * size + k]);
    }
    y[i] = static_cast<T>(Eliminated(room, size));
  }
}

}  // namespace

bool Determinants(tensor::DType dtype, int64_t count, int64_t size, const void* x, void* y,
                  double* room) {
  if (dtype == tensor::DType::kF32) {
    All(count, size, static_cast<const float*>(x), static_cast<float*>(y), room);
  } else if (dtype == tensor::DType::kF64) {
    All(count, size, static_cast<const double*>(x), static_cast<double*>(y), room);
  } else {
    return false;
  }
  return true;
}

}  // namespace ferry::kernels
