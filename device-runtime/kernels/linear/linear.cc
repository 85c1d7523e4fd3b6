#include "device-runtime/kernels/linear/linear.h"

#include <algorithm>
#include <cstring>

#include "device-runtime/kernels/linear/kernels.h"
#include "device-runtime/kernels/parallel.h"
#include "device-runtime/tensor/dtype.h"

namespace ferry::kernels {
namespace {

// Rows of weights that threads take at a time: a multiple of every tile's.
constexpr int64_t kRowBlock = 24;
// Weights that stay in a core's own cache while all rows of x meet them.
constexpr int64_t kCacheBytes = 192 * 1024;

const LinearFunction* StripsOf(const LinearKernels& kernels, WeightType type) {
  switch (type) {
    case WeightType::kF32:
      return kernels.f32;
    case WeightType::kBF16:
      return kernels.bf16;
    case WeightType::kI8:
      return kernels.i8;
    case WeightType::kF16:
      return kernels.f16;
  }
  return kernels.f32;
}

// All `m` rows of x times the rows of weights in `s`, in tiles of nearly equal size.
void AllRowsOfX(const LinearFunction* strips, int64_t max_rows, int64_t m, LinearStrip s) {
  for (int64_t tiles = (m + max_rows - 1) / max_rows; tiles > 0; --tiles) {
    const int64_t rows = (m + tiles - 1) / tiles;
    strips[rows](s);
    s.cold = false;
    s.x += rows * s.x_stride;
    s.out += rows * s.out_stride;
    if (s.add != nullptr) s.add += rows * s.out_stride;
    m -= rows;
  }
}

}  // namespace

void Linear(const KernelTable& table, sys::Parallel& parallel, const WeightMatrix& w,
            const float* x, int64_t x_stride, int64_t m, const float* add, float* out,
            int64_t out_stride) {
  if (m <= 0) return;
  const LinearKernels& kernels = *table.linear;
  const LinearFunction* strips = StripsOf(kernels, w.type);
  const int64_t row_bytes = std::max<int64_t>(1, w.columns * WeightBytes(w.type));
  const int64_t cached = std::max<int64_t>(1, kCacheBytes / (row_bytes * kRowBlock)) * kRowBlock;
  const int64_t blocks = (w.rows + kRowBlock - 1) / kRowBlock;
  // Few rows wait for memory, more for multiplications.
  const int64_t steps = kRowBlock * w.columns * std::max<int64_t>(2, m) / 4;
  ForPieces(parallel, blocks, steps, [&](int64_t begin, int64_t end) {
    const int64_t last = std::min(end * kRowBlock, w.rows);
    for (int64_t row = begin * kRowBlock; row < last; row += cached) {
      LinearStrip s;
      s.w = static_cast<const char*>(w.data) + row * row_bytes;
      s.rows = std::min(cached, last - row);
      s.columns = w.columns;
      s.scales = w.type == WeightType::kI8 ? w.scales + row : nullptr;
      s.cold = true;
      s.x = x;
      s.x_stride = x_stride;
      s.add = add == nullptr ? nullptr : add + row;
      s.out = out + row;
      s.out_stride = out_stride;
      AllRowsOfX(strips, kernels.max_rows, m, s);
    }
  });
}

void WidenRow(const WeightMatrix& w, int64_t row, float* out) {
  const int64_t first = row * w.columns;
  switch (w.type) {
    case WeightType::kF32:
      std::memcpy(out, static_cast<const float*>(w.data) + first,
                  static_cast<size_t>(w.columns) * sizeof(float));
      return;
    case WeightType::kBF16: {
      const uint16_t* from = static_cast<const uint16_t*>(w.data) + first;
      for (int64_t i = 0; i < w.columns; ++i) {
        const uint32_t bits = uint32_t{from[i]} << 16;
        std::memcpy(out + i, &bits, sizeof(bits));
      }
      return;
    }
    case WeightType::kF16: {
      const uint16_t* from = static_cast<const uint16_t*>(w.data) + first;
      for (int64_t i = 0; i < w.columns; ++i) out[i] = tensor::HalfToFloat(from[i]);
      return;
    }
    case WeightType::kI8: {
      const int8_t* from = static_cast<const int8_t*>(w.data) + first;
      const float scale = w.scales[row];
      for (int64_t i = 0; i < w.columns; ++i) out[i] = scale * static_cast<float>(from[i]);
      return;
    }
  }
}

}  // namespace ferry::kernels
