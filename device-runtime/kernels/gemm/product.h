// The blocked product that Gemm and the convolutions share: C = A * B where A is rows behind
// pointers. See gemm.h.
#pragma once

#include <cstdint>

#include "device-runtime/kernels/epilogue.h"
#include "device-runtime/kernels/gemm/tiles.h"
#include "device-runtime/kernels/parallel.h"
#include "device-runtime/kernels/table.h"

namespace ferry::kernels {

// Where A's rows are. Fill writes pointers[t * count + i] = address of the run of `depth` floats of
// row first + i and tap first_tap + t, for t < taps, i < count. Called from several threads at
// once.
class RowSource {
 public:
  virtual void Fill(int64_t first, int count, int64_t first_tap, int64_t taps,
                    const float** pointers) const = 0;

 protected:
  ~RowSource() = default;
};

struct Product {
  int64_t rows = 0;
  int64_t columns = 0;
  int64_t taps = 1;
  int64_t depth = 0;  // of each tap; A has taps * depth columns
  const RowSource* source = nullptr;
  const float* packed_b = nullptr;  // PackB of taps * depth rows
  float* c = nullptr;
  int64_t c_stride = 0;
  Epilogue epilogue;  // add has C's stride
  Tiles tiles;        // those that packed_b was packed with
};

void RunProduct(const KernelTable& table, sys::Parallel& parallel, const Product& product);

}  // namespace ferry::kernels
