// What an attention file of one instruction set provides: one query row over one kv head.
#pragma once

#include <cstdint>

namespace ferry::kernels {

// `heads` query heads that share a kv head, head_dim floats apart in query and out. Keys of the
// position i of a page start at keys + i * head_dim floats of the page, values at values + the
// same.
struct AttendArgs {
  const float* query;
  float* out;
  int64_t heads;
  int64_t head_dim;
  float scale;
  const float* const* pages;
  int64_t keys;
  int64_t values;
  int64_t length;  // positions, at least 1
};

struct AttentionKernels {
  void (*attend)(const AttendArgs&);
};

#define FERRY_ATTENTION(isa) extern const AttentionKernels kAttention##isa;
#include "device-runtime/kernels/attention/list.inc"
#undef FERRY_ATTENTION

}  // namespace ferry::kernels
