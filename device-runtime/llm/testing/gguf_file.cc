#include "device-runtime/llm/testing/gguf_file.h"

#include <cmath>
#include <map>

#include "common/base/json.h"
#include "device-runtime/llm/testing/random_model.h"

namespace ferry::llm::testing {
namespace {

using formats::GgufType;
using formats::GgufWriter;

struct Renamed {
  const char* from;
  const char* to;
};
// What is behind "model.layers.N." or "transformer.h.N.", and behind "blk.N.".
constexpr Renamed kInLayers[] = {{"input_layernorm", "attn_norm"},
                                 {"post_attention_layernorm", "ffn_norm"},
                                 {"pre_feedforward_layernorm", "ffn_norm"},
                                 {"post_feedforward_layernorm", "post_ffw_norm"},
                                 {"post_self_attn_layernorm", "post_attention_norm"},
                                 {"post_mlp_layernorm", "post_ffw_norm"},
                                 {"self_attn.q_proj", "attn_q"},
                                 {"self_attn.k_proj", "attn_k"},
                                 {"self_attn.v_proj", "attn_v"},
                                 {"self_attn.o_proj", "attn_output"},
                                 {"self_attn.qkv_proj", "attn_qkv"},
                                 {"self_attn.q_norm", "attn_q_norm"},
                                 {"self_attn.k_norm", "attn_k_norm"},
                                 {"self_attn.query_layernorm", "attn_q_norm"},
                                 {"self_attn.key_layernorm", "attn_k_norm"},
                                 {"mlp.gate_proj", "ffn_gate"},
                                 {"mlp.up_proj", "ffn_up"},
                                 {"mlp.gate_up_proj", "ffn_up"},
                                 {"mlp.down_proj", "ffn_down"},
                                 {"mlp.gate", "ffn_gate_inp"},
                                 {"mlp.router", "ffn_gate_inp"},
                                 {"block_sparse_moe.gate", "ffn_gate_inp"},
                                 {"mlp.experts.gate_proj", "ffn_gate_exps"},
                                 {"mlp.experts.up_proj", "ffn_up_exps"},
                                 {"mlp.experts.down_proj", "ffn_down_exps"},
                                 {"block_sparse_moe.experts.w1", "ffn_gate_exps"},
                                 {"block_sparse_moe.experts.w3", "ffn_up_exps"},
                                 {"block_sparse_moe.experts.w2", "ffn_down_exps"},
                                 {"ln_1", "attn_norm"},
                                 {"ln_2", "ffn_norm"},
                                 {"attn.c_attn", "attn_qkv"},
                                 {"attn.c_proj", "attn_output"},
                                 {"mlp.c_fc", "ffn_up"},
                                 {"mlp.c_proj", "ffn_down"}};
constexpr Renamed kOutside[] = {{"model.embed_tokens", "token_embd"},
                                {"model.norm", "output_norm"},
                                {"lm_head", "output"},
                                {"transformer.wte", "token_embd"},
                                {"transformer.wpe", "position_embd"},
                                {"transformer.ln_f", "output_norm"}};

std::string Lookup(std::span<const Renamed> rows, const std::string& name) {
  for (const Renamed& row : rows) {
    if (name == row.from) return row.to;
  }
  return name;
}

// `name` without an expert's number, which is given (-1: none).
std::string WithoutExpert(const std::string& name, int64_t* expert) {
  const std::string mark = "experts.";
  const size_t at = name.find(mark);
  *expert = -1;
  if (at == std::string::npos) return name;
  const size_t begin = at + mark.size();
  const size_t end = name.find('.', begin);
  *expert = std::stoll(name.substr(begin, end - begin));
  return name.substr(0, begin) + name.substr(end + 1);
}

std::string NameOf(const std::string& architecture, const std::string& name) {
  const size_t dot = name.rfind('.');
  const std::string ending = name.substr(dot);
  const std::string base = name.substr(0, dot);
  for (const std::string beginning : {"model.layers.", "transformer.h."}) {
    if (!base.starts_with(beginning)) continue;
    const size_t end = base.find('.', beginning.size());
    const std::string layer = base.substr(beginning.size(), end - beginning.size());
    std::string rest = base.substr(end + 1);
    if (name.ends_with("self_attn.sinks")) return "blk." + layer + ".attn_sinks.weight";
    const bool after = architecture == "gemma2" || architecture == "gemma3" ||
                       architecture == "olmo2" || architecture == "gpt-oss";
    if (after && rest == "post_attention_layernorm") {
      rest = "post_attention_norm";
    } else {
      rest = Lookup(kInLayers, rest);
    }
    return "blk." + layer + "." + rest + ending;
  }
  return Lookup(kOutside, base) + ending;
}

bool IsOneOf(const std::string& name, std::initializer_list<const char*> names) {
  for (const char* each : names) {
    if (name == each) return true;
  }
  return false;
}

// Rows of each head: the halves' i-th numbers become neighbours.
std::vector<float> Neighbours(const std::vector<float>& values, int64_t head_dim, int64_t columns) {
  std::vector<float> result(values.size());
  const int64_t rows = static_cast<int64_t>(values.size()) / columns;
  for (int64_t row = 0; row < rows; ++row) {
    const int64_t in_head = row % head_dim;
    const int64_t half = in_head / (head_dim / 2);
    const int64_t to = row - in_head + in_head % (head_dim / 2) * 2 + half;
    std::copy_n(values.begin() + row * columns, columns, result.begin() + to * columns);
  }
  return result;
}

std::vector<float> Transposed(const std::vector<float>& values, int64_t rows, int64_t columns) {
  std::vector<float> result(values.size());
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = 0; c < columns; ++c) {
      result[static_cast<size_t>(c * rows + r)] = values[static_cast<size_t>(r * columns + c)];
    }
  }
  return result;
}

