// Any convolution as a product whose rows are read in place, pixel by pixel through pointers
// (Dukhan, "The Indirect Convolution Algorithm", arXiv 1907.02129).
#include <algorithm>

#include "device-runtime/kernels/conv/algorithms.h"
#include "device-runtime/kernels/conv/window_pointers.h"
#include "device-runtime/kernels/gemm/gemm.h"
#include "device-runtime/kernels/gemm/product.h"

namespace ferry::kernels {
namespace {

// Each tap of a row is the run of channels at one input position, or zeros outside the input.
class WindowRows final : public RowSource {
 public:
  WindowRows(const ConvShape& s, const float* input, const float* zeros)
      : pointers_(s, input, zeros) {}
  void Fill(int64_t first, int count, int64_t first_tap, int64_t taps,
            const float** pointers) const override {
    pointers_.Fill(first, count, first_tap, taps, pointers);
  }

 private:
  const WindowPointers<float> pointers_;
};

size_t IndirectWorkspaceSize(const KernelTable&, const ConvShape& s, int) {
  return static_cast<size_t>(s.in_c / s.groups);
}

void RunIndirect(const ConvRun& r) {
  const ConvShape& s = r.shape;
  Product p;
  p.rows = s.batch * s.out_h * s.out_w;
  p.columns = s.out_c / s.groups;
  p.c_stride = s.out_step();
  p.c = r.output;
  p.epilogue = r.epilogue;
  p.packed_b = r.packed;
  p.taps = s.kernel_h * s.kernel_w;
  p.depth = s.in_c / s.groups;
  p.tiles = r.tiles;
  std::fill_n(r.workspace, p.depth, 0.0f);
  const size_t group_size = PackedBSize(r.table, p.taps * p.depth, p.columns);
  for (int64_t g = 0; g < s.groups; ++g) {
    const WindowRows rows(s, r.input + g * p.depth, r.workspace);
    p.source = &rows;
    RunProduct(r.table, r.parallel, p);
    p.packed_b += group_size;
    p.c += p.columns;
    if (p.epilogue.bias != nullptr) p.epilogue.bias += p.columns;
    if (p.epilogue.add != nullptr) p.epilogue.add += p.columns;
  }
}

}  // namespace

const ConvMethod kConvIndirect = {
    .name = "indirect",
    .supports = [](const ConvShape&) { return true; },
    .packed_size = PackedProductSize,
    .pack = PackProduct,
    .workspace_size = IndirectWorkspaceSize,
    .run = RunIndirect,
    .has_tiles = true,
};

}  // namespace ferry::kernels
