// Linear attention with a decaying, self-correcting memory. Source: ONNX operator LinearAttention.
#pragma once

#include "common/sys/executor.h"
#include "device-runtime/kernels/table.h"

namespace ferry::kernels {

struct LinearAttentionShape {
  int64_t batch = 0, length = 0, query_heads = 0, heads = 0, key = 0, value = 0;
  bool decays = false, decay_of_head = false;  // one number a head, else one a key row
  bool corrects = false, one_beta = false;     // the delta rule; one beta for all heads
  float scale = 1;
};
struct LinearAttentionInputs {
  const float* query;  // [batch, length, query_heads, key]
  const float* key;    // [batch, length, heads, key]
  const float* value;  // [batch, length, heads, value]
  const float* past;   // [batch, heads, key, value], or null: zeros
  const float* decay;
  const float* beta;
};

// y [batch, length, query_heads, value]; state [batch, heads, key, value] at the end. `room` holds
// batch * heads * value floats.
void LinearAttention(sys::Parallel& parallel, const LinearAttentionShape& shape,
                     const LinearAttentionInputs& in, float* y, float* state, float* room);

}  // namespace ferry::kernels
