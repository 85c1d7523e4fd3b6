// The pieces that blocks share, each over all rows of a pass. See kernels/rowwise for theirs.
#pragma once

#include "device-runtime/llm/arch/blocks/block.h"

namespace ferry::llm {

// Cuts a block's scratch, one area after another.
class Scratch {
 public:
  explicit Scratch(const Rows& rows) : rows_(rows), at_(rows.pass.workspace.scratch) {}
  // [rows.count][floats]
  float* Take(int64_t floats) {
    float* area = at_;
    at_ += rows_.count * floats;
    return area;
  }

 private:
  const Rows& rows_;
  float* at_;
};

// The weights of a norm; weight null: there is none.
struct NormWeights {
  NormKind kind = NormKind::kRms;
  const float* weight = nullptr;
  const float* bias = nullptr;
  float eps = 0;

  bool present() const { return weight != nullptr; }
  // Of one row; out may be x.
  void Row(const kernels::KernelTable& table, const float* x, int64_t width, float* out) const;
  // Of rows [count][width].
  void Run(const Rows& rows, const float* x, int64_t width, float* out) const;
};
// The norm `name` of a layer; empty: none.
NormWeights FindNorm(const BlockParts& parts, std::string_view name);

// A product with a bias.
struct Product {
  kernels::WeightMatrix weights;
  const float* bias = nullptr;  // [weights.rows] or null

  int64_t width() const { return weights.rows; }
  // out = x W^T + bias (+ add, or null); rows are `out_stride` floats apart in out and add, and x
  // is packed unless it says otherwise. 0: packed.
  void Run(const Rows& rows, const float* x, const float* add, float* out, int64_t out_stride = 0,
           int64_t x_stride = 0) const;
};
Product FindProduct(const BlockParts& parts, std::string_view name, bool bias = false);

// x = activation(x) for [count][width] rows of stride `stride`.
void ActivateRows(const Rows& rows, ActivationKind activation, int64_t width, int64_t stride,
                  float* x);
// out[i] = activation(gate[i]) * up[i]; rows of gate, up and out have their strides.
struct GatedRows {
  const float* gate;
  const float* up;
  float* out;
  int64_t gate_stride, up_stride, out_stride, width;
};
void GateRows(const Rows& rows, ActivationKind activation, const GatedRows& gated);

float Sigmoid(float x);
// Turns the first `dims` numbers of a head. Neighbours that turn together end up as halves: the
// order of a head's numbers is the same for queries and keys, which is all that products need.
void Turn(const kernels::KernelTable& table, RotaryForm form, const float* cosines,
          const float* sines, int64_t dims, float* head);

}  // namespace ferry::llm
