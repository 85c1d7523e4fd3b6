// Where each tap of each output pixel of a convolution lies: what the rows of its product read in
// place (Dukhan, "The Indirect Convolution Algorithm", arXiv 1907.02129).
#pragma once

#include <algorithm>
#include <cstdint>

#include "device-runtime/kernels/conv/conv.h"

namespace ferry::kernels {

// The output position of a row of the product, stepped along.
struct OutputPosition {
  OutputPosition(const ConvShape& s, int64_t row)
      : s(s), x(row % s.out_w), y(row / s.out_w % s.out_h), n(row / (s.out_w * s.out_h)) {}
  void Next() {
    if (++x < s.out_w) return;
    x = 0;
    if (++y < s.out_h) return;
    y = 0;
    ++n;
  }
  // `pixels` on, at most to the end of the line.
  void Skip(int64_t pixels) {
    x += pixels - 1;
    Next();
  }
  const ConvShape& s;
  int64_t x, y, n;
};

// `input` is the first channel to read of the first pixel; taps outside the image are `outside`.
template <typename T>
class WindowPointers {
 public:
  WindowPointers(const ConvShape& s, const T* input, const T* outside)
      : s_(s), input_(input), outside_(outside) {
    const int64_t taps = std::min(kOffsets, s.kernel_h * s.kernel_w);
    for (int64_t t = 0; t < taps; ++t) {
      offsets_[t] =
          (t / s.kernel_w * s.dilation_h * s.in_w + t % s.kernel_w * s.dilation_w) * s.in_step();
    }
  }

  // As RowSource::Fill.
  void Fill(int64_t first, int count, int64_t first_tap, int64_t taps, const T** pointers) const {
    OutputPosition at(s_, first);
    for (int i = 0; i < count; ++i, at.Next()) {
      const int64_t x = at.x * s_.stride_w - s_.pad_left;
      const int64_t y = at.y * s_.stride_h - s_.pad_top;
      const bool inside = x >= 0 && y >= 0 && x + (s_.kernel_w - 1) * s_.dilation_w < s_.in_w &&
                          y + (s_.kernel_h - 1) * s_.dilation_h < s_.in_h;
      if (inside && first_tap + taps <= kOffsets) {
        const T* window = input_ + ((at.n * s_.in_h + y) * s_.in_w + x) * s_.in_step();
        const int64_t* offsets = offsets_ + first_tap;
        for (int64_t t = 0; t < taps; ++t) pointers[t * count + i] = window + offsets[t];
      } else {
        FillEdge(x, y, at.n, first_tap, taps, count, pointers + i);
      }
    }
  }

 private:
  static constexpr int64_t kOffsets = 64;  // taps whose distances are kept

  void FillEdge(int64_t x, int64_t y, int64_t n, int64_t first_tap, int64_t taps, int step,
                const T** out) const {
    int64_t ky = first_tap / s_.kernel_w;
    int64_t kx = first_tap - ky * s_.kernel_w;
    for (int64_t t = 0; t < taps; ++t, out += step) {
      const int64_t iy = y + ky * s_.dilation_h;
      const int64_t ix = x + kx * s_.dilation_w;
      const bool inside = iy >= 0 && iy < s_.in_h && ix >= 0 && ix < s_.in_w;
      *out = inside ? input_ + ((n * s_.in_h + iy) * s_.in_w + ix) * s_.in_step() : outside_;
      if (++kx == s_.kernel_w) {
        kx = 0;
        ++ky;
      }
    }
  }

  const ConvShape& s_;
  const T* input_;
  const T* outside_;
  int64_t offsets_[kOffsets];
};

}  // namespace ferry::kernels
