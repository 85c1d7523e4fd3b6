#include "device-runtime/kernels/gemm/gemm.h"

#include "device-runtime/kernels/gemm/product.h"
#include "device-runtime/kernels/raster/raster.h"

namespace ferry::kernels {
namespace {

// Rows a fixed distance apart.
class DenseRows final : public RowSource {
 public:
  DenseRows(const float* data, int64_t stride) : data_(data), stride_(stride) {}
  void Fill(int64_t first, int count, int64_t, int64_t, const float** pointers) const override {
    for (int i = 0; i < count; ++i) pointers[i] = data_ + (first + i) * stride_;
  }

 private:
  const float* data_;
  int64_t stride_;
};

}  // namespace

size_t GemmWorkspaceSize(const GemmShape& shape, int64_t a_column_stride) {
  return a_column_stride == 1 ? 0 : static_cast<size_t>(shape.m * shape.k);
}

MatrixView DenseA(sys::Parallel& parallel, const GemmShape& shape, const MatrixView& a,
                  float* workspace) {
  if (a.column_stride == 1) return a;
  Region region;
  region.rank = 2;
  region.size[0] = shape.m;
  region.size[1] = shape.k;
  region.from_stride[0] = a.row_stride;
  region.from_stride[1] = a.column_stride;
  region.to_stride[0] = shape.k;
  region.to_stride[1] = 1;
  Copy(parallel, sizeof(float), region, a.data, workspace);
  return {workspace, shape.k, 1};
}

void Gemm(const KernelTable& table, sys::Parallel& parallel, const GemmShape& shape,
          const MatrixView& a, const float* packed_b, const Epilogue& epilogue, float* c,
          int64_t c_stride, float* workspace, const Tiles& tiles) {
  const MatrixView dense = DenseA(parallel, shape, a, workspace);
  const DenseRows source(dense.data, dense.row_stride);
  Product product;
  product.rows = shape.m;
  product.columns = shape.n;
  product.depth = shape.k;
  product.source = &source;
  product.packed_b = packed_b;
  product.c = c;
  product.c_stride = c_stride;
  product.epilogue = epilogue;
  product.tiles = tiles;
  RunProduct(table, parallel, product);
}

}  // namespace ferry::kernels
