#include "device-runtime/kernels/conv/padded.h"

#include <algorithm>
#include <cstring>

#include "device-runtime/kernels/parallel.h"

namespace ferry::kernels {

const float* PadInput(sys::Parallel& parallel, const ConvShape& s, const PaddedShape& padded,
                      const float* input, float* copy) {
  if (s.pad_top == 0 && s.pad_left == 0 && padded.height == s.in_h && padded.width == s.in_w) {
    return input;
  }
  const int64_t line = padded.width * s.in_c;
  // Columns of the input that the padded line holds.
  const int64_t left = std::min(s.pad_left, padded.width);
  const int64_t columns = std::clamp<int64_t>(padded.width - left, 0, s.in_w);
  ForPieces(parallel, s.batch * padded.height, line / 8, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const int64_t n = row / padded.height;
      const int64_t y = row % padded.height - s.pad_top;
      float* to = copy + row * line;
      if (y < 0 || y >= s.in_h) {
        std::fill_n(to, line, 0.0f);
        continue;
      }
      std::fill_n(to, left * s.in_c, 0.0f);
      std::memcpy(to + left * s.in_c, input + (n * s.in_h + y) * s.in_w * s.in_c,
                  static_cast<size_t>(columns * s.in_c) * sizeof(float));
      std::fill(to + (left + columns) * s.in_c, to + line, 0.0f);
    }
  });
  return copy;
}

}  // namespace ferry::kernels
