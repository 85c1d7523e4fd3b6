// What a winograd file of one instruction set provides: the transforms of F(4x4, 3x3) (Lavin and
// Gray, "Fast Algorithms for Convolutional Neural Networks", arXiv 1509.09308).
#pragma once

#include <cstdint>

namespace ferry::kernels {

inline constexpr int kWinogradOut = 4;  // a tile of 4 x 4 outputs
inline constexpr int kWinogradIn = 6;   // needs 6 x 6 inputs
inline constexpr int kWinogradPoints = 36;

struct WinogradOutputArgs {
  const float* in;  // point p of channel c: in[p * point_stride + c]
  int64_t point_stride;
  int64_t channels;
  const float* bias;        // or null
  const float* const* add;  // 16 pixels, or null; entries null like out's
  float low;
  float high;
  float* const* out;  // 16 pixels of `channels` floats, row by row; null = outside the output
};

struct WinogradKernels {
  // pixels: 36 pointers to `channels` floats, row by row. out[p * point_stride + c] = B^T d B.
  void (*input)(const float* const* pixels, int64_t channels, int64_t point_stride, float* out);
  // out = clip(A^T m A + bias + add).
  void (*output)(const WinogradOutputArgs& args);
};

#define FERRY_WINOGRAD(isa) extern const WinogradKernels kWinograd##isa;
#include "device-runtime/kernels/winograd/list.inc"
#undef FERRY_WINOGRAD

}  // namespace ferry::kernels
