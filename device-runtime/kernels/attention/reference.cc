#include <cmath>

#include "device-runtime/kernels/attention/kernels.h"
#include "device-runtime/kernels/attention/page.h"

namespace ferry::kernels {
namespace {

constexpr int kLanes = 16;  // sums side by side: what compilers turn into vectors

float Dot(const float* a, const float* b, int64_t count) {
  float sum[kLanes] = {};
  int64_t k = 0;
  for (; k + kLanes <= count; k += kLanes) {
    for (int i = 0; i < kLanes; ++i) sum[i] += a[k + i] * b[k + i];
  }
  for (int i = 0; k + i < count; ++i) sum[i] += a[k + i] * b[k + i];
  for (int half = kLanes / 2; half > 0; half /= 2) {
    for (int i = 0; i < half; ++i) sum[i] += sum[i + half];
  }
  return sum[0];
}

void AttendHead(const AttendArgs& t, int64_t h) {
  const float* query = t.query + h * t.head_dim;
  float* out = t.out + h * t.value_dim;
  float max = t.sinks == nullptr ? -HUGE_VALF : t.sinks[h];
  float total = t.sinks == nullptr ? 0.0f : 1.0f;
  for (int64_t d = 0; d < t.value_dim; ++d) out[d] = 0.0f;
  for (int64_t begin = t.first; begin < t.length;) {
    const float* page = t.pages[begin / kPagePositions];
    const int64_t skip = begin % kPagePositions;
    const int64_t rest = t.length - begin;
    const int64_t count = rest < kPagePositions - skip ? rest : kPagePositions - skip;
    float weights[kPagePositions];
    float page_max = max;
    for (int64_t i = 0; i < count; ++i) {
      const float* key = page + t.keys + (skip + i) * t.head_dim;
      weights[i] = t.scale * Dot(query, key, t.head_dim);
      if (t.cap > 0) weights[i] = t.cap * std::tanh(weights[i] / t.cap);
      if (t.slopes != nullptr) {
        weights[i] -= t.slopes[h] * static_cast<float>(t.length - 1 - begin - i);
      }
      page_max = weights[i] > page_max ? weights[i] : page_max;
    }
    const float shrink = std::exp(max - page_max);
    max = page_max;
    total *= shrink;
    for (int64_t d = 0; d < t.value_dim; ++d) out[d] *= shrink;
    for (int64_t i = 0; i < count; ++i) {
      const float weight = std::exp(weights[i] - max);
      const float* value = page + t.values + (skip + i) * t.value_stride;
      total += weight;
      for (int64_t d = 0; d < t.value_dim; ++d) out[d] += weight * value[d];
    }
    begin += count;
  }
  for (int64_t d = 0; d < t.value_dim; ++d) out[d] /= total;
}

void AttendHeads(const AttendArgs& t) {
  for (int64_t h = 0; h < t.heads; ++h) AttendHead(t, h);
}

void WeighRow(const WeighArgs& t, int64_t row) {
  float* x = t.scores + row * t.stride;
  float max = t.max[row];
  for (int64_t i = 0; i < t.keys; ++i) {
    x[i] *= t.scale;
    for (const WeighArgs::Bias& bias : t.bias) {
      if (bias.data != nullptr) x[i] += bias.data[row * bias.row + i * bias.column];
    }
    max = x[i] > max ? x[i] : max;
  }
  float sum = 0.0f;
  for (int64_t i = 0; i < t.keys; ++i) {
    x[i] = std::exp(x[i] - max);
    sum += x[i];
  }
  t.shrink[row] = std::exp(t.max[row] - max);
  t.max[row] = max;
  t.total[row] = t.total[row] * t.shrink[row] + sum;
}

void Weigh(const WeighArgs& t) {
  for (int64_t row = 0; row < t.rows; ++row) WeighRow(t, row);
}

void ScaleRow(float factor, int64_t count, float* x) {
  for (int64_t i = 0; i < count; ++i) x[i] *= factor;
}

}  // namespace

const AttentionKernels kAttentionReference = {AttendHeads, Weigh, ScaleRow};

}  // namespace ferry::kernels
