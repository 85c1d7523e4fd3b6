// Any convolution as a product whose rows are read in place, pixel by pixel through pointers
// (Dukhan, "The Indirect Convolution Algorithm", arXiv 1907.02129).
#include <algorithm>

#include "device-runtime/kernels/conv/algorithms.h"
#include "device-runtime/kernels/gemm/gemm.h"
#include "device-runtime/kernels/gemm/product.h"

namespace ferry::kernels {
namespace {

// Each tap of a row is the run of channels at one input position, or zeros outside the input.
class WindowRows final : public RowSource {
 public:
  WindowRows(const ConvShape& s, const float* input, const float* zeros)
      : s_(s), input_(input), zeros_(zeros) {}

  void Fill(int64_t first, int count, int64_t first_tap, int64_t taps,
            const float** pointers) const override {
    int64_t ox = first % s_.out_w;
    int64_t oy = first / s_.out_w % s_.out_h;
    int64_t n = first / (s_.out_w * s_.out_h);
    for (int i = 0; i < count; ++i) {
      FillRow(n, oy * s_.stride_h - s_.pad_top, ox * s_.stride_w - s_.pad_left, first_tap, taps,
              count, pointers + i);
      if (++ox == s_.out_w) {
        ox = 0;
        if (++oy == s_.out_h) {
          oy = 0;
          ++n;
        }
      }
    }
  }

 private:
  void FillRow(int64_t n, int64_t y, int64_t x, int64_t first_tap, int64_t taps, int step,
               const float** out) const {
    int64_t ky = first_tap / s_.kernel_w;
    int64_t kx = first_tap - ky * s_.kernel_w;
    for (int64_t t = 0; t < taps; ++t, out += step) {
      const int64_t iy = y + ky * s_.dilation_h;
      const int64_t ix = x + kx * s_.dilation_w;
      const bool inside = iy >= 0 && iy < s_.in_h && ix >= 0 && ix < s_.in_w;
      *out = inside ? input_ + ((n * s_.in_h + iy) * s_.in_w + ix) * s_.in_c : zeros_;
      if (++kx == s_.kernel_w) {
        kx = 0;
        ++ky;
      }
    }
  }

  const ConvShape& s_;
  const float* input_;
  const float* zeros_;
};

size_t WorkspaceSize(const KernelTable&, const ConvShape& s) {
  return static_cast<size_t>(s.in_c / s.groups);
}

void Run(const ConvRun& r) {
  const ConvShape& s = r.shape;
  Product p;
  p.rows = s.batch * s.out_h * s.out_w;
  p.columns = s.out_c / s.groups;
  p.c_stride = s.out_c;
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
    .workspace_size = WorkspaceSize,
    .run = Run,
    .has_tiles = true,
};

}  // namespace ferry::kernels
