// GPT-OSS straight from its definition, in doubles, and the forms in which checkpoints have its
// experts.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "common/base/json.h"
#include "common/sys/sim/filesystem.h"
#include "device-runtime/llm/load/parts.h"
#include "device-runtime/llm/testing/forward.h"
#include "device-runtime/llm/testing/quantized.h"
#include "device-runtime/llm/testing/random_model.h"

namespace ferry::llm {
namespace {

using testing::AllLogits;
using testing::NumbersOf;
using testing::RawTensorOf;
using testing::TensorOf;
using testing::TinyTensor;
using DoubleRow = std::vector<double>;

// Every token's row through every layer, nothing kept.
class NaiveGptOss {
 public:
  NaiveGptOss(const Json& config, const std::vector<TinyTensor>& tensors) : config_(config) {
    for (const TinyTensor& tensor : tensors) {
      const std::vector<float> numbers = NumbersOf(tensor);
      tensors_[tensor.name] = {numbers.begin(), numbers.end()};
    }
  }

  DoubleRow Logits(const std::vector<TokenId>& ids) const {
    const size_t hidden = Size("hidden_size");
    std::vector<DoubleRow> stream;
    for (const TokenId id : ids) {
      const auto begin = tensors_.at("model.embed_tokens.weight").begin() +
                         static_cast<ptrdiff_t>(static_cast<size_t>(id) * hidden);
      stream.emplace_back(begin, begin + static_cast<ptrdiff_t>(hidden));
    }
    for (size_t i = 0; i < Size("num_hidden_layers"); ++i) {
      const std::string at = fmt::format("model.layers.{}.", i);
      Attend(at, i % 2 == 0 ? Size("sliding_window") : ids.size(), &stream);
      for (DoubleRow& x : stream) {
        AddTo(Experts(at + "mlp.", Norm(at + "post_attention_layernorm", x)), &x);
      }
    }
    DoubleRow logits;
    for (const DoubleRow& x : stream) {
      const DoubleRow row = Times("lm_head", Norm("model.norm", x));
      logits.insert(logits.end(), row.begin(), row.end());
    }
    return logits;
  }

 private:
  size_t Size(const char* name) const { return config_[name].get<size_t>(); }
  static void AddTo(const DoubleRow& from, DoubleRow* to) {
    for (size_t i = 0; i < to->size(); ++i) (*to)[i] += from[i];
  }
  DoubleRow Norm(const std::string& name, const DoubleRow& x) const {
    const double squares = std::inner_product(x.begin(), x.end(), x.begin(), 0.0);
    const double by = 1 / std::sqrt(squares / static_cast<double>(x.size()) +
                                    config_["rms_norm_eps"].get<double>());
    DoubleRow out(x.size());
    for (size_t i = 0; i < x.size(); ++i) out[i] = x[i] * by * tensors_.at(name + ".weight")[i];
    return out;
  }
  DoubleRow Times(const std::string& name, const DoubleRow& x) const {
    const DoubleRow& weight = tensors_.at(name + ".weight");
    const auto bias = tensors_.find(name + ".bias");
    DoubleRow out(weight.size() / x.size());
    for (size_t r = 0; r < out.size(); ++r) {
      out[r] = bias == tensors_.end() ? 0 : bias->second[r];
      for (size_t c = 0; c < x.size(); ++c) out[r] += weight[r * x.size() + c] * x[c];
    }
    return out;
  }

