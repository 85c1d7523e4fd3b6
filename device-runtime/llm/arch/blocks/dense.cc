// Feed-forward: down(activation(gate x) * up x), or down(activation(up x)).
#include "device-runtime/llm/arch/blocks/pieces.h"

namespace ferry::llm {
namespace {

class DenseBlock final : public Block {
 public:
  explicit DenseBlock(const BlockParts& parts) : d_(parts.layer.dense) {
    if (d_.fused) {
      up_ = FindProduct(parts, d_.all, d_.bias);
      // Adapters and who watches products know the whole matrix alone.
      if (up_.weights.is_packed() && up_.bias == nullptr &&
          d_.width % kernels::kPackedTileRows == 0) {
        first_ = {RowsOf(up_.weights, 0, d_.width), nullptr, up_.exact};
        second_ = {RowsOf(up_.weights, d_.width, d_.width), nullptr, up_.exact};
      }
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
      if (first_.weights.present() && !rows.adapted && rows.pass.workspace.observer == nullptr) {
        RunGated(rows, d_.activation, first_, second_, in, gate, gate + rows.count * d_.width);
        return down_.Run(rows, gate, add, out);
      }
      up_.Run(rows, in, nullptr, gate);
      GateRows(rows, d_.activation, {gate, gate + d_.width, gate, both, both, both, d_.width});
      return down_.Run(rows, gate, add, out, 0, both);
    }
    float* gate = scratch.Take(d_.width);
    float* up = scratch.Take(d_.width);
    RunGated(rows, d_.activation, gate_, up_, in, gate, up);
    down_.Run(rows, gate, add, out);
  }

 private:
  const DensePart d_;
  Product gate_, up_, down_;  // fused: up_ has both
  Product first_, second_;    // of these, where each is whole tiles
};

}  // namespace

std::unique_ptr<Block> MakeDenseBlock(const BlockParts& parts) {
  return std::make_unique<DenseBlock>(parts);
}

}  // namespace ferry::llm
