// The gated delta rule: each head has a matrix of keys and values that decays, is corrected towards
// each new value and read by the query. Source: Yang et al., "Gated Delta Networks" (2024), with
// the short convolution, norms and gate of Hugging Face's Qwen3Next.
#include <algorithm>
#include <cmath>

#include "device-runtime/kernels/parallel.h"
#include "device-runtime/llm/arch/blocks/pieces.h"
#include "device-runtime/llm/kv/kv_cache.h"
#include "device-runtime/llm/kv/recurrent_state.h"

namespace ferry::llm {
namespace {

constexpr float kLengthEps = 1e-6f;  // of queries' and keys' lengths

float Softplus(float x) {
  constexpr float kLinearFrom = 20;  // beyond it the two differ by less than float32 tells
  return x > kLinearFrom ? x : std::log1p(std::exp(x));
}

// To length 1, times `factor`.
void Normalise(int64_t count, float factor, float* x) {
  float sum = 0;
  for (int64_t i = 0; i < count; ++i) sum += x[i] * x[i];
  const float scale = factor / std::sqrt(sum + kLengthEps);
  for (int64_t i = 0; i < count; ++i) x[i] *= scale;
}

// Where the products of a row lie.
struct DeltaInputs {
  const float* mixed;  // separate: [2 keys + values]; fused: [2 keys + 2 values], by key heads
  const float* gate;   // separate
  const float* beta;   // [value_heads]; fused: beta and decay, by key heads
  const float* decay;  // separate
};

class DeltaBlock final : public Block {
 public:
  explicit DeltaBlock(const BlockParts& parts)
      : d_(parts.layer.delta),
        layer_(parts.index),
        share_(d_.value_heads / d_.key_heads),
        out_(FindProduct(parts, d_.out)),
        step_bias_(parts.Vector(d_.step_bias)) {
    if (d_.fused) {
      mixed_ = FindProduct(parts, d_.all);
      beta_ = FindProduct(parts, d_.rates);
    } else {
      mixed_ = FindProduct(parts, d_.mixed);
      gate_ = FindProduct(parts, d_.gate);
      beta_ = FindProduct(parts, d_.beta);
      decay_ = FindProduct(parts, d_.decay);
    }
    norm_ = {NormKind::kRms, parts.Vector(d_.norm), nullptr,
             static_cast<float>(parts.description.norm_eps)};
    const float* a_log = parts.Vector(d_.a_log);
    for (int64_t h = 0; h < d_.value_heads; ++h) rates_.push_back(std::exp(a_log[h]));
    const Matrix taps = parts.Matrix(d_.convolution);
    taps_.resize(static_cast<size_t>(taps.rows() * d_.kernel));
    for (int64_t r = 0; r < taps.rows(); ++r) WidenRow(taps, r, taps_.data() + r * d_.kernel);
  }

  int64_t scratch() const override { return 2 * keys() + 3 * values() + 2 * d_.value_heads; }
  int64_t quantized_bytes() const override {
    return MostQuantizedBytes({&mixed_, &gate_, &beta_, &decay_, &out_});
  }
  KvLayer kv() const override {
    return {.state_floats = d_.value_heads * d_.key_dim * d_.value_dim,
            .input_floats = channels() + 2 * d_.value_heads};
  }

