// Names of tensors: a checkpoint's and a GGUF file's.
#include <charconv>

#include "device-runtime/llm/load/gguf/gguf.h"

namespace ferry::llm {
namespace {

// {i} is a layer, {e} an expert; what is behind the last dot (weight, bias) is the same, unless a
// row has it itself. The first row that fits counts.
struct NameRow {
  std::string_view checkpoint, gguf;
  std::string_view only = {};  // architectures, each between blanks; empty: all
};
constexpr NameRow kNames[] = {
    {"model.embed_tokens", "token_embd"},
    {"model.norm", "output_norm"},
    {"lm_head", "output"},
    {"model.layers.{i}.input_layernorm", "blk.{i}.attn_norm"},
    {"model.layers.{i}.post_self_attn_layernorm", "blk.{i}.post_attention_norm"},
    {"model.layers.{i}.post_mlp_layernorm", "blk.{i}.post_ffw_norm"},
    {"model.layers.{i}.pre_feedforward_layernorm", "blk.{i}.ffn_norm"},
    {"model.layers.{i}.post_feedforward_layernorm", "blk.{i}.post_ffw_norm"},
    {"model.layers.{i}.post_attention_layernorm", "blk.{i}.post_attention_norm",
     " gemma2 gemma3 gpt-oss olmo2 "},
    {"model.layers.{i}.post_attention_layernorm", "blk.{i}.ffn_norm"},
    {"model.layers.{i}.self_attn.q_proj", "blk.{i}.attn_q"},
    {"model.layers.{i}.self_attn.k_proj", "blk.{i}.attn_k"},
    {"model.layers.{i}.self_attn.v_proj", "blk.{i}.attn_v"},
    {"model.layers.{i}.self_attn.qkv_proj", "blk.{i}.attn_qkv"},
    {"model.layers.{i}.self_attn.o_proj", "blk.{i}.attn_output"},
    {"model.layers.{i}.self_attn.q_norm", "blk.{i}.attn_q_norm"},
    {"model.layers.{i}.self_attn.k_norm", "blk.{i}.attn_k_norm"},
    {"model.layers.{i}.self_attn.sinks", "blk.{i}.attn_sinks.weight"},
    {"model.layers.{i}.self_attn.query_layernorm", "blk.{i}.attn_q_norm"},
    {"model.layers.{i}.self_attn.key_layernorm", "blk.{i}.attn_k_norm"},
    {"model.layers.{i}.mlp.gate_proj", "blk.{i}.ffn_gate"},
    {"model.layers.{i}.mlp.up_proj", "blk.{i}.ffn_up"},
    {"model.layers.{i}.mlp.gate_up_proj", "blk.{i}.ffn_up"},
    {"model.layers.{i}.mlp.down_proj", "blk.{i}.ffn_down"},
    {"model.layers.{i}.mlp.gate", "blk.{i}.ffn_gate_inp"},
    {"model.layers.{i}.mlp.router", "blk.{i}.ffn_gate_inp"},
    {"model.layers.{i}.mlp.experts.{e}.gate_proj", "blk.{i}.ffn_gate_exps"},
    {"model.layers.{i}.mlp.experts.{e}.up_proj", "blk.{i}.ffn_up_exps"},
    {"model.layers.{i}.mlp.experts.{e}.down_proj", "blk.{i}.ffn_down_exps"},
    {"model.layers.{i}.block_sparse_moe.gate", "blk.{i}.ffn_gate_inp"},
    {"model.layers.{i}.block_sparse_moe.experts.{e}.w1", "blk.{i}.ffn_gate_exps"},
    {"model.layers.{i}.block_sparse_moe.experts.{e}.w3", "blk.{i}.ffn_up_exps"},
    {"model.layers.{i}.block_sparse_moe.experts.{e}.w2", "blk.{i}.ffn_down_exps"},
    {"transformer.wte", "token_embd"},
    {"transformer.wpe", "position_embd"},
    {"transformer.ln_f", "output_norm"},
    {"transformer.h.{i}.ln_1", "blk.{i}.attn_norm"},
    {"transformer.h.{i}.ln_2", "blk.{i}.ffn_norm"},
    {"transformer.h.{i}.attn.c_attn", "blk.{i}.attn_qkv"},
    {"transformer.h.{i}.attn.c_proj", "blk.{i}.attn_output"},
    {"transformer.h.{i}.mlp.c_fc", "blk.{i}.ffn_up"},
    {"transformer.h.{i}.mlp.c_proj", "blk.{i}.ffn_down"},
};

// Whether `name` is `pattern` with numbers in it, which are given.
bool Matches(std::string_view pattern, std::string_view name, int64_t* layer, int64_t* expert) {
  while (!pattern.empty()) {
    const bool is_layer = pattern.starts_with("{i}");
    if (is_layer || pattern.starts_with("{e}")) {
      int64_t* const to = is_layer ? layer : expert;
      const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), *to);
      if (error != std::errc() || *to < 0) return false;
      name.remove_prefix(static_cast<size_t>(end - name.data()));
      pattern.remove_prefix(3);
      continue;
    }
    if (name.empty() || name.front() != pattern.front()) return false;
    name.remove_prefix(1);
    pattern.remove_prefix(1);
  }
  return name.empty();
}

}  // namespace

std::string GgufTensorName(std::string_view architecture, std::string_view name, int64_t* expert) {
  const size_t dot = name.rfind('.');
  if (dot == std::string_view::npos) return {};
  for (const NameRow& row : kNames) {
    if (!row.only.empty() &&
        row.only.find(fmt::format(" {} ", architecture)) == std::string_view::npos) {
      continue;
    }
    int64_t layer = -1;
    *expert = -1;
    const bool whole = row.gguf.ends_with(".weight");
    if (!Matches(row.checkpoint, whole ? name : name.substr(0, dot), &layer, expert)) continue;
    std::string found(row.gguf);
    if (const size_t at = found.find("{i}"); at != std::string::npos) {
      found.replace(at, 3, std::to_string(layer));
    }
    return whole ? found : found + std::string(name.substr(dot));
  }
  return {};
}

}  // namespace ferry::llm
