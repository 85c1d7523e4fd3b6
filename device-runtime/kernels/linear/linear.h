// Products of float32 rows with a weight matrix in its stored form: out = x * W^T. Weights stay as
// the model file has them (row-major, one output a row), are widened in registers and summed in
// float32.
//
// Bits: element (m, r) depends on row m of x, row r of W and the instruction set alone: never on
// how many rows are computed together, on threads or on blocks. The language-model runtime stands
// on it (batch-invariant logits).
#pragma once

#include <cstdint>

#include "common/sys/executor.h"
#include "device-runtime/kernels/table.h"

namespace ferry::kernels {

// Numbers are stable: model files store them.
enum class WeightType : uint8_t { kF32 = 1, kBF16 = 2, kI8 = 3, kF16 = 4 };

constexpr int64_t WeightBytes(WeightType type) {
  return type == WeightType::kF32 ? 4 : type == WeightType::kI8 ? 1 : 2;
}

// Borrowed. Rows are contiguous, one after another; any alignment that suits the type.
struct WeightMatrix {
  WeightType type = WeightType::kF32;
  int64_t rows = 0;     // outputs
  int64_t columns = 0;  // inputs
  const void* data = nullptr;
  const float* scales = nullptr;  // kI8: one a row; value = scale * int
};

// out[m * out_stride + r] = sum over k of x[m * x_stride + k] * W(r, k), plus add[m * out_stride +
// r] when `add` is not null (it may be `out` itself). m >= 0; strides in floats. No allocation.
void Linear(const KernelTable& table, sys::Parallel& parallel, const WeightMatrix& w,
            const float* x, int64_t x_stride, int64_t m, const float* add, float* out,
            int64_t out_stride);

// The first `columns` values of row `row`, widened to float32 (embedding look-up).
void WidenRow(const WeightMatrix& w, int64_t row, float* out);

}  // namespace ferry::kernels
