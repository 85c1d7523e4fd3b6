#include "device-runtime/kernels/bf16/tiled.h"

#include "device-runtime/kernels/bf16/bf16.h"
#include "device-runtime/kernels/tiled/float_sink.h"

namespace ferry::kernels {

void RunBf16Tiled(const KernelTable& table, sys::Parallel& parallel, const GemmShape& shape,
                  const float* pairs, const float* packed_b, const Epilogue& epilogue, float* c,
                  int64_t c_stride) {
  const int64_t width = Bf16Pairs(shape.k);
  const DenseByteRows rows(pairs, width);
  const FloatSink sink(table, epilogue, c, c_stride);
  TiledProduct t;
  t.rows = shape.m;
  t.columns = shape.n;
  t.run_bytes = t.tap_bytes = width * 4;
  t.source = &rows;
  t.b = packed_b;
  t.form = &table.tiled->halves;
  t.sink = &sink;
  RunTiledProduct(table, parallel, t);
}

}  // namespace ferry::kernels
