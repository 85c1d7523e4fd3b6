// What a winograd file of one instruction set provides: the transforms of F(m x m, 3x3) for m = 2,
// 4 and 6 (Lavin and Gray, "Fast Algorithms for Convolutional Neural Networks", arXiv 1509.09308).
// A tile of m x m outputs needs (m + 2) x (m + 2) inputs, and is as many points. The matrices are
// those of Toom and Cook over the points of points.h.
#pragma once

#include <cstdint>

namespace ferry::kernels {

inline constexpr int kMaxWinogradOut = 6;
inline constexpr int kMaxWinogradIn = kMaxWinogradOut + 2;

struct WinogradOutputArgs {
  const float* in;  // point p of channel c: in[p * point_stride + c]
  int64_t point_stride;
  int64_t channels;
  const float* bias;        // or null
  const float* const* add;  // m * m pixels, or null; entries null like out's
  float low;
  float high;
  float* const* out;  // m * m pixels of `channels` floats, row by row; null = outside the output
};

struct WinogradTransforms {
  // pixels: (m + 2)^2 pointers to `channels` floats, row by row. out[p * point_stride + c] =
  // B^T d B.
  void (*input)(const float* const* pixels, int64_t channels, int64_t point_stride, float* out);
  // out = clip(A^T m A + bias + add).
  void (*output)(const WinogradOutputArgs& args);
};

struct WinogradKernels {
  WinogradTransforms of2, of4, of6;

  const WinogradTransforms& Of(int out) const { return out == 2 ? of2 : out == 4 ? of4 : of6; }
};

#define FERRY_WINOGRAD(isa) extern const WinogradKernels kWinograd##isa;
#include "device-runtime/kernels/winograd/list.inc"
#undef FERRY_WINOGRAD

}  // namespace ferry::kernels
