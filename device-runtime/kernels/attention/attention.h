// Causal attention of query rows over a paged KV cache, in float32 whatever the cache keeps.
// Source: softmax in one pass after Milakov and Gimelshein, "Online normalizer calculation for
// softmax" (2018); blocks of queries after Dao et al., "FlashAttention" (2022).
//
// Bits: the result of a row depends on its query, on keys and values at positions below its length
// and on the instruction set alone: tiles of pages are walked in order, so that chunking, threads
// and neighbours change nothing.
#pragma once

#include <cstdint>

#include "common/sys/executor.h"
#include "device-runtime/kernels/attention/page.h"
#include "device-runtime/kernels/table.h"

namespace ferry::kernels {

struct AttentionShape {
  int64_t heads = 0;  // a multiple of kv_heads: head h reads kv head h / (heads / kv_heads)
  int64_t kv_heads = 0;
  int64_t head_dim = 0;   // of queries and keys
  int64_t value_dim = 0;  // of values and results; 0: head_dim
  float scale = 1;        // of query-key products, usually 1 / sqrt(head_dim)
  float cap = 0;          // scores become cap * tanh(score / cap); 0: they do not
  int64_t window = 0;     // the last positions that a row sees; 0: all
  // [heads] or null. A score falls by slopes[h] for each position between key and query (ALiBi:
  // Press et al. 2021).
  const float* slopes = nullptr;
  // [heads] or null. A score beside those of the keys, which has no value.
  const float* sinks = nullptr;
};

constexpr int64_t ValueDim(const AttentionShape& shape) {
  return shape.value_dim == 0 ? shape.head_dim : shape.value_dim;
}

// One query row, at the last of its positions. Page p of `pages` has positions [16 p, 16 p + 16) of
// one layer, as `layout` says. Pages wholly before the window are not read.
struct AttentionRow {
  const float* query = nullptr;  // [heads][head_dim]
  float* out = nullptr;          // [heads][value_dim]
  const uint8_t* const* pages = nullptr;
  const KvLayout* layout = nullptr;
  int64_t length = 0;  // positions it sees, at least 1
};

void Attention(const KernelTable& table, sys::Parallel& parallel, const AttentionShape& shape,
               const AttentionRow* rows, int64_t count);

}  // namespace ferry::kernels
