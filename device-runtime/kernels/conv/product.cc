// Convolutions as products: pointwise in place, everything else through row pointers.
#include <algorithm>

#include "device-runtime/kernels/conv/algorithms.h"
#include "device-runtime/kernels/conv/padded.h"
#include "device-runtime/kernels/gemm/gemm.h"
#include "device-runtime/kernels/gemm/kernels.h"
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

// Each tap is a whole kernel row: neighbouring pixels lie side by side, nothing is outside.
class LineRows final : public RowSource {
 public:
  LineRows(const ConvShape& s, const PaddedShape& padded, const float* input)
      : s_(s), padded_(padded), input_(input) {}

  void Fill(int64_t first, int count, int64_t first_tap, int64_t taps,
            const float** pointers) const override {
    const int64_t line = padded_.width * s_.in_c;
    for (int i = 0; i < count; ++i) {
      const int64_t row = first + i;
      const int64_t ox = row % s_.out_w;
      const int64_t oy = row / s_.out_w % s_.out_h;
      const int64_t n = row / (s_.out_w * s_.out_h);
      const float* at =
          input_ + (n * padded_.height + oy * s_.stride_h) * line + ox * s_.stride_w * s_.in_c;
      for (int64_t t = 0; t < taps; ++t) {
        pointers[t * count + i] = at + (first_tap + t) * s_.dilation_h * line;
      }
    }
  }

 private:
  const ConvShape& s_;
  const PaddedShape& padded_;
  const float* input_;
};

// Below this many channels a run per pixel is too short for the loop around it, so that whole
// kernel rows of a padded copy are taken instead.
constexpr int64_t kFewChannels = 16;

// Largest padded copy, in floats. What passes it goes pixel by pixel: padding can make any small
// input large, and sizes must not overflow.
constexpr double kMaxPaddedFloats = 1ll << 32;

bool TakesLines(const ConvShape& s) {
  if (s.groups != 1 || s.dilation_w != 1 || s.kernel_w == 1 || s.in_c >= kFewChannels ||
      s.out_h == 0 || s.out_w == 0) {
    return false;
  }
  const PaddedShape padded(s);
  return static_cast<double>(s.batch * s.in_c) * static_cast<double>(padded.height) *
             static_cast<double>(padded.width) <=
         kMaxPaddedFloats;
}

}  // namespace

size_t PackedProductSize(const KernelTable& table, const ConvShape& s) {
  const int64_t depth = s.in_c / s.groups * s.kernel_h * s.kernel_w;
  return static_cast<size_t>(s.groups) * PackedBSize(table, depth, s.out_c / s.groups);
}

void PackProduct(const KernelTable& table, const ConvShape& s, const float* weights,
                 float* packed) {
  const int64_t in = s.in_c / s.groups;
  const int64_t out = s.out_c / s.groups;
  const int64_t taps = s.kernel_h * s.kernel_w;
  const int64_t width = table.gemm->PanelWidth();
  const int64_t vector = table.gemm->vector;
  for (int64_t g = 0; g < s.groups; ++g) {
    const float* from = weights + g * out * in * taps;
    for (int64_t column = 0; column < out; column += width) {
      const int64_t count = std::min(width, out - column);
      const int64_t padded = (count + vector - 1) / vector * vector;
      for (int64_t t = 0; t < taps; ++t) {
        for (int64_t i = 0; i < in; ++i, packed += padded) {
          for (int64_t j = 0; j < count; ++j) {
            packed[j] = from[((column + j) * in + i) * taps + t];
          }
          std::fill(packed + count, packed + padded, 0.0f);
        }
      }
    }
  }
}

void RunPointwise(const ConvRun& r) {
  const ConvShape& s = r.shape;
  const GemmShape shape = {s.batch * s.out_h * s.out_w, s.out_c, s.in_c};
  Gemm(r.table, r.parallel, shape, {r.input, s.in_c, 1}, r.packed, r.epilogue, r.output, s.out_c,
       r.workspace);
}

size_t IndirectWorkspaceSize(const ConvShape& s) {
  if (!TakesLines(s)) return static_cast<size_t>(s.in_c / s.groups);
  return static_cast<size_t>(PaddedShape(s).Size(s));
}

void RunIndirect(const ConvRun& r) {
  const ConvShape& s = r.shape;
  Product p;
  p.rows = s.batch * s.out_h * s.out_w;
  p.columns = s.out_c / s.groups;
  p.c_stride = s.out_c;
  p.c = r.output;
  p.epilogue = r.epilogue;
  p.packed_b = r.packed;
  if (TakesLines(s)) {
    const PaddedShape padded(s);
    const LineRows rows(s, padded, PadInput(r.parallel, s, padded, r.input, r.workspace));
    p.taps = s.kernel_h;
    p.depth = s.kernel_w * s.in_c;
    p.source = &rows;
    RunProduct(r.table, r.parallel, p);
    return;
  }
  p.taps = s.kernel_h * s.kernel_w;
  p.depth = s.in_c / s.groups;
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

}  // namespace ferry::kernels
