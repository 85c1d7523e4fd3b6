// The matrices of F(m x m, 3x3), made from points (Toom and Cook's construction, as in Lavin and
// Gray): with polynomials through the points p and one at infinity,
//   A^T[i][j] = p_j^i,  G[j][k] = p_j^k / N_j,  B^T[j] = the coefficients of M_j,
//   M_j(x) = product over l != j of (x - p_l),  N_j = M_j(p_j).
// All but G are exact in float32.
#pragma once

#include "device-runtime/kernels/winograd/kernels.h"

namespace ferry::kernels {

// Small ones of both signs first: they grow the least. kMaxWinogradIn - 1 are used at most.
inline constexpr double kWinogradPoints[kMaxWinogradIn - 1] = {0, 1, -1, 2, -2, 0.5, -0.5};

template <int kOut>
struct WinogradMatrices {
  static constexpr int kIn = kOut + 2;
  double a[kOut][kIn] = {};  // A^T
  double b[kIn][kIn] = {};   // B^T
  double g[kIn][3] = {};     // G

  constexpr WinogradMatrices() {
    for (int j = 0; j < kIn - 1; ++j) {
      double norm = 1;
      b[j][0] = 1;
      for (int l = 0; l < kIn - 1; ++l) {
        if (l == j) continue;
        MultiplyBy(kWinogradPoints[l], b[j]);
        norm *= kWinogradPoints[j] - kWinogradPoints[l];
      }
      double power = 1;
      for (int i = 0; i < kIn; ++i, power *= kWinogradPoints[j]) {
        if (i < kOut) a[i][j] = power;
        if (i < 3) g[j][i] = power / norm;
      }
    }
    b[kIn - 1][0] = 1;
    for (int l = 0; l < kIn - 1; ++l) MultiplyBy(kWinogradPoints[l], b[kIn - 1]);
    a[kOut - 1][kIn - 1] = 1;
    g[kIn - 1][2] = 1;
  }

 private:
  // The polynomial times (x - root).
  static constexpr void MultiplyBy(double root, double (&polynomial)[kIn]) {
    for (int i = kIn - 1; i > 0; --i) polynomial[i] = polynomial[i - 1] - root * polynomial[i];
    polynomial[0] *= -root;
  }
};

}  // namespace ferry::kernels
