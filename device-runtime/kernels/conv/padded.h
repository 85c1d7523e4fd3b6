// A copy of an input with its padding written out. Source: own.
#pragma once

#include "device-runtime/kernels/conv/conv.h"

namespace ferry::kernels {

// The part of the padded plane that the windows of a convolution touch.
struct PaddedShape {
  explicit PaddedShape(const ConvShape& s)
      : height((s.out_h - 1) * s.stride_h + (s.kernel_h - 1) * s.dilation_h + 1),
        width((s.out_w - 1) * s.stride_w + (s.kernel_w - 1) * s.dilation_w + 1) {}
  int64_t Size(const ConvShape& s) const { return s.batch * height * width * s.in_c; }

  int64_t height;
  int64_t width;
};

// The input itself when it is its own padded form, else `copy` (padded.Size floats), filled.
const float* PadInput(sys::Parallel& parallel, const ConvShape& shape, const PaddedShape& padded,
                      const float* input, float* copy);

}  // namespace ferry::kernels
