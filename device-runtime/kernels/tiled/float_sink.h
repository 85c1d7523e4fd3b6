// The end of products of float32 sums.
#pragma once

#include "device-runtime/kernels/epilogue.h"
#include "device-runtime/kernels/tiled/product.h"

namespace ferry::kernels {

// Sums to C, then bias, addend and activation as gemm's products have them. Borrows all that it is
// given.
class FloatSink final : public TiledSink {
 public:
  FloatSink(const KernelTable& table, const Epilogue& epilogue, float* c, int64_t c_stride)
      : table_(table), e_(epilogue), c_(c), stride_(c_stride) {}
  void Take(const void* sums, int64_t row, int64_t rows, int64_t column,
            int64_t columns) const override;

 private:
  const KernelTable& table_;
  const Epilogue& e_;
  float* const c_;
  const int64_t stride_;
};

// Rows of floats, or of pairs of bfloat16, a fixed distance apart.
class DenseByteRows final : public ByteRows {
 public:
  DenseByteRows(const float* rows, int64_t stride) : rows_(rows), stride_(stride) {}
  void Fill(int64_t first, int count, int64_t, int64_t, const uint8_t** pointers) const override {
    for (int i = 0; i < count; ++i)
      pointers[i] = reinterpret_cast<const uint8_t*>(rows_ + (first + i) * stride_);
  }

 private:
  const float* rows_;
  int64_t stride_;
};

}  // namespace ferry::kernels
