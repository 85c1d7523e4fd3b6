// 1x1 convolutions: the pixels are the rows of a plain product.
#include "device-runtime/kernels/conv/algorithms.h"
#include "device-runtime/kernels/gemm/gemm.h"

namespace ferry::kernels {
namespace {

bool PointwiseSupports(const ConvShape& s) {
  return s.is_pointwise() && s.groups == 1;
}

void RunPointwise(const ConvRun& r) {
  const ConvShape& s = r.shape;
  const GemmShape shape = {s.batch * s.out_h * s.out_w, s.out_c, s.in_c};
  Gemm(r.table, r.parallel, shape, {r.input, s.in_step(), 1}, r.packed, r.epilogue, r.output,
       s.out_step(), r.workspace, r.tiles);
}

}  // namespace

const ConvMethod kConvPointwise = {
    .name = "pointwise",
    .supports = PointwiseSupports,
    .packed_size = PackedProductSize,
    .pack = PackProduct,
    .workspace_size = NoWorkspace,
    .run = RunPointwise,
    .has_tiles = true,
};

}  // namespace ferry::kernels
