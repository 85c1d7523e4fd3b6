// Qwen3, dense: RMS norms before attention and feed-forward, grouped-query attention whose queries
// and keys are normed a head at a time, rotary positions on halves, SwiGLU, no biases. Source:
// "Qwen3 Technical Report" (Yang et al. 2025).
#include <cmath>

#include "common/base/json.h"
#include "device-runtime/llm/arch/blocks.h"

namespace ferry::llm {
namespace {

std::string LayerPrefix(int64_t layer) {
  return fmt::format("model.layers.{}.", layer);
}

class Qwen3Network final : public Network {
 public:
  Qwen3Network(const ModelConfig& config, const Weights& weights, const kernels::KernelTable& table)
      : table_(table),
        eps_(config.norm_eps),
        inverse_frequencies_(InverseFrequencies(config.rope_theta, config.head_dim)),
        embedding_(weights.Matrix("model.embed_tokens.weight")),
        head_(config.tied_embeddings ? embedding_ : weights.Matrix("lm_head.weight")),
        norm_(weights.Vector("model.norm.weight")) {
    const kernels::AttentionShape shape = {config.heads, config.kv_heads, config.head_dim,
                                           1.0f / std::sqrt(static_cast<float>(config.head_dim))};
    for (int64_t i = 0; i < config.layers; ++i) {
      const std::string prefix = LayerPrefix(i);
      const auto matrix = [&](const char* name) { return weights.Matrix(prefix + name); };
      const auto vector = [&](const char* name) { return weights.Vector(prefix + name); };
      layers_.push_back({.attention_norm = vector("input_layernorm.weight"),
                         .query = matrix("self_attn.q_proj.weight"),
                         .key = matrix("self_attn.k_proj.weight"),
                         .value = matrix("self_attn.v_proj.weight"),
                         .output = matrix("self_attn.o_proj.weight"),
                         .attention = {shape, eps_, vector("self_attn.q_norm.weight"),
                                       vector("self_attn.k_norm.weight")},
                         .ffn_norm = vector("post_attention_layernorm.weight"),
                         .ffn = {matrix("mlp.gate_proj.weight"), matrix("mlp.up_proj.weight"),
                                 matrix("mlp.down_proj.weight")}});
    }
  }

  void Forward(const ForwardPass& pass) const override {
    Workspace& workspace = pass.workspace;
    const Rows rows = PlaceRows(table_, pass, head_.rows);
    const int64_t width = embedding_.columns;
    EmbedRows(rows, embedding_);
    RotaryRows(rows, inverse_frequencies_.data(),
               static_cast<int64_t>(inverse_frequencies_.size()));
    for (size_t i = 0; i < layers_.size(); ++i) {
      const Layer& layer = layers_[i];
      NormRows(rows, workspace.stream, layer.attention_norm, eps_, width, workspace.normed);
      LinearRows(rows, layer.query, workspace.normed, nullptr, workspace.queries);
      LinearRows(rows, layer.key, workspace.normed, nullptr, workspace.keys);
      LinearRows(rows, layer.value, workspace.normed, nullptr, workspace.values);
      AttendRows(rows, layer.attention, static_cast<int64_t>(i));
      LinearRows(rows, layer.output, workspace.mixed, workspace.stream, workspace.stream);
      NormRows(rows, workspace.stream, layer.ffn_norm, eps_, width, workspace.normed);
      FfnRows(rows, layer.ffn);
    }
    LogitRows(rows, norm_, eps_, head_);
    AdvanceSequences(pass);
  }

 private:
  struct Layer {
    const float* attention_norm;
    kernels::WeightMatrix query, key, value, output;
    RotaryAttention attention;
    const float* ffn_norm;
    GatedFfn ffn;
  };

  const kernels::KernelTable& table_;
  float eps_;
  std::vector<float> inverse_frequencies_;
  kernels::WeightMatrix embedding_, head_;
  const float* norm_;
  std::vector<Layer> layers_;
};

class Qwen3 final : public Architecture {
 public:
  const char* name() const override { return "qwen3"; }

  Result<Json> ReadSettings(const Json& file, ModelConfig*) const override {
    FERRY_ASSIGN_OR_RETURN(const std::string activation, GetStringOr(file, "hidden_act", "silu"));
    if (activation != "silu") {
      return Status::Of(Code::kUnsupported, "hidden_act \"{}\"; supported: silu", activation);
    }
    FERRY_ASSIGN_OR_RETURN(const bool bias, GetBoolOr(file, "attention_bias", false));
    if (bias) return Status(Code::kUnsupported, "attention_bias true; supported: false");
    // The window's size counts only where this switch is on.
    FERRY_ASSIGN_OR_RETURN(const bool window, GetBoolOr(file, "use_sliding_window", false));
    if (window) return Status(Code::kUnsupported, "use_sliding_window true; supported: false");
    return Json::object();
  }

  std::vector<TensorSpec> Tensors(const ModelConfig& config, const Json&) const override {
    const int64_t hidden = config.hidden;
    const int64_t queries = config.heads * config.head_dim;
    const int64_t keys = config.kv_heads * config.head_dim;
    std::vector<TensorSpec> specs = {{"model.embed_tokens.weight", {config.vocabulary, hidden}}};
    for (int64_t i = 0; i < config.layers; ++i) {
      const std::string prefix = LayerPrefix(i);
      specs.push_back({prefix + "input_layernorm.weight", {hidden}});
      specs.push_back({prefix + "self_attn.q_proj.weight", {queries, hidden}});
      specs.push_back({prefix + "self_attn.k_proj.weight", {keys, hidden}});
      specs.push_back({prefix + "self_attn.v_proj.weight", {keys, hidden}});
      specs.push_back({prefix + "self_attn.q_norm.weight", {config.head_dim}});
      specs.push_back({prefix + "self_attn.k_norm.weight", {config.head_dim}});
      specs.push_back({prefix + "self_attn.o_proj.weight", {hidden, queries}});
      specs.push_back({prefix + "post_attention_layernorm.weight", {hidden}});
      specs.push_back({prefix + "mlp.gate_proj.weight", {config.ffn, hidden}});
      specs.push_back({prefix + "mlp.up_proj.weight", {config.ffn, hidden}});
      specs.push_back({prefix + "mlp.down_proj.weight", {hidden, config.ffn}});
    }
    specs.push_back({"model.norm.weight", {hidden}});
    if (!config.tied_embeddings) specs.push_back({"lm_head.weight", {config.vocabulary, hidden}});
    return specs;
  }

  std::unique_ptr<Network> Build(const ModelConfig& config, const Json&, const Weights& weights,
                                 const kernels::KernelTable& table) const override {
    return std::make_unique<Qwen3Network>(config, weights, table);
  }
};

}  // namespace

const Architecture& Qwen3Architecture() {
  static const Qwen3 architecture;
  return architecture;
}

}  // namespace ferry::llm
