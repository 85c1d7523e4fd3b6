// What an attention file of one instruction set provides: one query row over one kv head of pages,
// and the softmax of a block of scores.
#pragma once

#include <cstdint>

namespace ferry::kernels {

// `heads` query heads that share a kv head, head_dim floats apart in query and value_dim in out.
// Keys of the position i of a page start at keys + i * head_dim floats of the page, values at
// values + i * value_stride.
struct AttendArgs {
  const float* query;
  float* out;
  int64_t heads;
  int64_t head_dim;
  int64_t value_dim;
  int64_t value_stride;
  float scale;
  float cap;            // 0: none
  const float* slopes;  // [heads] or null
  const float* sinks;   // [heads] or null
  const float* const* pages;
  int64_t keys;
  int64_t values;
  int64_t first;   // the first position that is seen
  int64_t length;  // positions, above `first`
};

// Scores of `rows` queries with a block of keys, rows `stride` floats apart, become weights: of
// each row x = scale * x + bias + bias', then max rises to the row's largest, x = exp(x - max), and
// total = total * shrink + sum(x) where shrink = exp(old max - max). max starts at the lowest
// float.
struct WeighArgs {
  float* scores;
  int64_t rows;
  int64_t keys;
  int64_t stride;
  float scale;
  struct Bias {
    const float* data;  // or null
    int64_t row, column;
  } bias[2];
  float* max;  // of each row
  float* total;
  float* shrink;  // given back
};

struct AttentionKernels {
  void (*attend)(const AttendArgs&);
  void (*weigh)(const WeighArgs&);
  void (*scale)(float factor, int64_t count, float* x);
};

#define FERRY_ATTENTION(isa) extern const AttentionKernels kAttention##isa;
#include "device-runtime/kernels/attention/list.inc"
#undef FERRY_ATTENTION

}  // namespace ferry::kernels
