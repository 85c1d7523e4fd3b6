#include <cmath>
#include <limits>

#include "device-runtime/kernels/reduce/kernels.h"

namespace ferry::kernels {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

float JoinSum(float a, float x) {
  return a + x;
}
float JoinSumSquare(float a, float x) {
  return a + x * x;
}
float JoinSumAbs(float a, float x) {
  return a + std::fabs(x);
}
float JoinProd(float a, float x) {
  return a * x;
}
float JoinMax(float a, float x) {
  return a > x || std::isnan(a) ? a : x;  // NaN if there is one
}
float JoinMin(float a, float x) {
  return a < x || std::isnan(a) ? a : x;
}

template <float (*kJoin)(float, float)>
float Strided(float start, int64_t size, int64_t stride, const float* x) {
  for (int64_t i = 0; i < size; ++i) start = kJoin(start, x[i * stride]);
  return start;
}

#define FERRY_DEFINE(name, start)                                                               \
  float Row##name(int64_t size, const float* x) {                                               \
    return Strided<Join##name>(start, size, 1, x);                                              \
  }                                                                                             \
  void Columns##name(int64_t size, int64_t stride, int64_t columns, const float* x, float* y) { \
    for (int64_t c = 0; c < columns; ++c) {                                                     \
      y[c] = Strided<Join##name>(start, size, stride, x + c);                                   \
    }                                                                                           \
  }
FERRY_DEFINE(Sum, 0.0f)
FERRY_DEFINE(SumSquare, 0.0f)
FERRY_DEFINE(SumAbs, 0.0f)
FERRY_DEFINE(Prod, 1.0f)
FERRY_DEFINE(Max, -kInfinity)
FERRY_DEFINE(Min, kInfinity)
#undef FERRY_DEFINE

}  // namespace

const ReduceKernels kReduceReference = {
    {RowSum, ColumnsSum},       {RowSumSquare, ColumnsSumSquare},
    {RowSumAbs, ColumnsSumAbs}, {RowProd, ColumnsProd},
    {RowMax, ColumnsMax},       {RowMin, ColumnsMin}};

}  // namespace ferry::kernels