  // Yarn with bounds of the ramp that are not whole.
  void Turn(size_t position, double* head) const {
    const double dim = config_["head_dim"], theta = config_["rope_theta"];
    const Json& scaling = config_["rope_scaling"];
    const double factor = scaling["factor"];
    const double original = scaling["original_max_position_embeddings"];
    const auto bound = [&](double turns) {
      return dim * std::log(original / (turns * 2 * M_PI)) / (2 * std::log(theta));
    };
    const double low = std::max(bound(scaling["beta_fast"]), 0.0);
    const double high = std::min(bound(scaling["beta_slow"]), dim - 1);
    const double amplitude = 0.1 * std::log(factor) + 1;
    const auto half = static_cast<size_t>(dim / 2);
    for (size_t i = 0; i < half; ++i) {
      const double frequency = std::pow(theta, -2 * static_cast<double>(i) / dim);
      const double ramp = std::clamp((static_cast<double>(i) - low) / (high - low), 0.0, 1.0);
      const double own = frequency / factor * ramp + frequency * (1 - ramp);
      const double angle = own * static_cast<double>(position);
      const double a = head[i], b = head[half + i];
      head[i] = amplitude * (a * std::cos(angle) - b * std::sin(angle));
      head[half + i] = amplitude * (b * std::cos(angle) + a * std::sin(angle));
    }
  }

  void Attend(const std::string& at, size_t window, std::vector<DoubleRow>* stream) const {
    const size_t heads = Size("num_attention_heads"), dim = Size("head_dim");
    const size_t share = heads / Size("num_key_value_heads");
    std::vector<DoubleRow> queries, keys, values;
    for (size_t t = 0; t < stream->size(); ++t) {
      const DoubleRow x = Norm(at + "input_layernorm", (*stream)[t]);
      queries.push_back(Times(at + "self_attn.q_proj", x));
      keys.push_back(Times(at + "self_attn.k_proj", x));
      values.push_back(Times(at + "self_attn.v_proj", x));
      for (size_t h = 0; h < heads; ++h) Turn(t, queries[t].data() + h * dim);
      for (size_t h = 0; h < heads / share; ++h) Turn(t, keys[t].data() + h * dim);
    }
    for (size_t t = 0; t < stream->size(); ++t) {
      DoubleRow all(heads * dim);
      for (size_t h = 0; h < heads; ++h) {
        const double sink = tensors_.at(at + "self_attn.sinks")[h];
        double sum = std::exp(sink);
        DoubleRow out(dim);
        for (size_t s = t + 1 > window ? t + 1 - window : 0; s <= t; ++s) {
          double score = 0;
          for (size_t i = 0; i < dim; ++i) {
            score += queries[t][h * dim + i] * keys[s][h / share * dim + i];
          }
          const double weight = std::exp(score / std::sqrt(static_cast<double>(dim)));
          sum += weight;
          for (size_t i = 0; i < dim; ++i) out[i] += weight * values[s][h / share * dim + i];
        }
        for (size_t i = 0; i < dim; ++i) all[h * dim + i] = out[i] / sum;
      }
      AddTo(Times(at + "self_attn.o_proj", all), &(*stream)[t]);
    }
  }