  void Run(const Rows& rows, const float* in, const float* add, float* out) const override {
    Scratch scratch(rows);
    float* mixed = scratch.Take(mixed_.width());
    float* beta = scratch.Take(beta_.width());
    float* gate = d_.fused ? nullptr : scratch.Take(values());
    float* decay = d_.fused ? nullptr : scratch.Take(d_.value_heads);
    float* made = scratch.Take(values());
    Input input(rows, in, mixed_.weights.columns());
    mixed_.Run(rows, input, nullptr, mixed);
    beta_.Run(rows, input, nullptr, beta);
    if (!d_.fused) {
      gate_.Run(rows, input, nullptr, gate);
      decay_.Run(rows, input, nullptr, decay);
    }
    const auto inputs = [&](int64_t row) -> DeltaInputs {
      if (d_.fused)
        return {mixed + row * mixed_.width(), nullptr, beta + row * beta_.width(), nullptr};
      return {mixed + row * mixed_.width(), gate + row * values(), beta + row * d_.value_heads,
              decay + row * d_.value_heads};
    };
    int64_t first = 0;
    for (const Chunk& chunk : rows.pass.chunks) {
      const auto count = static_cast<int64_t>(chunk.tokens.size());
      RunSequence(rows, chunk, first, inputs, made);
      first += count;
    }
    for (int64_t row = 0; row < rows.count; ++row) Finish(rows, inputs(row), made + row * values());
    out_.Run(rows, made, add, out);
  }

 private:
  int64_t keys() const { return d_.key_heads * d_.key_dim; }
  int64_t values() const { return d_.value_heads * d_.value_dim; }
  int64_t channels() const { return 2 * keys() + values(); }

  // Of a key head in the fused product: its query, key, and its value heads' values and gates.
  int64_t group() const { return 2 * d_.key_dim + 2 * share_ * d_.value_dim; }

  // What the cache keeps of a row: channels as the convolution takes them, then beta and the decay
  // of each value head.
  void Keep(const DeltaInputs& from, float* to) const {
    float* beta = to + channels();
    float* decay = beta + d_.value_heads;
    if (d_.fused) {
      for (int64_t g = 0; g < d_.key_heads; ++g) {
        const float* one = from.mixed + g * group();
        const int64_t wide = share_ * d_.value_dim;
        std::copy_n(one, d_.key_dim, to + g * d_.key_dim);
        std::copy_n(one + d_.key_dim, d_.key_dim, to + keys() + g * d_.key_dim);
        std::copy_n(one + 2 * d_.key_dim, wide, to + 2 * keys() + g * wide);
        for (int64_t r = 0; r < share_; ++r) {
          beta[g * share_ + r] = from.beta[g * 2 * share_ + r];
          decay[g * share_ + r] = from.beta[g * 2 * share_ + share_ + r];
        }
      }
    } else {
      std::copy_n(from.mixed, channels(), to);
      std::copy_n(from.beta, d_.value_heads, beta);
      std::copy_n(from.decay, d_.value_heads, decay);
    }
    for (int64_t h = 0; h < d_.value_heads; ++h) {
      const auto at = static_cast<size_t>(h);
      beta[h] = Sigmoid(beta[h]);
      decay[h] = std::exp(-rates_[at] * Softplus(decay[h] + step_bias_[h]));
    }
  }

  template <typename Inputs>
  void RunSequence(const Rows& rows, const Chunk& chunk, int64_t first, const Inputs& inputs,
                   float* made) const {
    RecurrentState& state = *chunk.kv->recurrent();
    const int64_t start = chunk.kv->length();
    const auto count = static_cast<int64_t>(chunk.tokens.size());
    float* out = made + (first - start) * values();  // of position 0
    // Of positions before the chunk only the state is wanted. Inputs are kept for a while only:
    // long chunks go by parts.
    StepAll(rows, state, state.position(), start, nullptr);
    for (int64_t begin = 0; begin < count; begin += kStateReach) {
      const int64_t end = std::min(count, begin + kStateReach);
      for (int64_t i = begin; i < end; ++i) {
        Keep(inputs(first + i), state.input(layer_, start + i));
      }
      StepAll(rows, state, start + begin, start + end, out);
    }
  }

