#include "device-runtime/kernels/split/split.h"

#include "device-runtime/kernels/tiled/float_sink.h"

namespace ferry::kernels {

size_t SplitWorkspaceSize(const GemmShape& shape, int64_t a_column_stride) {
  return GemmWorkspaceSize(shape, a_column_stride);
}

void RunSplitProduct(const KernelTable& table, sys::Parallel& parallel, const SplitProduct& p) {
  const FloatSink sink(table, *p.epilogue, p.c, p.c_stride);
  TiledProduct t;
  t.rows = p.rows;
  t.columns = p.columns;
  t.taps = p.taps;
  t.run_bytes = t.tap_bytes = p.depth * 4;
  t.source = p.source;
  t.b = p.packed_b;
  t.form = &table.tiled->floats;
  t.sink = &sink;
  t.is_infinite = SplitIsInfinite(table, p.taps * p.depth, p.columns, p.packed_b);
  RunTiledProduct(table, parallel, t);
}

void SplitGemm(const KernelTable& table, sys::Parallel& parallel, const GemmShape& shape,
               const MatrixView& a, const float* packed_b, const Epilogue& epilogue, float* c,
               int64_t c_stride, float* workspace, const Tiles&) {
  const MatrixView dense = DenseA(parallel, shape, a, workspace);
  const DenseByteRows source(dense.data, dense.row_stride);
  SplitProduct p;
  p.rows = shape.m;
  p.columns = shape.n;
  p.depth = shape.k;
  p.source = &source;
  p.packed_b = packed_b;
  p.c = c;
  p.c_stride = c_stride;
  p.epilogue = &epilogue;
  RunSplitProduct(table, parallel, p);
}

}  // namespace ferry::kernels