  DoubleRow Experts(const std::string& at, const DoubleRow& x) const {
    const DoubleRow scores = Times(at + "router", x);
    std::vector<size_t> order(scores.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::sort(order.begin(), order.end(),
              [&](size_t a, size_t b) { return scores[a] > scores[b]; });
    order.resize(Size("num_experts_per_tok"));
    double sum = 0;
    for (const size_t e : order) sum += std::exp(scores[e]);
    const double limit = config_["swiglu_limit"];
    DoubleRow out(x.size());
    for (const size_t e : order) {
      const std::string expert = fmt::format("{}experts.{}.", at, e);
      DoubleRow gate = Times(expert + "gate_proj", x);
      const DoubleRow up = Times(expert + "up_proj", x);
      for (size_t i = 0; i < gate.size(); ++i) {
        const double g = std::min(gate[i], limit);
        const double u = std::clamp(up[i], -limit, limit);
        gate[i] = (u + 1) * g / (1 + std::exp(-1.702 * g));
      }
      const DoubleRow down = Times(expert + "down_proj", gate);
      for (size_t i = 0; i < out.size(); ++i) out[i] += std::exp(scores[e]) / sum * down[i];
    }
    return out;
  }

  const Json config_;
  std::map<std::string, DoubleRow> tensors_;
};

std::vector<TokenId> GptOssIds() {
  std::vector<TokenId> ids;
  for (TokenId i = 0; i < 30; ++i) ids.push_back(i * 37 % 96);
  return ids;
}

TEST(GptOss, AgreesWithItsDefinition) {
  const Json config = testing::SmallConfig("gpt_oss");
  const auto tensors = testing::RandomTensors(config, 3).value();
  sys::SimFileSystem fs;
  ASSERT_TRUE(testing::WriteModelFolder(fs, "m", config, tensors).ok());
  const auto model = Model::Load(fs, "m");
  ASSERT_TRUE(model.ok()) << model.status().ToString();
  const DoubleRow wanted = NaiveGptOss(config, tensors).Logits(GptOssIds());
  const std::vector<float> found = AllLogits(**model, GptOssIds());
  ASSERT_EQ(found.size(), wanted.size());
  double error = 0, largest = 0;
  for (size_t i = 0; i < wanted.size(); ++i) {
    error = std::max(error, std::abs(static_cast<double>(found[i]) - wanted[i]));
    largest = std::max(largest, std::abs(wanted[i]));
  }
  EXPECT_LE(error, 1e-5 * largest);
}

// The experts of each layer in two tensors, gate and up by turns; as numbers [expert][in][out] or,
// where `blocks`, of 4 bits, [expert][out][in / 32]. `plain` gets what they mean, one by one.
std::vector<TinyTensor> StackExperts(const std::vector<TinyTensor>& tensors, bool blocks,
                                     std::vector<TinyTensor>* plain) {
  constexpr float kSizes[] = {0, 0.5f, 1, 1.5f, 2, 3, 4, 6};
  std::map<std::string, TinyTensor> named;
  std::vector<TinyTensor> result;
  for (const TinyTensor& tensor : tensors) {
    if (tensor.name.find(".experts.") == std::string::npos) {
      result.push_back(tensor);
      plain->push_back(tensor);
    } else {
      named[tensor.name] = tensor;
    }
  }
  std::mt19937 random(4);
  for (int layer = 0; layer < 4; ++layer) {
    const std::string at = fmt::format("model.layers.{}.mlp.experts.", layer);
    for (const bool pair : {true, false}) {
      const std::vector<std::string> parts = pair ? std::vector<std::string>{"gate_proj", "up_proj"}
                                                  : std::vector<std::string>{"down_proj"};
      const int64_t step = std::ssize(parts);
      const auto& shape = named.at(at + "0." + parts[0] + ".weight").shape;
      const int64_t outputs = shape[0] * step, inputs = shape[1];
      std::vector<float> numbers(static_cast<size_t>(4 * outputs * inputs)), biases;
      std::vector<uint8_t> codes(numbers.size() / 2), scales(numbers.size() / 32);
      for (int64_t e = 0; e < 4; ++e) {
        for (int64_t o = 0; o < outputs; ++o) {
          const std::string name =
              fmt::format("{}{}.{}", at, e, parts[static_cast<size_t>(o % step)]);
          biases.push_back(NumbersOf(named.at(name + ".bias"))[static_cast<size_t>(o / step)]);
          std::vector<float> all = NumbersOf(named.at(name + ".weight"));
          for (int64_t k = 0; k < inputs; ++k) {
            float& value = all[static_cast<size_t>(o / step * inputs + k)];
            if (blocks) {
              const auto place = static_cast<size_t>((e * outputs + o) * inputs + k);
              if (k % 32 == 0) scales[place / 32] = static_cast<uint8_t>(122 + random() % 3);
              const auto code = static_cast<uint8_t>(random() % 16);
              codes[place / 2] = static_cast<uint8_t>(codes[place / 2] | code << place % 2 * 4);
              value = std::ldexp(kSizes[code & 7], int{scales[place / 32]} - 127);
              if (code >= 8) value = -value;
            }
            numbers[static_cast<size_t>((e * inputs + k) * outputs + o)] = value;
          }
          named[name + ".weight"] =
              TensorOf(name + ".weight", named.at(name + ".weight").shape, all);
        }
      }
      const std::string stack = at + (pair ? "gate_up_proj" : "down_proj");
      if (blocks) {
        result.push_back(
            RawTensorOf(stack + "_blocks", {4, outputs, inputs / 32, 16}, "U8", codes));
        result.push_back(RawTensorOf(stack + "_scales", {4, outputs, inputs / 32}, "U8", scales));
      } else {
        result.push_back(TensorOf(stack, {4, inputs, outputs}, numbers));
      }
      result.push_back(TensorOf(stack + "_bias", {4, outputs}, biases));
    }
  }
  for (const auto& [name, tensor] : named) plain->push_back(tensor);
  return result;
}

TEST(GptOss, ExpertsInOneTensor) {
  for (const bool blocks : {false, true}) {
    Json config = testing::SmallConfig("gpt_oss");
    config["hidden_size"] = 64;
    config["intermediate_size"] = 32;
    const auto tensors = testing::RandomTensors(config, 3).value();
    std::vector<TinyTensor> plain;
    const auto stacked = StackExperts(tensors, blocks, &plain);
    sys::SimFileSystem fs;
    ASSERT_TRUE(testing::WriteModelFolder(fs, "plain", config, plain).ok());
    if (blocks) config["quantization_config"] = {{"quant_method", "mxfp4"}};
    ASSERT_TRUE(testing::WriteModelFolder(fs, "m", config, stacked).ok());
    const auto model = Model::Load(fs, "m", {.exact = true});
    const auto wanted = Model::Load(fs, "plain", {.exact = true});
    ASSERT_TRUE(model.ok()) << model.status().ToString();
    ASSERT_TRUE(wanted.ok()) << wanted.status().ToString();
    const Matrix& up =
        (*model)->state().weights.Matrix("model.layers.1.mlp.experts.2.up_proj.weight");
    EXPECT_EQ(MatrixTypeName(up.type()), blocks ? "i8/32" : "f32");
    EXPECT_LT(
        testing::LargestError(AllLogits(**model, GptOssIds()), AllLogits(**wanted, GptOssIds())),
        1e-5);
    EXPECT_EQ((*model)->quantized(), blocks);
  }
}

TEST(GptOss, ExpertsThatDoNotFitAreNamed) {
  Json config = testing::SmallConfig("gpt_oss");
  config["hidden_size"] = 64;
  config["intermediate_size"] = 32;
  config["quantization_config"] = {{"quant_method", "mxfp4"}};
  std::vector<TinyTensor> plain;
  const auto stacked = StackExperts(testing::RandomTensors(config, 3).value(), true, &plain);
  const auto expect = [&](const std::string& ending, auto&& change, const std::string& message) {
    std::vector<TinyTensor> changed = stacked;
    for (TinyTensor& tensor : changed) {
      if (tensor.name == "model.layers.0.mlp.experts." + ending) change(tensor);
    }
    sys::SimFileSystem fs;
    ASSERT_TRUE(testing::WriteModelFolder(fs, "m", config, changed).ok());
    const auto model = Model::Load(fs, "m");
    EXPECT_EQ(model.code(), Code::kBadModel) << message;
    EXPECT_NE(model.status().message().find(message), std::string::npos)
        << model.status().ToString();
  };
  expect(
      "gate_up_proj_scales", [](TinyTensor& t) { t.bytes[0] = 0xff; },
      "_scales\" is NaN at expert 0, output 0, block 0");
  expect(
      "gate_up_proj_blocks",
      [](TinyTensor& t) {
        t.shape = {2, 128, 2, 16};
      },
      "wanted [2, 128, 2]");
  expect(
      "gate_up_proj_blocks",
      [](TinyTensor& t) {
        t.shape = {4, 64, 1, 32};
      },
      "wanted [4, 64, 1, 16]");
  expect(
      "down_proj_bias",
      [](TinyTensor& t) {
        t.shape = {2, 128};
      },
      "wanted [64]");
}

}  // namespace
}  // namespace ferry::llm
