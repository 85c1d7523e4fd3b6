#include "device-runtime/llm/testing/tiny_model.h"

#include <bit>
#include <cmath>

#include "common/base/json.h"
#include "common/sys/random.h"

namespace ferry::llm::testing {
namespace {

// FNV-1a, so that a tensor's numbers depend on seed and name and not on its place in a list.
uint64_t SeedOf(uint64_t seed, const std::string& name) {
  uint64_t hash = 0xcbf29ce484222325 ^ seed;
  for (char c : name) hash = (hash ^ static_cast<uint8_t>(c)) * 0x100000001b3;
  return hash;
}

// Nearly normal, of variance 1: the sum of twelve uniform numbers, the same on every machine.
double Normal(sys::Random& random) {
  double sum = -6;
  for (int i = 0; i < 12; ++i) sum += random.NextDouble();
  return sum;
}

void PutFloat(Bytes& out, float value, bool bf16) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  if (bf16) bits = (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;  // to the nearest, ties to even
  for (int i = 0; i < (bf16 ? 2 : 4); ++i) out.push_back(static_cast<uint8_t>(bits >> (8 * i)));
}

// Weights centre + spread * normal, with the noise of a draft on top.
TinyTensor Random(const TinyModelOptions& options, const std::string& name,
                  std::vector<int64_t> shape, double centre, double spread) {
  TinyTensor tensor{name, std::move(shape), options.bf16 ? "BF16" : "F32", {}};
  sys::SeededRandom base(SeedOf(options.seed, name));
  sys::SeededRandom noise(SeedOf(options.seed, name + "#noise"));
  int64_t count = 1;
  for (int64_t extent : tensor.shape) count *= extent;
  for (int64_t i = 0; i < count; ++i) {
    double value = Normal(base);
    if (options.noise != 0) value += options.noise * Normal(noise);
    PutFloat(tensor.bytes, static_cast<float>(centre + spread * value), options.bf16);
  }
  return tensor;
}

Status WriteText(sys::FileSystem& fs, const std::string& path, std::string_view text) {
  return sys::WriteFileAtomically(fs, path, AsBytes(text));
}

Status WriteWeights(sys::FileSystem& fs, const std::string& folder,
                    const TinyModelOptions& options) {
  std::vector<TinyTensor> tensors = TinyTensors(options);
  if (options.shards <= 1) {
    return sys::WriteFileAtomically(fs, sys::JoinPath(folder, "model.safetensors"),
                                    SafetensorsFile(tensors));
  }
  std::vector<std::vector<TinyTensor>> shards(static_cast<size_t>(options.shards));
  Json map = Json::object();
  for (size_t i = 0; i < tensors.size(); ++i) {
    const size_t shard = i * shards.size() / tensors.size();
    map[tensors[i].name] =
        fmt::format("model-{:05}-of-{:05}.safetensors", shard + 1, shards.size());
    shards[shard].push_back(std::move(tensors[i]));
  }
  for (size_t i = 0; i < shards.size(); ++i) {
    const std::string name = fmt::format("model-{:05}-of-{:05}.safetensors", i + 1, shards.size());
    FERRY_TRY(
        sys::WriteFileAtomically(fs, sys::JoinPath(folder, name), SafetensorsFile(shards[i])));
  }
  return WriteText(fs, sys::JoinPath(folder, "model.safetensors.index.json"),
                   WriteJson({{"metadata", Json::object()}, {"weight_map", map}}));
}

constexpr std::string_view kTemplate =
    "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\n' + message['content'] "
    "+ '<|im_end|>' + '\n' }}{% endfor %}{% if add_generation_prompt %}{{ "
    "'<|im_start|>assistant\n' }}{% endif %}";

}  // namespace

Json TinyConfig(const TinyModelOptions& options) {
  const int64_t end = TinyVocabulary() - 3;
  return {{"architectures", {"Qwen3ForCausalLM"}},
          {"attention_bias", false},
          {"bos_token_id", end},
          {"dtype", options.bf16 ? "bfloat16" : "float32"},
          {"eos_token_id", end},
          {"head_dim", options.head_dim},
          {"hidden_act", "silu"},
          {"hidden_size", options.hidden},
          {"intermediate_size", options.ffn},
          {"max_position_embeddings", options.context},
          {"model_type", "qwen3"},
          {"num_attention_heads", options.heads},
          {"num_hidden_layers", options.layers},
          {"num_key_value_heads", options.kv_heads},
          {"rms_norm_eps", 1e-6},
          {"rope_scaling", nullptr},
          {"rope_theta", 10000.0},
          {"sliding_window", nullptr},
          {"tie_word_embeddings", options.tied},
          {"use_sliding_window", false},
          {"vocab_size", TinyVocabulary()}};
}

std::vector<TinyTensor> TinyTensors(const TinyModelOptions& options) {
  const auto spread = [](int64_t inputs) { return 1 / std::sqrt(static_cast<double>(inputs)); };
  const int64_t hidden = options.hidden;
  const int64_t queries = options.heads * options.head_dim;
  const int64_t keys = options.kv_heads * options.head_dim;
  std::vector<TinyTensor> tensors;
  const auto matrix = [&](const std::string& name, int64_t rows, int64_t columns) {
    tensors.push_back(Random(options, name, {rows, columns}, 0, spread(columns)));
  };
  const auto norm = [&](const std::string& name, int64_t count) {
    tensors.push_back(Random(options, name, {count}, 1, 0.1));
  };
  // Logits spread by about 2: neither flat nor always the same token.
  const double logit_spread = 2 * spread(hidden);
  tensors.push_back(
      Random(options, "model.embed_tokens.weight", {TinyVocabulary(), hidden}, 0, logit_spread));
  for (int64_t layer = 0; layer < options.layers; ++layer) {
    const std::string prefix = fmt::format("model.layers.{}.", layer);
    norm(prefix + "input_layernorm.weight", hidden);
    matrix(prefix + "mlp.down_proj.weight", hidden, options.ffn);
    matrix(prefix + "mlp.gate_proj.weight", options.ffn, hidden);
    matrix(prefix + "mlp.up_proj.weight", options.ffn, hidden);
    norm(prefix + "post_attention_layernorm.weight", hidden);
    norm(prefix + "self_attn.k_norm.weight", options.head_dim);
    matrix(prefix + "self_attn.k_proj.weight", keys, hidden);
    matrix(prefix + "self_attn.o_proj.weight", hidden, queries);
    norm(prefix + "self_attn.q_norm.weight", options.head_dim);
    matrix(prefix + "self_attn.q_proj.weight", queries, hidden);
    matrix(prefix + "self_attn.v_proj.weight", keys, hidden);
  }
  norm("model.norm.weight", hidden);
  if (!options.tied) {
    tensors.push_back(
        Random(options, "lm_head.weight", {TinyVocabulary(), hidden}, 0, logit_spread));
  }
  return tensors;
}

Bytes SafetensorsFile(const std::vector<TinyTensor>& tensors) {
  Json header = Json::object();
  header["__metadata__"] = {{"format", "pt"}};
  uint64_t offset = 0;
  for (const TinyTensor& tensor : tensors) {
    header[tensor.name] = {{"dtype", tensor.dtype},
                           {"shape", tensor.shape},
                           {"data_offsets", {offset, offset + tensor.bytes.size()}}};
    offset += tensor.bytes.size();
  }
  std::string text = WriteJson(header);
  text.resize((text.size() + 7) / 8 * 8, ' ');
  Bytes file(8);
  PutU64(file.data(), text.size());
  file.insert(file.end(), text.begin(), text.end());
  for (const TinyTensor& tensor : tensors) {
    file.insert(file.end(), tensor.bytes.begin(), tensor.bytes.end());
  }
  return file;
}

Status WriteTinyModel(sys::FileSystem& fs, const std::string& folder,
                      const TinyModelOptions& options) {
  FERRY_TRY(fs.MakeDirectories(folder));
  const Json config = TinyConfig(options);
  FERRY_TRY(WriteText(fs, sys::JoinPath(folder, "config.json"), WriteJsonPretty(config)));
  FERRY_TRY(WriteText(fs, sys::JoinPath(folder, "generation_config.json"),
                      WriteJson({{"eos_token_id", config["eos_token_id"]}})));
  FERRY_TRY(WriteWeights(fs, folder, options));
  if (!options.tokenizer) return OkStatus();
  FERRY_TRY(WriteText(fs, sys::JoinPath(folder, "tokenizer.json"), TinyTokenizerJson()));
  return WriteText(fs, sys::JoinPath(folder, "tokenizer_config.json"),
                   WriteJson({{"tokenizer_class", "Qwen2Tokenizer"},
                              {"eos_token", "<|endoftext|>"},
                              {"chat_template", kTemplate}}));
}

}  // namespace ferry::llm::testing