struct Placed {
  std::vector<int64_t> shape;
  std::vector<float> values;
};

// Tensors under the file's names, experts one behind another.
std::map<std::string, Placed> Converted(const Json& config, const std::vector<TinyTensor>& tensors,
                                        const std::string& architecture) {
  std::map<std::string, Placed> result;
  const bool neighbours =
      IsOneOf(architecture, {"llama", "granite", "smollm3", "minicpm", "internlm2"});
  const bool norms = architecture.starts_with("gemma");
  for (const TinyTensor& tensor : tensors) {
    int64_t expert = -1;
    const std::string plain = WithoutExpert(tensor.name, &expert);
    std::vector<float> values = NumbersOf(tensor);
    std::vector<int64_t> shape = tensor.shape;
    if (neighbours &&
        (plain.find("q_proj") != std::string::npos || plain.find("k_proj") != std::string::npos)) {
      values = Neighbours(values, config["head_dim"], shape.size() == 2 ? shape[1] : 1);
    }
    if (norms && plain.find("norm") != std::string::npos) {
      for (float& value : values) value += 1;
    }
    if (architecture == "gpt2" && shape.size() == 2 && plain.find(".h.") != std::string::npos) {
      values = Transposed(values, shape[0], shape[1]);
      std::swap(shape[0], shape[1]);
    }
    Placed& placed = result[NameOf(architecture, plain)];
    placed.shape = shape;
    if (expert >= 0) placed.shape.insert(placed.shape.begin(), expert + 1);
    placed.values.insert(placed.values.end(), values.begin(), values.end());
  }
  return result;
}

void AddMetadata(const Json& config, const std::string& architecture, GgufWriter& writer) {
  writer.Add("general.architecture", architecture);
  const auto key = [&](const char* name) { return architecture + "." + name; };
  const auto whole = [&](const char* name, const char* member) {
    if (config.contains(member) && config[member].is_number()) {
      writer.Add(key(name), GgufType::kU32, config[member].get<uint32_t>());
    }
  };
  const auto real = [&](const char* name, const char* member) {
    if (config.contains(member) && config[member].is_number()) {
      writer.Add(key(name), GgufType::kF32, config[member].get<float>());
    }
  };
  const bool gpt2 = architecture == "gpt2";
  whole("block_count", gpt2 ? "n_layer" : "num_hidden_layers");
  whole("embedding_length", gpt2 ? "n_embd" : "hidden_size");
  whole("context_length", gpt2 ? "n_positions" : "max_position_embeddings");
  whole("attention.head_count", gpt2 ? "n_head" : "num_attention_heads");
  if (gpt2) {
    writer.Add(key("feed_forward_length"), GgufType::kU32, 4 * config["n_embd"].get<uint32_t>());
    real("attention.layer_norm_epsilon", "layer_norm_epsilon");
  } else {
    whole("feed_forward_length", "intermediate_size");
    whole("attention.head_count_kv", "num_key_value_heads");
    whole("attention.key_length", "head_dim");
    whole("attention.value_length", "head_dim");
    real("attention.layer_norm_rms_epsilon", "rms_norm_eps");
  }
  whole("attention.sliding_window", "sliding_window");
  real("rope.freq_base", "rope_theta");
  real("attn_logit_softcapping", "attn_logit_softcapping");
  real("final_logit_softcapping", "final_logit_softcapping");
  whole("expert_count", "num_experts");
  whole("expert_count", "num_local_experts");
  whole("expert_used_count", "num_experts_per_tok");
  whole("expert_feed_forward_length", "moe_intermediate_size");
  real("embedding_scale", "embedding_multiplier");
  real("residual_scale", "residual_multiplier");
  real("attention.scale", "attention_multiplier");
  real("logit_scale", "logits_scaling");
  writer.Add("tokenizer.ggml.eos_token_id", GgufType::kU32, uint32_t{2});
}

}  // namespace

