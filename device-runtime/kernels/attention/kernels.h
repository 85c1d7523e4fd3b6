// What an attention file of one instruction set provides: query rows over one kv head of pages, and
// the softmax of a block of scores.
#pragma once

#include <cstdint>

#include "device-runtime/kernels/attention/page.h"

namespace ferry::kernels {

// Query rows, each with `heads` query heads that share the kv
// head `head` of the pages: head_dim floats apart in query and value_dim in out, rows
// `query_stride` and `out_stride` apart.
struct AttendArgs {
  const float* query;
  float* out;
  int64_t query_stride;
  int64_t out_stride;
  int64_t rows;
  int64_t heads;
  int64_t head_dim;
  int64_t value_dim;
  float scale;
  float cap;            // 0: none
  const float* slopes;  // [heads] or null
  const float* sinks;   // [heads] or null
  int64_t window;       // 0: none
  const uint8_t* const* pages;
  const KvLayout* layout;
  int64_t head;
  int64_t length;  // positions that the first row sees
  int64_t growth;  // each row sees so many more than that before it: 1, or all see the same, 0
};

// The first position that row `row` sees, and the one behind its last.
constexpr int64_t FirstSeen(const AttendArgs& t, int64_t row) {
  const int64_t first = t.length + row * t.growth - t.window;
  return t.window > 0 && first > 0 ? first : 0;
}
constexpr int64_t EndSeen(const AttendArgs& t, int64_t row) {
  return t.length + row * t.growth;
}

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

inline constexpr int64_t kAttendStates = 64;
// Numbers of a key or value; a latent row has its rank and its rotary numbers.
inline constexpr int64_t kMaxAttendDim = 8192;

struct AttentionKernels {
  // At most kAttendStates heads of all rows together.
  void (*attend)(const AttendArgs&);
  void (*weigh)(const WeighArgs&);
  void (*scale)(float factor, int64_t count, float* x);
};

#define FERRY_ATTENTION(isa) extern const AttentionKernels kAttention##isa;
#include "device-runtime/kernels/attention/list.inc"
#undef FERRY_ATTENTION

}  // namespace ferry::kernels
