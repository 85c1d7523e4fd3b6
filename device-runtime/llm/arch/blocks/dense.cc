// Feed-forward: down(activation(gate x) * up x), or down(activation(up x)).
#include "device-runtime/llm/arch/blocks/pieces.h"

namespace ferry::llm {
namespace {

class DenseBlock final : public Block {
 public:
  explicit DenseBlock(const BlockParts& parts) : d_(parts.layer.dense) {
    if (d_.fused) {
      up_ = FindProduct(parts, d_.all, d_.bias);
    } else {
      if (d_.gated) gate_ = FindProduct(parts, d_.gate, d_.bias);
      up_ = FindProduct(parts, d_.up, d_.bias);
    }
    down_ = FindProduct(parts, d_.down, d_.bias);
  }

  int64_t scratch() const override { return d_.gated ? 2 * d_.width : d_.width; }

  int64_t quantized_bytes() const override { return MostQuantizedBytes({&gate_, &up_, &down_}); }

  void Run(const Rows& rows, const float* in, const float* add, float* out) const override {
    Scratch scratch(rows);
    if (!d_.gated) {
      float* up = scratch.Take(d_.width);
      up_.Run(rows, in, nullptr, up);
      ActivateRows(rows, d_.activation, d_.width, d_.width, up);
      return down_.Run(rows, up, add, out);
    }
    if (d_.fused) {
      const int64_t both = 2 * d_.width;
      float* gate = scratch.Take(both);
      up_.Run(rows, in, nullptr, gate);
      GateRows(rows, d_.activation, {gate, gate + d_.width, gate, both, both, both, d_.width});
      return down_.Run(rows, gate, add, out, 0, both);
    }
    float* gate = scratch.Take(d_.width);
    float* up = scratch.Take(d_.width);
    Input input(rows, in, gate_.weights.columns());
    gate_.Run(rows, input, nullptr, gate);
    up_.Run(rows, input, nullptr, up);
    GateRows(rows, d_.activation, {gate, up, gate, d_.width, d_.width, d_.width, d_.width});
    down_.Run(rows, gate, add, out);
  }

 private:
  const DensePart d_;
  Product gate_, up_, down_;  // fused: up_ has both
};

}  // namespace

std::unique_ptr<Block> MakeDenseBlock(const BlockParts& parts) {
  return std::make_unique<DenseBlock>(parts);
}

}  // namespace ferry::llm
