// Gated short convolution: (b, c, x) = in; out(c * convolution(b * x)). The cache keeps b * x of
// each position as a key, so that any position can be gone back to.
#include <algorithm>

#include "device-runtime/kernels/attention/page.h"
#include "device-runtime/kernels/parallel.h"
#include "device-runtime/llm/arch/blocks/pieces.h"
#include "device-runtime/llm/kv/kv_cache.h"

namespace ferry::llm {
namespace {

class ConvolutionBlock final : public Block {
 public:
  explicit ConvolutionBlock(const BlockParts& parts)
      : c_(parts.layer.convolution),
        layer_(parts.index),
        hidden_(parts.description.hidden),
        in_(FindProduct(parts, c_.in, c_.bias)),
        out_(FindProduct(parts, c_.out, c_.bias)),
        bias_(parts.Bias(c_.weights, c_.bias)) {
    // [kernel][hidden], so that channels lie side by side.
    const Matrix stored = parts.Matrix(c_.weights);
    std::vector<float> row(static_cast<size_t>(c_.kernel));
    weights_.resize(static_cast<size_t>(c_.kernel * hidden_));
    for (int64_t channel = 0; channel < hidden_; ++channel) {
      WidenRow(stored, channel, row.data());
      for (int64_t k = 0; k < c_.kernel; ++k) {
        weights_[static_cast<size_t>(k * hidden_ + channel)] = row[static_cast<size_t>(k)];
      }
    }
  }

  int64_t scratch() const override { return 4 * hidden_; }
  int64_t quantized_bytes() const override { return MostQuantizedBytes({&in_, &out_}); }
  KvLayer kv() const override {
    return {.heads = 1, .key_dim = hidden_, .window = c_.kernel, .exact = true};
  }

  void Run(const Rows& rows, const float* in, const float* add, float* out) const override {
    Scratch scratch(rows);
    float* parts = scratch.Take(3 * hidden_);
    float* mixed = scratch.Take(hidden_);
    in_.Run(rows, in, nullptr, parts);
    for (int64_t row = 0; row < rows.count; ++row) {
      const float* b = parts + row * 3 * hidden_;
      const float* x = b + 2 * hidden_;
      float* kept = Kept(rows, row);
      for (int64_t i = 0; i < hidden_; ++i) kept[i] = b[i] * x[i];
    }
    kernels::ForPieces(
        rows.pass.parallel, rows.count, c_.kernel * hidden_, [&](int64_t begin, int64_t end) {
          for (int64_t row = begin; row < end; ++row) {
            Mix(rows, row, parts + row * 3 * hidden_ + hidden_, mixed + row * hidden_);
          }
        });
    out_.Run(rows, mixed, add, out);
  }

 private:
  float* Kept(const Rows& rows, int64_t row) const {
    const RowPlace& place = rows.pass.workspace.places[row];
    return rows.pass.chunks[static_cast<size_t>(place.chunk)].kv->row(layer_, place.position);
  }

  void Mix(const Rows& rows, int64_t row, const float* c, float* out) const {
    const RowPlace& place = rows.pass.workspace.places[row];
    KvSequence& kv = *rows.pass.chunks[static_cast<size_t>(place.chunk)].kv;
    if (bias_ == nullptr) {
      std::fill_n(out, hidden_, 0.0f);
    } else {
      std::copy_n(bias_, hidden_, out);
    }
    for (int64_t k = 0; k < c_.kernel; ++k) {
      const int64_t position = place.position - (c_.kernel - 1) + k;
      if (position < 0) continue;
      const float* kept = kv.row(layer_, position);
      const float* weight = weights_.data() + k * hidden_;
      for (int64_t i = 0; i < hidden_; ++i) out[i] += weight[i] * kept[i];
    }
    for (int64_t i = 0; i < hidden_; ++i) out[i] *= c[i];
  }

  const ConvolutionPart c_;
  const int64_t layer_;
  const int64_t hidden_;
  const Product in_, out_;
  const float* bias_;
  std::vector<float> weights_;
};

}  // namespace

std::unique_ptr<Block> MakeConvolutionBlock(const BlockParts& parts) {
  return std::make_unique<ConvolutionBlock>(parts);
}

}  // namespace ferry::llm
