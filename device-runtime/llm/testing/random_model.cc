#include "device-runtime/llm/testing/random_model.h"

#include <cmath>
#include <cstring>
#include <random>

#include "common/base/json.h"
#include "device-runtime/llm/load/config.h"

namespace ferry::llm::testing {
namespace {

struct SmallRow {
  const char* model_type;
  const char* members;  // JSON, over those of all
};

constexpr const char* kUsualMembers = R"({
  "vocab_size": 96, "hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 4,
  "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 16,
  "max_position_embeddings": 512, "rms_norm_eps": 1e-6, "hidden_act": "silu",
  "tie_word_embeddings": false, "eos_token_id": 2})";

constexpr const char* kLatentMembers = R"(
  "q_lora_rank": 24, "kv_lora_rank": 16, "qk_nope_head_dim": 8, "qk_rope_head_dim": 4,
  "v_head_dim": 12)";
constexpr const char* kDeltaMembers = R"(
  "linear_conv_kernel_dim": 4, "linear_key_head_dim": 8, "linear_value_head_dim": 8,
  "linear_num_key_heads": 2, "linear_num_value_heads": 4)";

// One row a family. Members that are not in the row are the usual ones.
const SmallRow kSmall[] = {
    {"baichuan", R"("model_max_length": 512, "max_position_embeddings": null)"},
    {"chatglm", R"("num_layers": 3, "padded_vocab_size": 96, "ffn_hidden_size": 48,
        "kv_channels": 16, "multi_query_attention": true, "multi_query_group_num": 2,
        "layernorm_epsilon": 1e-5, "seq_length": 512, "add_qkv_bias": true, "rmsnorm": true)"},
    {"deepseek_v2", R"("n_routed_experts": 8, "num_experts_per_tok": 3, "n_shared_experts": 2,
        "moe_intermediate_size": 16, "first_k_dense_replace": 1, "n_group": 4, "topk_group": 2,
        "topk_method": "group_limited_greedy", "routed_scaling_factor": 1.5, LATENT,
        "q_lora_rank": null,
        "rope_scaling": {"type": "yarn", "factor": 4, "original_max_position_embeddings": 64,
        "mscale": 0.7, "mscale_all_dim": 0.7})"},
    {"deepseek_v3", R"("n_routed_experts": 8, "num_experts_per_tok": 2, "n_shared_experts": 1,
        "moe_intermediate_size": 16, "first_k_dense_replace": 1, "n_group": 2, "topk_group": 1,
        "norm_topk_prob": true, "routed_scaling_factor": 2.5, LATENT)"},
    {"ernie4_5", R"("use_bias": true)"},
    {"gemma", R"("hidden_activation": "gelu_pytorch_tanh", "tie_word_embeddings": true)"},
    {"gemma2", R"("sliding_window": 8, "query_pre_attn_scalar": 16,
        "attn_logit_softcapping": 5.0, "final_logit_softcapping": 3.0,
        "tie_word_embeddings": true)"},
    {"gemma3_text", R"("num_hidden_layers": 7, "sliding_window": 8, "query_pre_attn_scalar": 16,
        "rope_local_base_freq": 10000, "rope_theta": 1000000,
        "rope_scaling": {"rope_type": "linear", "factor": 8}, "tie_word_embeddings": true)"},
    {"glm", R"("attention_bias": true, "partial_rotary_factor": 0.5)"},
    {"glm4", R"("attention_bias": true, "partial_rotary_factor": 0.5)"},
    {"gpt2", R"("n_embd": 32, "n_layer": 3, "n_head": 4, "n_positions": 512,
        "layer_norm_epsilon": 1e-5, "activation_function": "gelu_new")"},
    {"gpt_oss", R"("num_local_experts": 4, "num_experts_per_tok": 2, "sliding_window": 8,
        "rope_theta": 150000, "swiglu_limit": 1.0,
        "rope_scaling": {"rope_type": "yarn", "factor": 32, "beta_fast": 32, "beta_slow": 1,
        "truncate": false, "original_max_position_embeddings": 64})"},
    {"granite", R"("embedding_multiplier": 3.0, "residual_multiplier": 0.5,
        "attention_multiplier": 0.2, "logits_scaling": 2.0)"},
    {"hunyuan_v1_dense", R"("rope_scaling": {"type": "dynamic", "alpha": 1000.0, "factor": 1.0})"},
    {"internlm2", R"("bias": true,
        "rope_scaling": {"type": "dynamic", "factor": 2.0,
        "original_max_position_embeddings": 24})"},
    {"lfm2", R"("norm_eps": 1e-5, "conv_L_cache": 3, "block_ff_dim": 60,
        "block_auto_adjust_ff_dim": true, "block_multiple_of": 8, "conv_bias": true,
        "layer_types": ["conv", "full_attention", "conv", "conv"])"},
    {"llama", R"("rope_scaling": {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0,
        "high_freq_factor": 4.0, "original_max_position_embeddings": 64})"},
    {"minicpm", R"("scale_emb": 12, "scale_depth": 1.4, "dim_model_base": 16)"},
    {"minicpm3", R"("scale_emb": 12, "scale_depth": 1.4, "dim_model_base": 16, LATENT)"},
    {"mistral", R"("sliding_window": 8)"},
    {"mixtral", R"("num_local_experts": 4, "num_experts_per_tok": 2, "sliding_window": null)"},
    {"olmo2", R"("rope_theta": 500000)"},
    {"phi", R"("layer_norm_eps": 1e-5, "partial_rotary_factor": 0.5, "hidden_act": "gelu_new",
        "qk_layernorm": true)"},
    {"phi3", R"("original_max_position_embeddings": 24, "sliding_window": null,
        "rope_scaling": {"type": "longrope",
        "short_factor": [1, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7],
        "long_factor": [1, 2, 3, 4, 5, 6, 7, 8]})"},
    {"qwen2", R"("use_sliding_window": true, "sliding_window": 8, "max_window_layers": 2)"},
    {"qwen3", R"("rope_theta": 1000000)"},
    {"qwen3_5_text", R"("partial_rotary_factor": 0.25, DELTA)"},
    {"qwen3_moe", R"("num_experts": 8, "num_experts_per_tok": 2, "moe_intermediate_size": 16,
        "norm_topk_prob": true, "mlp_only_layers": [1])"},
    {"qwen3_next", R"("num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 16,
        "shared_expert_intermediate_size": 16, "norm_topk_prob": true,
        "partial_rotary_factor": 0.25, DELTA)"},
    {"smollm3", R"("no_rope_layers": [1, 1, 0, 1])"},
};

