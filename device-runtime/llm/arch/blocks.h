// The pieces that transformer blocks are built of, each over all rows of a forward pass. See
// kernels/rowwise and kernels/attention for theirs.
#pragma once

#include "device-runtime/kernels/table.h"
#include "device-runtime/llm/arch/network.h"
#include "device-runtime/llm/workspace.h"

namespace ferry::llm {

// How rows of a pass are worked on: `rows` tokens of all chunks, one after another.
struct Rows {
  const kernels::KernelTable& table;
  const ForwardPass& pass;
  int64_t count = 0;
};

// Fills workspace.places from the chunks.
Rows PlaceRows(const kernels::KernelTable& table, const ForwardPass& pass, int64_t vocabulary);
// Adds the chunks' tokens to their sequences' lengths.
void AdvanceSequences(const ForwardPass& pass);

// stream = the tokens' rows of `embedding`.
void EmbedRows(const Rows& rows, const kernels::WeightMatrix& embedding);
// Rotary angles of the rows' positions: angle i = position * inverse_frequencies[i], all float32.
void RotaryRows(const Rows& rows, const float* inverse_frequencies, int64_t count);
// 1 / theta^(2 i / head_dim) for i in [0, head_dim / 2), in float32.
std::vector<float> InverseFrequencies(double theta, int64_t head_dim);
// out = RMSNorm of each row of x, [count][width].
void NormRows(const Rows& rows, const float* x, const float* weight, float eps, int64_t width,
              float* out);
// out = x W^T (+ add, or null), rows packed.
void LinearRows(const Rows& rows, const kernels::WeightMatrix& w, const float* x, const float* add,
                float* out);

// Attention with rotary positions over the paged cache: reads workspace.queries, keys and values,
// stores keys and values in the cache, writes workspace.mixed.
struct RotaryAttention {
  kernels::AttentionShape shape;
  float norm_eps = 0;
  const float* query_norm = nullptr;  // [head_dim]; null: none
  const float* key_norm = nullptr;
};
void AttendRows(const Rows& rows, const RotaryAttention& attention, int64_t layer);

// stream += down (silu(gate x) * (up x)) of x = workspace.normed.
struct GatedFfn {
  kernels::WeightMatrix gate, up, down;
};
void FfnRows(const Rows& rows, const GatedFfn& ffn);

// Final norm and vocabulary product, for the rows whose logits are wanted only.
void LogitRows(const Rows& rows, const float* norm, float eps, const kernels::WeightMatrix& head);

}  // namespace ferry::llm
