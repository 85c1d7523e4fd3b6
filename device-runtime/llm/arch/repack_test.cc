// Families that have no reference outputs of their own: the llama reference repacked as three of
// them gives its logits; chatglm's are computed here, straight from the definition, in doubles.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <map>
#include <numeric>

#include "common/base/json.h"
#include "common/sys/sim/filesystem.h"
#include "device-runtime/llm/testing/forward.h"
#include "device-runtime/llm/testing/random_model.h"
#include "device-runtime/llm/testing/shared.h"

namespace ferry::llm {
namespace {

using testing::AllLogits;
using testing::NumbersOf;
using testing::TensorOf;
using testing::TinyTensor;
using Numbers = std::vector<float>;

constexpr const char* kGoldenArchive = "testdata/llm-golden.tar.xz";

// The llama reference: its configuration, tensors by name, and outputs.
class Llama {
 public:
  Llama() {
    char name[] = "/tmp/ferry-llm-repack-XXXXXX";
    const std::string folder = mkdtemp(name);
    const std::string command = fmt::format("tar -xJf '{}' -C '{}' --wildcards '*llama/*'",
                                            testing::SharedPath(kGoldenArchive), folder);
    EXPECT_EQ(std::system(command.c_str()), 0);
    std::string at = folder + "/llama";
    if (!sys::Exists(sys::SystemFileSystem(), at)) at = folder + "/llm-golden/llama";
    config = ParseJson(AsText(sys::ReadFile(sys::SystemFileSystem(), at + "/config.json").value()))
                 .value();
    const testing::Golden golden(at + "/golden.safetensors");
    logits = golden.Get<float>("logits");
    if (golden.Find("input_ids")->dtype == "I32") {
      ids = golden.Get<TokenId>("input_ids");
    } else {
      for (const int64_t id : golden.Get<int64_t>("input_ids")) {
        ids.push_back(static_cast<TokenId>(id));
      }
    }
    const testing::Golden weights(at + "/model.safetensors");
    for (const char* one : {"model.embed_tokens", "model.norm", "lm_head"}) Take(weights, one);
    layers = config["num_hidden_layers"].get<int>();
    for (int i = 0; i < layers; ++i) {
      for (const char* one : {"input_layernorm", "post_attention_layernorm", "self_attn.q_proj",
                              "self_attn.k_proj", "self_attn.v_proj", "self_attn.o_proj",
                              "mlp.gate_proj", "mlp.up_proj", "mlp.down_proj"}) {
        Take(weights, fmt::format("model.layers.{}.{}", i, one));
      }
    }
    (void)sys::SystemFileSystem().RemoveTree(folder);
  }

  // The largest error of a model of `tensors` over the largest logit.
  double Error() const {
    sys::SimFileSystem fs;
    std::vector<TinyTensor> list;
    for (const auto& [name, tensor] : tensors) list.push_back(tensor);
    EXPECT_TRUE(testing::WriteModelFolder(fs, "m", config, list).ok());
    const auto model = Model::Load(fs, "m");
    EXPECT_TRUE(model.ok()) << model.status().ToString();
    if (!model.ok()) return INFINITY;
    return testing::LargestError(AllLogits(**model, ids), logits);
  }

  Numbers Pop(const std::string& name) {
    const auto at = tensors.find(name + ".weight");
    EXPECT_NE(at, tensors.end()) << name;
    Numbers numbers = NumbersOf(at->second);
    tensors.erase(at);
    return numbers;
  }
  void Put(const std::string& name, std::vector<int64_t> shape, const Numbers& numbers) {
    tensors[name + ".weight"] = TensorOf(name + ".weight", std::move(shape), numbers);
  }
  void Rename(const std::string& from, const std::string& to) {
    TinyTensor tensor = tensors.at(from + ".weight");
    tensors.erase(from + ".weight");
    tensor.name = to + ".weight";
    tensors[tensor.name] = std::move(tensor);
  }
  void Scale(const std::string& name, double by) {
    TinyTensor& tensor = tensors.at(name + ".weight");
    Numbers numbers = NumbersOf(tensor);
    for (float& number : numbers) number = static_cast<float>(number * by);
    tensor = TensorOf(tensor.name, tensor.shape, numbers);
  }
  int64_t Size(const char* member) const { return config[member].get<int64_t>(); }

  Json config;
  std::map<std::string, TinyTensor> tensors;
  std::vector<TokenId> ids;
  Numbers logits;
  int layers = 0;