std::string Filled(std::string text, std::string_view mark, std::string_view with) {
  const size_t at = text.find(mark);
  return at == std::string::npos ? text : text.replace(at, mark.size(), with);
}

}  // namespace

std::vector<float> NumbersOf(const TinyTensor& tensor) {
  std::vector<float> numbers(tensor.bytes.size() / sizeof(float));
  std::memcpy(numbers.data(), tensor.bytes.data(), tensor.bytes.size());
  return numbers;
}

TinyTensor TensorOf(const std::string& name, std::vector<int64_t> shape,
                    const std::vector<float>& numbers) {
  TinyTensor tensor{name, std::move(shape), "F32", Bytes(numbers.size() * sizeof(float))};
  std::memcpy(tensor.bytes.data(), numbers.data(), tensor.bytes.size());
  return tensor;
}

Result<std::vector<TinyTensor>> RandomTensors(const Json& config, uint64_t seed) {
  FERRY_ASSIGN_OR_RETURN(const ReadModelConfig read, ReadConfig(config, nullptr));
  FERRY_ASSIGN_OR_RETURN(const std::vector<TensorSpec> specs, TensorsOf(read.description));
  std::mt19937_64 random(seed);
  std::vector<TinyTensor> tensors;
  for (const TensorSpec& spec : specs) {
    const bool matrix = spec.shape.size() == 2;
    const auto inputs = static_cast<double>(spec.shape.back());
    const double spread = !matrix ? 0.1 : 1 / std::sqrt(inputs);
    const double centre = spec.is_norm && !read.rules.norm_offset ? 1 : 0;
    std::normal_distribution<double> normal(centre, spread);
    size_t count = 1;
    for (const int64_t extent : spec.shape) count *= static_cast<size_t>(extent);
    std::vector<float> numbers(count);
    for (float& number : numbers) number = static_cast<float>(normal(random));
    std::vector<int64_t> shape = spec.shape;
    if (matrix && spec.in_layer && read.rules.transposed) std::swap(shape[0], shape[1]);
    tensors.push_back(TensorOf(spec.name, std::move(shape), numbers));
  }
  return tensors;
}

Status WriteModelFolder(sys::FileSystem& fs, const std::string& folder, const Json& config,
                        const std::vector<TinyTensor>& tensors) {
  FERRY_TRY(fs.MakeDirectories(folder));
  FERRY_TRY(sys::WriteFileAtomically(fs, sys::JoinPath(folder, "config.json"),
                                     ToBytes(WriteJson(config))));
  return sys::WriteFileAtomically(fs, sys::JoinPath(folder, "model.safetensors"),
                                  SafetensorsFile(tensors));
}

Json SmallConfig(const std::string& model_type) {
  Json config = ParseJson(kUsualMembers).value();
  config["model_type"] = model_type;
  for (const SmallRow& row : kSmall) {
    if (row.model_type != model_type) continue;
    const std::string members =
        Filled(Filled(row.members, "LATENT", kLatentMembers), "DELTA", kDeltaMembers);
    const Json own = ParseJson(fmt::format("{{{}}}", members)).value();
    for (const auto& [name, value] : own.items()) {
      if (value.is_null()) {
        config.erase(name);
      } else {
        config[name] = value;
      }
    }
  }
  return config;
}

std::vector<std::string> SmallModelTypes() {
  std::vector<std::string> types;
  for (const SmallRow& row : kSmall) types.emplace_back(row.model_type);
  return types;
}

}  // namespace ferry::llm::testing
