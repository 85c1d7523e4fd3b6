#include "device-runtime/kernels/winograd/kernels.h"

namespace ferry::kernels {
namespace {

constexpr float kInput[6][6] = {{4, 0, -5, 0, 1, 0},  {0, -4, -4, 1, 1, 0}, {0, 4, -4, -1, 1, 0},
                                {0, -2, -1, 2, 1, 0}, {0, 2, -1, -2, 1, 0}, {0, 4, 0, -5, 0, 1}};
constexpr float kOutput[4][6] = {
    {1, 1, 1, 1, 1, 0}, {0, 1, -1, 2, -2, 0}, {0, 1, 1, 4, 4, 0}, {0, 1, -1, 8, -8, 1}};

// out[rows][rows] = matrix[rows][6] * in[6][6] * matrix^T.
template <int kRows>
void BothSides(const float (&matrix)[kRows][6], const float (&in)[6][6],
               float (&out)[kRows][kRows]) {
  float half[kRows][6] = {};
  for (int i = 0; i < kRows; ++i) {
    for (int j = 0; j < 6; ++j) {
      for (int k = 0; k < 6; ++k) half[i][j] += matrix[i][k] * in[k][j];
    }
  }
  for (int i = 0; i < kRows; ++i) {
    for (int j = 0; j < kRows; ++j) {
      out[i][j] = 0.0f;
      for (int k = 0; k < 6; ++k) out[i][j] += half[i][k] * matrix[j][k];
    }
  }
}

void WinogradInput(const float* const* pixels, int64_t channels, int64_t point_stride, float* out) {
  for (int64_t c = 0; c < channels; ++c) {
    float d[6][6];
    for (int i = 0; i < kWinogradPoints; ++i) d[i / 6][i % 6] = pixels[i][c];
    float v[6][6];
    BothSides(kInput, d, v);
    for (int i = 0; i < kWinogradPoints; ++i) out[i * point_stride + c] = v[i / 6][i % 6];
  }
}

void WinogradOutput(const WinogradOutputArgs& t) {
  for (int64_t c = 0; c < t.channels; ++c) {
    float m[6][6];
    for (int i = 0; i < kWinogradPoints; ++i) m[i / 6][i % 6] = t.in[i * t.point_stride + c];
    float y[4][4];
    BothSides(kOutput, m, y);
    for (int i = 0; i < 16; ++i) {
      if (t.out[i] == nullptr) continue;
      float x = y[i / 4][i % 4];
      if (t.bias != nullptr) x += t.bias[c];
      if (t.add != nullptr) x += t.add[i][c];
      x = x < t.low ? t.low : x;
      t.out[i][c] = x > t.high ? t.high : x;
    }
  }
}

}  // namespace

const WinogradKernels kWinogradReference = {WinogradInput, WinogradOutput};

}  // namespace ferry::kernels