 private:
  void Take(const testing::Golden& weights, const std::string& name) {
    const auto* stored = weights.Find(name + ".weight");
    ASSERT_NE(stored, nullptr) << name;
    Put(name, stored->shape, weights.Get<float>(name + ".weight"));
  }
};

void Append(const Numbers& from, int64_t row, int64_t rows, int64_t width, Numbers* to) {
  to->insert(to->end(), from.begin() + row * width, from.begin() + (row + rows) * width);
}

TEST(Repacked, LlamaAsItselfAndAsBaichuan) {
  FERRY_NEEDS_SHARED(kGoldenArchive);
  Llama m;
  EXPECT_LE(m.Error(), 2e-4);
  for (int i = 0; i < m.layers; ++i) {
    const std::string at = fmt::format("model.layers.{}.self_attn.", i);
    Numbers all = m.Pop(at + "q_proj");
    for (const char* one : {"k_proj", "v_proj"}) {
      const Numbers more = m.Pop(at + one);
      all.insert(all.end(), more.begin(), more.end());
    }
    const int64_t width = m.Size("hidden_size");
    m.Put(at + "W_pack", {static_cast<int64_t>(all.size()) / width, width}, all);
  }
  m.config["model_type"] = "baichuan";
  EXPECT_LE(m.Error(), 2e-4);
}

TEST(Repacked, LlamaAsInternlm2) {
  FERRY_NEEDS_SHARED(kGoldenArchive);
  Llama m;
  m.config["model_type"] = "internlm2";
  m.Rename("model.embed_tokens", "model.tok_embeddings");
  m.Rename("lm_head", "output");
  const int64_t width = m.Size("hidden_size");
  const int64_t dim = m.Size("head_dim");
  const int64_t groups = m.Size("num_key_value_heads");
  const int64_t each = m.Size("num_attention_heads") / groups;
  for (int i = 0; i < m.layers; ++i) {
    const std::string at = fmt::format("model.layers.{}.", i);
    const Numbers q = m.Pop(at + "self_attn.q_proj");
    const Numbers k = m.Pop(at + "self_attn.k_proj");
    const Numbers v = m.Pop(at + "self_attn.v_proj");
    Numbers all;
    for (int64_t g = 0; g < groups; ++g) {
      Append(q, g * each * dim, each * dim, width, &all);
      Append(k, g * dim, dim, width, &all);
      Append(v, g * dim, dim, width, &all);
    }
    m.Put(at + "attention.wqkv", {groups * (each + 2) * dim, width}, all);
    m.Rename(at + "self_attn.o_proj", at + "attention.wo");
    m.Rename(at + "mlp.gate_proj", at + "feed_forward.w1");
    m.Rename(at + "mlp.up_proj", at + "feed_forward.w3");
    m.Rename(at + "mlp.down_proj", at + "feed_forward.w2");
    m.Rename(at + "input_layernorm", at + "attention_norm");
    m.Rename(at + "post_attention_layernorm", at + "ffn_norm");
  }
  EXPECT_LE(m.Error(), 2e-4);
}

TEST(Repacked, LlamaAsMinicpm) {
  FERRY_NEEDS_SHARED(kGoldenArchive);
  Llama m;
  m.config["model_type"] = "minicpm";
  m.config["scale_emb"] = 12;
  m.config["scale_depth"] = 1.4;
  m.config["dim_model_base"] = 16;
  const double depth = 1.4 / std::sqrt(m.layers);
  m.Scale("model.embed_tokens", 1.0 / 12);
  m.Scale("lm_head", static_cast<double>(m.Size("hidden_size")) / 16);
  for (int i = 0; i < m.layers; ++i) {
    m.Scale(fmt::format("model.layers.{}.self_attn.o_proj", i), 1 / depth);
    m.Scale(fmt::format("model.layers.{}.mlp.down_proj", i), 1 / depth);
  }
  EXPECT_LE(m.Error(), 2e-4);
}

// chatglm in doubles: every token's row through every layer, nothing kept.
class NaiveChatglm {
 public:
  NaiveChatglm(const Json& config, const std::vector<TinyTensor>& tensors)
      : layers_(config["num_layers"].get<int>()),
        heads_(config["num_attention_heads"].get<size_t>()),
        groups_(config["multi_query_group_num"].get<size_t>()),
        dim_(config["kv_channels"].get<size_t>()),
        eps_(config["layernorm_epsilon"].get<double>()) {
    for (const TinyTensor& tensor : tensors) {
      const Numbers numbers = NumbersOf(tensor);
      tensors_[tensor.name] = {numbers.begin(), numbers.end()};
    }
  }

  std::vector<double> Logits(const std::vector<TokenId>& ids) const {
    const Row& embedding = tensors_.at("transformer.embedding.word_embeddings.weight");
    const size_t hidden = tensors_.at("transformer.encoder.final_layernorm.weight").size();
    std::vector<Row> stream;
    for (const TokenId id : ids) {
      const auto begin =
          embedding.begin() + static_cast<int64_t>(id) * static_cast<int64_t>(hidden);
      stream.emplace_back(begin, begin + static_cast<int64_t>(hidden));
    }
    for (int i = 0; i < layers_; ++i) {
      const std::string at = fmt::format("transformer.encoder.layers.{}.", i);
      Attend(at, &stream);
      for (Row& x : stream) {
        const Row both = Times(at + "mlp.dense_h_to_4h", Norm(at + "post_attention_layernorm", x));
        Row gated(both.size() / 2);
        for (size_t k = 0; k < gated.size(); ++k) {
          gated[k] = both[k] / (1 + std::exp(-both[k])) * both[gated.size() + k];
        }
        Add(Times(at + "mlp.dense_4h_to_h", gated), &x);
      }
    }
    std::vector<double> logits;
    for (const Row& x : stream) {
      const Row row =
          Times("transformer.output_layer", Norm("transformer.encoder.final_layernorm", x));
      logits.insert(logits.end(), row.begin(), row.end());
    }
    return logits;
  }

