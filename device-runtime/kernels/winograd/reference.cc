#include "device-runtime/kernels/winograd/kernels.h"
#include "device-runtime/kernels/winograd/points.h"

namespace ferry::kernels {
namespace {

// out[rows][rows] = matrix[rows][size] * in[size][size] * matrix^T.
template <int kRows, int kSize>
void BothSides(const double (&matrix)[kRows][kSize], const float (&in)[kSize][kSize],
               float (&out)[kRows][kRows]) {
  float half[kRows][kSize] = {};
  for (int i = 0; i < kRows; ++i) {
    for (int j = 0; j < kSize; ++j) {
      for (int k = 0; k < kSize; ++k) half[i][j] += static_cast<float>(matrix[i][k]) * in[k][j];
    }
  }
  for (int i = 0; i < kRows; ++i) {
    for (int j = 0; j < kRows; ++j) {
      out[i][j] = 0.0f;
      for (int k = 0; k < kSize; ++k) out[i][j] += half[i][k] * static_cast<float>(matrix[j][k]);
    }
  }
}

template <int kOut>
void Input(const float* const* pixels, int64_t channels, int64_t point_stride, float* out) {
  static constexpr WinogradMatrices<kOut> kMatrices;
  constexpr int kIn = kOut + 2;
  for (int64_t c = 0; c < channels; ++c) {
    float d[kIn][kIn];
    for (int i = 0; i < kIn * kIn; ++i) d[i / kIn][i % kIn] = pixels[i][c];
    float v[kIn][kIn];
    BothSides(kMatrices.b, d, v);
    for (int i = 0; i < kIn * kIn; ++i) out[i * point_stride + c] = v[i / kIn][i % kIn];
  }
}

template <int kOut>
void OutputTile(const WinogradOutputArgs& t) {
  static constexpr WinogradMatrices<kOut> kMatrices;
  constexpr int kIn = kOut + 2;
  for (int64_t c = 0; c < t.channels; ++c) {
    float m[kIn][kIn];
    for (int i = 0; i < kIn * kIn; ++i) m[i / kIn][i % kIn] = t.in[i * t.point_stride + c];
    float y[kOut][kOut];
    BothSides(kMatrices.a, m, y);
    for (int i = 0; i < kOut * kOut; ++i) {
      if (t.out[i] == nullptr) continue;
      float x = y[i / kOut][i % kOut];
      if (t.bias != nullptr) x += t.bias[c];
      if (t.add != nullptr) x += t.add[i][c];
      x = x < t.low ? t.low : x;
      t.out[i][c] = x > t.high ? t.high : x;
    }
  }
}

}  // namespace

const WinogradKernels kWinogradReference = {
    {Input<2>, OutputTile<2>}, {Input<4>, OutputTile<4>}, {Input<6>, OutputTile<6>}};

}  // namespace ferry::kernels
