// The pieces that blocks share, each over all rows of a pass. See kernels/rowwise for theirs.
#pragma once

#include <initializer_list>

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

// Rows that products read: quantised once for all of them, the first time that one wants it. One at
// a time lives in a pass: they share the workspace's memory.
class Input {
 public:
  // [rows.count][columns], `stride` floats apart; 0: packed.
  Input(const Rows& rows, const float* x, int64_t columns, int64_t stride = 0)
      : rows_(rows), x_(x), columns_(columns), stride_(stride == 0 ? columns : stride) {}

  const float* x() const { return x_; }
  int64_t stride() const { return stride_; }
  const kernels::QuantizedRows& Quantized(int group);

 private:
  const Rows& rows_;
  const float* x_;
  int64_t columns_, stride_;
  kernels::QuantizedRows quantized_;
};

// A product with a bias.
struct Product {
  Matrix weights;
  const float* bias = nullptr;  // [width()] or null
  bool exact = false;

  int64_t width() const { return weights.rows(); }
  // Of a row of its input in 8 bits; 0: it reads float32.
  int64_t quantized_bytes() const;
  // out = x W^T + bias (+ add, or null); rows are `out_stride` floats apart in out and add; 0:
  // packed.
  void Run(const Rows& rows, Input& x, const float* add, float* out, int64_t out_stride = 0) const;
  // The same of rows that nothing else reads.
  void Run(const Rows& rows, const float* x, const float* add, float* out, int64_t out_stride = 0,
           int64_t x_stride = 0) const;

  // Parts of Run, around the product itself: who watches it sees its input; the bias and what
  // adapters say are added.
  void Show(const Rows& rows, const Input& x) const;
  void Finish(const Rows& rows, const Input& x, float* out, int64_t stride) const;
};
// Several products of the same rows, each to its `out`, packed: what Run does with each, at once
// where their weights allow it.
void RunTogether(const Rows& rows, Input& x, std::initializer_list<const Product*> products,
                 std::initializer_list<float*> outs);
Product FindProduct(const BlockParts& parts, std::string_view name, bool bias = false);
// The most of some products.
int64_t MostQuantizedBytes(std::initializer_list<const Product*> products);

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

// gate[i] = activation(gate x) * (up x), [count][gate.width()]; `room` of the same size is written
// to where the two products do not go through the activation together.
void RunGated(const Rows& rows, ActivationKind activation, const Product& gate, const Product& up,
              const float* in, float* out, float* room);

// Results of attention, `width` numbers of each row, from caches that keep their numbers spread
// (kernels::KvLayout); the rows are those of the workspace.
void SpreadBack(const Rows& rows, float* results, int64_t width);

float Sigmoid(float x);
// Turns the first `dims` numbers of a head. Neighbours that turn together end up as halves: the
// order of a head's numbers is the same for queries and keys, which is all that products need.
void Turn(const kernels::KernelTable& table, RotaryForm form, const float* cosines,
          const float* sines, int64_t dims, float* head);

}  // namespace ferry::llm