 private:
  using Row = std::vector<double>;

  static void Add(const Row& from, Row* to) {
    for (size_t i = 0; i < to->size(); ++i) (*to)[i] += from[i];
  }
  Row Norm(const std::string& name, const Row& x) const {
    const Row& weight = tensors_.at(name + ".weight");
    const double squares = std::inner_product(x.begin(), x.end(), x.begin(), 0.0);
    const double by = 1 / std::sqrt(squares / static_cast<double>(x.size()) + eps_);
    Row out(x.size());
    for (size_t i = 0; i < x.size(); ++i) out[i] = x[i] * by * weight[i];
    return out;
  }
  Row Times(const std::string& name, const Row& x) const {
    const Row& weight = tensors_.at(name + ".weight");
    const auto bias = tensors_.find(name + ".bias");
    Row out(weight.size() / x.size());
    for (size_t r = 0; r < out.size(); ++r) {
      out[r] = bias == tensors_.end() ? 0 : bias->second[r];
      for (size_t c = 0; c < x.size(); ++c) out[r] += weight[r * x.size() + c] * x[c];
    }
    return out;
  }
  // Neighbours of the first half of a head turn together.
  void Turn(size_t position, double* head) const {
    const size_t dims = dim_ / 2;
    for (size_t i = 0; i < dims / 2; ++i) {
      const double exponent = 2.0 * static_cast<double>(i) / static_cast<double>(dims);
      const double angle = static_cast<double>(position) / std::pow(10000.0, exponent);
      const double a = head[2 * i];
      const double b = head[2 * i + 1];
      head[2 * i] = a * std::cos(angle) - b * std::sin(angle);
      head[2 * i + 1] = b * std::cos(angle) + a * std::sin(angle);
    }
  }
  void Attend(const std::string& at, std::vector<Row>* stream) const {
    std::vector<Row> all;
    for (size_t p = 0; p < stream->size(); ++p) {
      all.push_back(
          Times(at + "self_attention.query_key_value", Norm(at + "input_layernorm", (*stream)[p])));
      for (size_t h = 0; h < heads_ + groups_; ++h) Turn(p, all[p].data() + h * dim_);
    }
    for (size_t p = 0; p < stream->size(); ++p) {
      Row mixed(heads_ * dim_);
      for (size_t h = 0; h < heads_; ++h) {
        const size_t group = h / (heads_ / groups_);
        const size_t key = (heads_ + group) * dim_;
        const size_t value = (heads_ + groups_ + group) * dim_;
        Row weights;
        for (size_t k = 0; k <= p; ++k) {
          double score = 0;
          for (size_t d = 0; d < dim_; ++d) score += all[p][h * dim_ + d] * all[k][key + d];
          weights.push_back(std::exp(score / std::sqrt(static_cast<double>(dim_))));
        }
        const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
        for (size_t k = 0; k <= p; ++k) {
          for (size_t d = 0; d < dim_; ++d) {
            mixed[h * dim_ + d] += weights[k] / total * all[k][value + d];
          }
        }
      }
      Add(Times(at + "self_attention.dense", mixed), &(*stream)[p]);
    }
  }

  const int layers_;
  const size_t heads_, groups_, dim_;
  const double eps_;
  std::map<std::string, Row> tensors_;
};

TEST(Chatglm, AgreesWithItsDefinition) {
  const Json config = testing::SmallConfig("chatglm");
  const auto tensors = testing::RandomTensors(config, 3).value();
  sys::SimFileSystem fs;
  ASSERT_TRUE(testing::WriteModelFolder(fs, "m", config, tensors).ok());
  const auto model = Model::Load(fs, "m");
  ASSERT_TRUE(model.ok()) << model.status().ToString();
  std::vector<TokenId> ids;
  for (TokenId i = 0; i < 24; ++i) ids.push_back(i * 31 % 96);
  const std::vector<double> wanted = NaiveChatglm(config, tensors).Logits(ids);
  const Numbers found = AllLogits(**model, ids);
  ASSERT_EQ(found.size(), wanted.size());
  double error = 0, largest = 0;
  for (size_t i = 0; i < wanted.size(); ++i) {
    error = std::max(error, std::abs(static_cast<double>(found[i]) - wanted[i]));
    largest = std::max(largest, std::abs(wanted[i]));
  }
  EXPECT_LE(error, 1e-5 * largest);
}

}  // namespace
}  // namespace ferry::llm
