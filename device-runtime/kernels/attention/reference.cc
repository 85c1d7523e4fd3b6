#include <cmath>

#include "device-runtime/kernels/attention/kernels.h"
#include "device-runtime/kernels/attention/page.h"

namespace ferry::kernels {
namespace {

// One head of one row, position by position.
void AttendHead(const AttendArgs& t, int64_t row, int64_t h) {
  const float* query = t.query + row * t.query_stride + h * t.head_dim;
  float* out = t.out + row * t.out_stride + h * t.value_dim;
  const bool shared = t.layout->values.dim == 0;
  float key[kMaxAttendDim];
  float value[kMaxAttendDim];
  float max = t.sinks == nullptr ? -HUGE_VALF : t.sinks[h];
  float total = t.sinks == nullptr ? 0.0f : 1.0f;
  for (int64_t d = 0; d < t.value_dim; ++d) out[d] = 0.0f;
  const int64_t end = EndSeen(t, row);
  for (int64_t at = FirstSeen(t, row); at < end; ++at) {
    const uint8_t* page = t.pages[at / kPagePositions];
    ReadKv(t.layout->keys, t.head, at % kPagePositions, page, key);
    if (!shared) ReadKv(t.layout->values, t.head, at % kPagePositions, page, value);
    float score = 0;
    for (int64_t d = 0; d < t.head_dim; ++d) score += query[d] * key[d];
    score *= t.scale;
    if (t.cap > 0) score = t.cap * std::tanh(score / t.cap);
    if (t.slopes != nullptr) score -= t.slopes[h] * static_cast<float>(end - 1 - at);
    if (score > max) {
      const float shrink = std::exp(max - score);
      max = score;
      total *= shrink;
      for (int64_t d = 0; d < t.value_dim; ++d) out[d] *= shrink;
    }
    const float weight = std::exp(score - max);
    total += weight;
    const float* from = shared ? key : value;
    for (int64_t d = 0; d < t.value_dim; ++d) out[d] += weight * from[d];
  }
  for (int64_t d = 0; d < t.value_dim; ++d) out[d] /= total;
}

void AttendRows(const AttendArgs& t) {
  for (int64_t row = 0; row < t.rows; ++row) {
    for (int64_t h = 0; h < t.heads; ++h) AttendHead(t, row, h);
  }
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

const AttentionKernels kAttentionReference = {AttendRows, Weigh, ScaleRow};

}  // namespace ferry::kernels