Bytes GgufFile(const Json& config, const std::vector<TinyTensor>& tensors,
               const GgufOptions& options) {
  GgufWriter writer;
  AddMetadata(config, options.architecture, writer);
  Bytes data;
  const auto add = [&](const std::string& name, const Placed& placed, const GgufEncoded& encoded) {
    data.resize((data.size() + 31) / 32 * 32);
    std::vector<uint64_t> extents(placed.shape.rbegin(), placed.shape.rend());
    writer.AddTensor(name, extents, encoded.type, data.size());
    data.insert(data.end(), encoded.bytes.begin(), encoded.bytes.end());
  };
  for (const auto& [name, placed] : Converted(config, tensors, options.architecture)) {
    GgufEncoded encoded{formats::kGgufF32, Bytes(placed.values.size() * 4)};
    std::memcpy(encoded.bytes.data(), placed.values.data(), encoded.bytes.size());
    if (options.encode && placed.shape.size() >= 2) {
      encoded = options.encode(name, placed.shape.back(), placed.values);
    }
    add(name, placed, encoded);
  }
  const auto factors = [&](const char* name, const std::vector<float>& values) {
    GgufEncoded encoded{formats::kGgufF32, Bytes(values.size() * 4)};
    std::memcpy(encoded.bytes.data(), values.data(), encoded.bytes.size());
    add(name, {{static_cast<int64_t>(values.size())}, {}}, encoded);
  };
  if (config.contains("rope_scaling") && config["rope_scaling"].contains("long_factor")) {
    const Json& scaling = config["rope_scaling"];
    factors("rope_factors_short.weight", scaling["short_factor"]);
    factors("rope_factors_long.weight", scaling["long_factor"]);
    writer.Add(options.architecture + ".rope.scaling.original_context_length", GgufType::kU32,
               config["original_max_position_embeddings"].get<uint32_t>());
  }
  if (config.contains("rope_scaling") && config["rope_scaling"].contains("low_freq_factor")) {
    // Source: the formula of Llama 3.1's code.
    const Json& scaling = config["rope_scaling"];
    const double original = scaling["original_max_position_embeddings"];
    const double low = original / scaling["low_freq_factor"].get<double>();
    const double high = original / scaling["high_freq_factor"].get<double>();
    const int64_t dims = config["head_dim"];
    std::vector<float> values;
    for (int64_t i = 0; i < dims / 2; ++i) {
      const double length = 2 * M_PI *
                            std::pow(config.value("rope_theta", 10000.0),
                                     2.0 * static_cast<double>(i) / static_cast<double>(dims));
      const double factor = scaling["factor"];
      const double smooth =
          (original / length - scaling["low_freq_factor"].get<double>()) /
          (scaling["high_freq_factor"].get<double>() - scaling["low_freq_factor"].get<double>());
      values.push_back(static_cast<float>(length < high  ? 1
                                          : length > low ? factor
                                                         : 1 / ((1 - smooth) / factor + smooth)));
    }
    factors("rope_freqs.weight", values);
  }
  if (options.more) options.more(writer);
  Bytes file = writer.Take(data.size());
  std::copy(data.begin(), data.end(), file.end() - static_cast<ptrdiff_t>(data.size()));
  return file;
}

}  // namespace ferry::llm::testing
