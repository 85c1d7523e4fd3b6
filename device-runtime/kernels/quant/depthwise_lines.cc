// Depthwise convolutions whose input lines interleave (QuantDepthwiseLine).
#include <algorithm>
#include <cstring>

#include "device-runtime/kernels/parallel.h"
#include "device-runtime/kernels/quant/product.h"

namespace ferry::kernels {
namespace {

constexpr int64_t kBlock = 64;       // channels
constexpr int64_t kLinePixels = 64;  // of a piece of a line, whose addresses live on the stack
constexpr int64_t kMaxStride = 2;    // of columns
constexpr int64_t kMaxLines = 8;
constexpr int64_t kMaxColumns = kLinePixels * kMaxStride + 16;

int64_t Blocks(const ConvShape& s) {
  return (s.in_c + kBlock - 1) / kBlock;
}

// The form whose outputs need no more columns than it reads; -1: none.
int FormOf(const ConvShape& s) {
  for (int i = 0; i < kQuantLineForms; ++i) {
    const QuantLineForm form = kQuantLines[i];
    // A form of two groups only pays where one does not do.
    if ((form.outputs - 1) * s.stride_w + s.kernel_w <= int64_t{4} * form.groups) return i;
  }
  return -1;
}

// Where channel c of a block lies among 64: channels 16 l + 4 q + i at 16 q + 4 l + i.
int64_t PlaceOf(int64_t c) {
  return c % 16 / 4 * 16 + c / 16 * 4 + c % 4;
}

template <typename T>
void Reorder(int64_t channels, const T* from, T* to) {
  std::fill_n(to, (channels + kBlock - 1) / kBlock * kBlock, T{});
  for (int64_t c = 0; from != nullptr && c < channels; ++c) {
    to[c / kBlock * kBlock + PlaceOf(c % kBlock)] = from[c];
  }
}

struct Arrays {
  int32_t* start;
  float *factor, *offset;
  uint8_t* outside;
};

Arrays ArraysIn(const ConvShape& s, uint8_t* workspace) {
  const int64_t each = Blocks(s) * kBlock;
  auto* start = reinterpret_cast<int32_t*>(workspace);
  auto* factor = reinterpret_cast<float*>(start + each);
  return {start, factor, factor + each, reinterpret_cast<uint8_t*>(factor + 2 * each)};
}

// The addresses of `columns` input columns from output pixel `ox` on, for each line of the kernel.
void Addresses(const ConvShape& s, const uint8_t* image, const uint8_t* outside, int64_t oy,
               int64_t ox, int64_t columns, const uint8_t** to) {
  const int64_t y = oy * s.stride_h - s.pad_top, x = ox * s.stride_w - s.pad_left;
  for (int64_t line = 0; line < s.kernel_h; ++line) {
    const int64_t iy = y + line * s.dilation_h;
    const bool inside = iy >= 0 && iy < s.in_h;
    const uint8_t* from = image + (inside ? iy : 0) * s.in_w * s.in_c;
    for (int64_t i = 0; i < columns; ++i) {
      const int64_t ix = x + i;
      *to++ = inside && ix >= 0 && ix < s.in_w ? from + ix * s.in_c : outside;
    }
  }
}

}  // namespace

bool TakesQuantLines(const KernelTable& table, const ConvShape& s) {
  return table.quant->lines != nullptr && IsQuantDepthwise(s) && s.dilation_w == 1 &&
         s.kernel_h <= kMaxLines && s.stride_w <= kMaxStride && FormOf(s) >= 0;
}

int64_t QuantLinesSize(const ConvShape& s) {
  const QuantLineForm form = kQuantLines[FormOf(s)];
  return Blocks(s) * s.kernel_h * form.groups * form.outputs * 256;
}

void PackQuantLines(const ConvShape& s, const int8_t* weights, int8_t* packed) {
  const QuantLineForm form = kQuantLines[FormOf(s)];
  std::memset(packed, 0, static_cast<size_t>(QuantLinesSize(s)));
  for (int64_t c = 0; c < s.in_c; ++c) {
    for (int64_t line = 0; line < s.kernel_h; ++line) {
      for (int64_t i = 0; i < form.outputs * s.kernel_w; ++i) {
        const int64_t output = i / s.kernel_w, kx = i % s.kernel_w;
        const int64_t column = output * s.stride_w + kx;
        const int64_t at =
            ((c / kBlock * s.kernel_h + line) * form.groups + column / 4) * form.outputs + output;
        packed[at * 256 + PlaceOf(c % kBlock) * 4 + column % 4] =
            weights[(c * s.kernel_h + line) * s.kernel_w + kx];
      }
    }
  }
}

int64_t QuantLinesWorkspace(const ConvShape& s) {
  return Blocks(s) * kBlock * 13;
}

void RunQuantLines(const KernelTable& table, sys::Parallel& parallel, const QuantConv& conv,
                   const uint8_t* x, const int8_t* packed, const int32_t* start,
                   const QuantEpilogue& epilogue, uint8_t* y, uint8_t* workspace) {
  const ConvShape& s = conv.shape;
  const Arrays arrays = ArraysIn(s, workspace);
  Reorder(s.in_c, start, arrays.start);
  Reorder(s.in_c, epilogue.factor, arrays.factor);
  Reorder(s.in_c, epilogue.offset, arrays.offset);
  std::memset(arrays.outside, conv.x_zero, static_cast<size_t>(s.in_c));
  const int form = FormOf(s);
  const auto line = table.quant->lines->of[conv.x_signed][form];
  const int64_t extra = int64_t{4} * kQuantLines[form].groups;
  const int64_t steps = s.out_w * s.in_c * s.kernel_h * s.kernel_w / 48 + 16;
  ForPieces(parallel, s.batch * s.out_h, steps, [&](int64_t begin, int64_t end) {
    const uint8_t* in[kMaxLines * kMaxColumns];
    QuantDepthwiseLine t = {.in = in,
                            .lines = s.kernel_h,
                            .columns = 0,
                            .pixels = 0,
                            .stride = s.stride_w,
                            .channels = s.in_c,
                            .weights = packed,
                            .start = arrays.start,
                            .factor = arrays.factor,
                            .offset = arrays.offset,
                            .y = nullptr,
                            .end = nullptr,
                            .epilogue = &epilogue};
    for (int64_t row = begin; row < end; ++row) {
      const uint8_t* image = x + row / s.out_h * s.in_h * s.in_w * s.in_c;
      t.end = y + (row + 1) * s.out_w * s.in_c;
      for (int64_t ox = 0; ox < s.out_w; ox += kLinePixels) {
        t.pixels = std::min(kLinePixels, s.out_w - ox);
        // The last outputs of a step may be past the line's end; their columns lie outside.
        t.columns = (t.pixels - 1) * s.stride_w + extra;
        Addresses(s, image, arrays.outside, row % s.out_h, ox, t.columns, in);
        t.y = y + (row * s.out_w + ox) * s.in_c;
        line(t);
      }
    }
  });
}

}  // namespace ferry::kernels