  void StepAll(const Rows& rows, RecurrentState& state, int64_t begin, int64_t end,
               float* out) const {
    if (begin == end) return;
    const int64_t steps = (end - begin) * d_.key_dim * d_.value_dim;
    kernels::ForPieces(rows.pass.parallel, d_.value_heads, steps, [&](int64_t h, int64_t last) {
      float unused[kMaxHeadDim];
      for (; h < last; ++h) {
        for (int64_t p = begin; p < end; ++p) {
          Step(state, h, p, out == nullptr ? unused : out + p * values() + h * d_.value_dim);
        }
      }
    });
  }

  // One channel behind the convolution and its activation.
  float Convolved(RecurrentState& state, int64_t position, int64_t channel) const {
    const float* taps = taps_.data() + channel * d_.kernel;
    float sum = 0;
    for (int64_t k = 0; k < d_.kernel; ++k) {
      const int64_t at = position - (d_.kernel - 1) + k;
      if (at >= 0) sum += taps[k] * state.input(layer_, at)[channel];
    }
    return sum * Sigmoid(sum);
  }

  void Step(RecurrentState& state, int64_t h, int64_t position, float* out) const {
    float query[kMaxHeadDim], key[kMaxHeadDim], change[kMaxHeadDim];
    const int64_t key_head = h / share_;
    for (int64_t i = 0; i < d_.key_dim; ++i) {
      query[i] = Convolved(state, position, key_head * d_.key_dim + i);
      key[i] = Convolved(state, position, keys() + key_head * d_.key_dim + i);
    }
    Normalise(d_.key_dim, 1 / std::sqrt(static_cast<float>(d_.key_dim)), query);
    Normalise(d_.key_dim, 1, key);
    const float* rates = state.input(layer_, position) + channels();
    const float beta = rates[h];
    const float decay = rates[d_.value_heads + h];
    const int64_t width = d_.value_dim;
    float* memory = state.state(layer_) + h * d_.key_dim * width;
    std::fill_n(change, width, 0.0f);
    for (int64_t i = 0; i < d_.key_dim; ++i) {
      float* row = memory + i * width;
      for (int64_t j = 0; j < width; ++j) {
        row[j] *= decay;
        change[j] += row[j] * key[i];
      }
    }
    for (int64_t j = 0; j < width; ++j) {
      const float value = Convolved(state, position, 2 * keys() + h * width + j);
      change[j] = (value - change[j]) * beta;
    }
    std::fill_n(out, width, 0.0f);
    for (int64_t i = 0; i < d_.key_dim; ++i) {
      float* row = memory + i * width;
      for (int64_t j = 0; j < width; ++j) {
        row[j] += key[i] * change[j];
        out[j] += row[j] * query[i];
      }
    }
    if ((position + 1) % kStateReach == 0) {
      const int64_t size = d_.key_dim * width;
      std::copy_n(memory, size, state.saved(layer_, position + 1) + h * size);
    }
  }

  // Norm and gate of one row's heads.
  void Finish(const Rows& rows, const DeltaInputs& from, float* made) const {
    for (int64_t h = 0; h < d_.value_heads; ++h) {
      float* to = made + h * d_.value_dim;
      const float* gate = from.gate + h * d_.value_dim;
      if (d_.fused) {
        gate = from.mixed + h / share_ * group() + 2 * d_.key_dim +
               (share_ + h % share_) * d_.value_dim;
      }
      norm_.Row(rows.table, to, d_.value_dim, to);
      for (int64_t i = 0; i < d_.value_dim; ++i) to[i] *= gate[i] * Sigmoid(gate[i]);
    }
  }

  const DeltaPart d_;
  const int64_t layer_;
  const int64_t share_;  // value heads of one key head
  Product mixed_, gate_, beta_, decay_;
  const Product out_;
  NormWeights norm_;
  const float* step_bias_;
  std::vector<float> rates_;  // [value_heads]
  std::vector<float> taps_;   // [channels][kernel]
};

}  // namespace

std::unique_ptr<Block> MakeDeltaBlock(const BlockParts& parts) {
  return std::make_unique<DeltaBlock>(parts);
}

}  // namespace ferry::llm
