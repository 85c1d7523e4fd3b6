// GGUF files: the model of each architecture is that of its Hugging Face folder, and each type of
// blocks has the values of its definition.
#include "device-runtime/llm/load/gguf/gguf.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>

#include "common/base/json.h"
#include "common/sys/sim/filesystem.h"
#include "device-runtime/llm/file/writer.h"
#include "device-runtime/llm/testing/forward.h"
#include "device-runtime/llm/testing/gguf_file.h"
#include "device-runtime/llm/testing/random_model.h"
#include "device-runtime/tensor/dtype.h"

namespace ferry::llm {
namespace {

using formats::GgufType;
using testing::AllLogits;
using testing::GgufEncoded;
using testing::GgufFile;
using testing::GgufOptions;
using ::testing::HasSubstr;
using testing::LargestError;
using testing::NumbersOf;
using testing::TensorOf;
using testing::TinyTensor;

std::vector<TokenId> GgufIds() {
  std::mt19937 random(3);
  std::vector<TokenId> ids;
  for (int i = 0; i < 40; ++i) ids.push_back(static_cast<TokenId>(random() % 96));
  return ids;
}

struct ArchitectureCase {
  const char* architecture;
  const char* model_type;
  const char* changes;  // JSON: of the small model; null: it has no such member
};
const ArchitectureCase kCases[] = {
    {"ernie4_5", "ernie4_5", "{}"},
    {"gemma", "gemma", "{}"},
    {"gemma2", "gemma2", "{}"},
    {"gemma3", "gemma3_text", "{}"},
    {"glm4", "glm4", "{}"},
    {"gpt-oss", "gpt_oss", R"({"swiglu_limit": null})"},
    {"gpt2", "gpt2", "{}"},
    {"granite", "granite", "{}"},
    {"hunyuan-dense", "hunyuan_v1_dense", R"({"rope_scaling": null})"},
    {"internlm2", "llama", R"({"rope_scaling": null})"},
    {"llama", "llama", "{}"},
    {"llama", "mixtral", "{}"},
    {"minicpm", "granite", "{}"},
    {"olmo2", "olmo2", "{}"},
    {"phi3", "phi3", "{}"},
    {"qwen2", "qwen2", R"({"use_sliding_window": null, "sliding_window": null})"},
    {"qwen3", "qwen3", "{}"},
    {"qwen3moe", "qwen3_moe", R"({"mlp_only_layers": null})"},
    {"smollm3", "smollm3", R"({"no_rope_layers": null})"},
};

class GgufArchitectures : public ::testing::TestWithParam<ArchitectureCase> {};

TEST_P(GgufArchitectures, IsTheModelOfItsFolder) {
  Json config = testing::SmallConfig(GetParam().model_type);
  const Json changes = ParseJson(GetParam().changes).value();
  for (const auto& [name, value] : changes.items()) {
    if (value.is_null()) {
      config.erase(name);
    } else {
      config[name] = value;
    }
  }
  const auto tensors = testing::RandomTensors(config, 9).value();
  sys::SimFileSystem fs;
  ASSERT_TRUE(testing::WriteModelFolder(fs, "m", config, tensors).ok());
  GgufOptions options{.architecture = GetParam().architecture};
  options.more = [&](formats::GgufWriter& writer) {
    const std::string begin = std::string(GetParam().architecture) + ".";
    if (config.contains("partial_rotary_factor")) {
      writer.Add(begin + "rope.dimension_count", GgufType::kU32,
                 static_cast<uint32_t>(config["partial_rotary_factor"].get<double>() *
                                       config["head_dim"].get<double>()));
    }
    if (config.contains("rope_scaling") && config["rope_scaling"].contains("factor") &&
        !config["rope_scaling"].contains("low_freq_factor")) {
      const Json& scaling = config["rope_scaling"];
      writer.Add(begin + "rope.scaling.type", scaling["rope_type"].get<std::string>());
      writer.Add(begin + "rope.scaling.original_context_length", GgufType::kU32,
                 scaling.value("original_max_position_embeddings", uint32_t{512}));
      writer.Add(begin + "rope.scaling.factor", GgufType::kF32,
                 config["rope_scaling"]["factor"].get<float>());
    }
  };
  ASSERT_TRUE(sys::WriteFileAtomically(fs, "m.gguf", GgufFile(config, tensors, options)).ok());
  const auto folder = Model::Load(fs, "m");
  const auto file = Model::Load(fs, "m.gguf");
  ASSERT_TRUE(folder.ok()) << folder.status().ToString();
  ASSERT_TRUE(file.ok()) << file.status().ToString();
  EXPECT_LT(LargestError(AllLogits(**file, GgufIds()), AllLogits(**folder, GgufIds())), 1e-5);
  EXPECT_EQ((*file)->config().end_tokens, std::vector<TokenId>{2});
  EXPECT_EQ((*file)->config().context, (*folder)->config().context);
  EXPECT_EQ((*file)->parameters(), (*folder)->parameters());
  EXPECT_FALSE((*file)->quantized());
}

INSTANTIATE_TEST_SUITE_P(All, GgufArchitectures, ::testing::ValuesIn(kCases), [](const auto& info) {
  std::string name = fmt::format("{}_{}", info.param.architecture, info.param.model_type);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

// Random blocks of each type, and the values of its definition, bit by bit.
float Half(const uint8_t* at) {
  uint16_t bits;
  std::memcpy(&bits, at, 2);
  return tensor::HalfToFloat(bits);
}

// The six-bit scale and minimum of sub-block j, as ggml packs them.
void ScaleAndMin(const uint8_t* q, int j, int* scale, int* least) {
  if (j < 4) {
    *scale = q[j] & 63;
    *least = q[j + 4] & 63;
  } else {
    *scale = (q[j + 4] & 0xf) | ((q[j - 4] >> 6) << 4);
    *least = (q[j + 4] >> 4) | ((q[j] >> 6) << 4);
  }
}

double NaiveValue(uint32_t type, const uint8_t* b, int i) {
  const auto nibble = [&](const uint8_t* qs) { return i < 16 ? qs[i] & 15 : qs[i - 16] >> 4; };
  const auto fifth = [&](const uint8_t* qh) { return (qh[i / 8] >> i % 8 & 1) << 4; };
  switch (type) {
    case formats::kGgufQ8_0:
      return double{Half(b)} * static_cast<int8_t>(b[2 + i]);
    case formats::kGgufQ4_0:
      return double{Half(b)} * (nibble(b + 2) - 8);
    case formats::kGgufQ4_1:
      return double{Half(b)} * nibble(b + 4) + double{Half(b + 2)};
    case formats::kGgufQ5_0:
      return double{Half(b)} * ((nibble(b + 6) | fifth(b + 2)) - 16);
    case formats::kGgufQ5_1:
      return double{Half(b)} * (nibble(b + 8) | fifth(b + 4)) + double{Half(b + 2)};
    case formats::kGgufQ4_K:
    case formats::kGgufQ5_K: {
      int scale, least;
      ScaleAndMin(b + 4, i / 32, &scale, &least);
      const bool five = type == formats::kGgufQ5_K;
      const uint8_t byte = b[(five ? 48 : 16) + i / 64 * 32 + i % 32];
      int code = i / 32 % 2 == 0 ? byte & 15 : byte >> 4;
      if (five && (b[16 + i % 32] >> (i / 32) & 1) != 0) code += 16;
      return double{Half(b)} * scale * code - double{Half(b + 2)} * least;
    }
    case formats::kGgufMXFP4: {
      constexpr double kSizes[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
      const int code = nibble(b + 1);
      const double size = kSizes[code & 7] * std::pow(2.0, b[0] - 127);
      return code >= 8 ? -size : size;
    }
    default: {  // Q6_K
      const int n = i / 128, l = i % 32, part = i % 128 / 32;
      const uint8_t low = b[n * 64 + l + (part % 2) * 32];
      const uint8_t high = b[128 + n * 32 + l];
      const int code = ((part < 2 ? low & 15 : low >> 4) | ((high >> 2 * part & 3) << 4)) - 32;
      const int scale = static_cast<int8_t>(b[192 + n * 8 + l / 16 + 2 * part]);
      return double{Half(b + 208)} * scale * code;
    }
  }
}

// Random bits, scales of a reasonable size.
Bytes RandomBlock(std::mt19937& random, const formats::GgufTensorType& type) {
  Bytes block(type.block_bytes);
  for (uint8_t& byte : block) byte = static_cast<uint8_t>(random());
  const auto put = [&](size_t at, float value) {
    const uint16_t bits = tensor::FloatToHalf(value);
    std::memcpy(block.data() + at, &bits, 2);
  };
  const float size = std::uniform_real_distribution<float>(0.5f, 1.5f)(random);
  switch (type.number) {
    case formats::kGgufQ6_K:
      put(208, size * 1e-5f);
      break;
    case formats::kGgufQ4_K:
    case formats::kGgufQ5_K:
      put(0, size * 2e-4f);
      put(2, size * 1e-3f);
      break;
    case formats::kGgufMXFP4:
      block[0] = static_cast<uint8_t>(121 + random() % 4);
      break;
    case formats::kGgufQ8_0:
      put(0, size * 1e-3f);
      break;
    default:
      put(0, size * 1e-2f);
      if (type.number == formats::kGgufQ4_1 || type.number == formats::kGgufQ5_1) {
        put(2, -0.1f * size);
      }
  }
  return block;
}

class GgufTypes : public ::testing::TestWithParam<uint32_t> {};

TEST_P(GgufTypes, HasTheValuesOfItsDefinition) {
  Json config = testing::SmallConfig("qwen3");
  config["hidden_size"] = 256;
  config["intermediate_size"] = 512;
  config["num_hidden_layers"] = 1;
  config["num_attention_heads"] = 8;
  config["head_dim"] = 32;
  const auto tensors = testing::RandomTensors(config, 9).value();
  const formats::GgufTensorType& type = *formats::FindGgufTensorType(GetParam());
  std::mt19937 random(7);
  std::map<std::string, std::vector<float>> meant;
  GgufOptions options{.architecture = "qwen3"};
  options.encode = [&](const std::string& name, int64_t columns, const std::vector<float>& values) {
    EXPECT_EQ(columns % type.block_values, 0);
    GgufEncoded encoded{GetParam(), {}};
    for (size_t at = 0; at < values.size(); at += type.block_values) {
      const Bytes block = RandomBlock(random, type);
      encoded.bytes.insert(encoded.bytes.end(), block.begin(), block.end());
      for (int i = 0; i < static_cast<int>(type.block_values); ++i) {
        meant[name].push_back(static_cast<float>(NaiveValue(GetParam(), block.data(), i)));
      }
    }
    return encoded;
  };
  sys::SimFileSystem fs;
  ASSERT_TRUE(sys::WriteFileAtomically(fs, "m.gguf", GgufFile(config, tensors, options)).ok());
  const auto file = Model::Load(fs, "m.gguf", {.exact = true});
  ASSERT_TRUE(file.ok()) << file.status().ToString();
  EXPECT_TRUE((*file)->quantized());
  // The same values in a folder.
  std::vector<TinyTensor> plain;
  for (const TinyTensor& tensor : tensors) {
    int64_t expert = -1;
    const auto it = meant.find(GgufTensorName("qwen3", tensor.name, &expert));
    plain.push_back(it == meant.end() ? tensor : TensorOf(tensor.name, tensor.shape, it->second));
    if (it == meant.end()) continue;
    const Matrix& matrix = (*file)->state().weights.Matrix(tensor.name);
    std::vector<float> row(static_cast<size_t>(matrix.columns()));
    for (int64_t r = 0; r < matrix.rows(); ++r) {
      WidenRow(matrix, r, row.data());
      for (size_t k = 0; k < row.size(); ++k) {
        const float wanted = it->second[static_cast<size_t>(r) * row.size() + k];
        ASSERT_NEAR(row[k], wanted, 2e-7 * std::max(1.0f, std::abs(wanted)))
            << type.name << " " << tensor.name << " " << r << " " << k;
      }
    }
  }
  ASSERT_TRUE(testing::WriteModelFolder(fs, "plain", config, plain).ok());
  const auto folder = Model::Load(fs, "plain");
  ASSERT_TRUE(folder.ok()) << folder.status().ToString();
  const std::vector<float> logits = AllLogits(**file, GgufIds());
  EXPECT_LT(LargestError(logits, AllLogits(**folder, GgufIds())), 2e-5);
  // A model file that keeps the types is the same model.
  StoreOptions keep;
  keep.keep = true;
  ASSERT_TRUE(WriteModelFile(fs, **file, "m.flm", keep).ok());
  const auto kept = Model::Load(fs, "m.flm", {.exact = true});
  ASSERT_TRUE(kept.ok()) << kept.status().ToString();
  EXPECT_EQ(AllLogits(**kept, GgufIds()), logits);
}

INSTANTIATE_TEST_SUITE_P(
    All, GgufTypes,
    ::testing::Values(formats::kGgufQ4_0, formats::kGgufQ4_1, formats::kGgufQ5_0,
                      formats::kGgufQ5_1, formats::kGgufQ8_0, formats::kGgufMXFP4,
                      formats::kGgufQ4_K, formats::kGgufQ5_K, formats::kGgufQ6_K),
    [](const auto& info) { return std::string(formats::FindGgufTensorType(info.param)->name); });

TEST(GgufModels, HalvesStayHalves) {
  for (const uint32_t type : {formats::kGgufF16, formats::kGgufBF16}) {
    const Json config = testing::SmallConfig("qwen3");
    GgufOptions options{.architecture = "qwen3"};
    options.encode = [&](const std::string&, int64_t, const std::vector<float>& values) {
      GgufEncoded encoded{type, Bytes(values.size() * 2)};
      for (size_t i = 0; i < values.size(); ++i) {
        const uint16_t half = type == formats::kGgufF16 ? tensor::FloatToHalf(values[i])
                                                        : tensor::FloatToBFloat16(values[i]);
        std::memcpy(encoded.bytes.data() + 2 * i, &half, 2);
      }
      return encoded;
    };
    sys::SimFileSystem fs;
    const auto tensors = testing::RandomTensors(config, 9).value();
    ASSERT_TRUE(sys::WriteFileAtomically(fs, "m.gguf", GgufFile(config, tensors, options)).ok());
    const auto model = Model::Load(fs, "m.gguf");
    ASSERT_TRUE(model.ok()) << model.status().ToString();
    EXPECT_EQ(MatrixTypeName((*model)->weight_type()), type == formats::kGgufF16 ? "f16" : "bf16");
    EXPECT_FALSE((*model)->quantized());
  }
}

TEST(GgufModels, TokenizerAndTemplateComeFromTheFile) {
  const Json config = testing::SmallConfig("qwen3");
  GgufOptions options{.architecture = "qwen3"};
  options.more = [](formats::GgufWriter& writer) {
    writer.Add("tokenizer.ggml.model", "llama");
    std::vector<std::string_view> tokens = {"<unk>", "<s>", "</s>", "\xe2\x96\x81", "a", "b", "ab"};
    writer.AddArray<std::string_view>("tokenizer.ggml.tokens", GgufType::kText, tokens);
    writer.AddArray<float>("tokenizer.ggml.scores", GgufType::kF32, {0, 0, 0, -1, -2, -3, -0.5f});
    writer.AddArray<int32_t>("tokenizer.ggml.token_type", GgufType::kI32, {2, 3, 3, 1, 1, 1, 1});
    writer.Add("tokenizer.chat_template", "{{ messages[0]['content'] }}");
  };
  sys::SimFileSystem fs;
  const auto tensors = testing::RandomTensors(config, 9).value();
  ASSERT_TRUE(sys::WriteFileAtomically(fs, "m.gguf", GgufFile(config, tensors, options)).ok());
  const auto model = Model::Load(fs, "m.gguf");
  ASSERT_TRUE(model.ok()) << model.status().ToString();
  EXPECT_TRUE((*model)->tokenizer().ok()) << (*model)->tokenizer().status().ToString();
  EXPECT_TRUE((*model)->chat_template().ok());
  ASSERT_TRUE(WriteModelFile(fs, **model, "m.flm", kernels::WeightType::kF32).ok());
  const auto kept = Model::Load(fs, "m.flm");
  ASSERT_TRUE(kept.ok());
  EXPECT_TRUE((*kept)->tokenizer().ok());
  EXPECT_TRUE((*kept)->chat_template().ok());
}

TEST(GgufModels, WhatIsWrongIsNamed) {
  const Json config = testing::SmallConfig("qwen3");
  const auto tensors = testing::RandomTensors(config, 9).value();
  const auto expect = [&](const Json& of, const std::vector<TinyTensor>& with,
                          const GgufOptions& options, Code code, const std::string& message) {
    const auto model = Model::FromBytes(GgufFile(of, with, options), nullptr);
    ASSERT_FALSE(model.ok()) << message;
    EXPECT_EQ(model.code(), code) << model.status().ToString();
    EXPECT_THAT(model.status().message(), HasSubstr(message));
  };
  expect(config, tensors, {.architecture = "qwen3mo"}, Code::kUnsupported,
         "general.architecture \"qwen3mo\" is not supported; the nearest is \"qwen3moe\"");
  expect(config, tensors,
         {.architecture = "qwen3",
          .more =
              [](formats::GgufWriter& writer) {
                writer.Add("split.count", GgufType::kU16, uint16_t{3});
              }},
         Code::kUnsupported, "one of 3 that a model was split into");
  std::vector<TinyTensor> fewer = tensors;
  std::erase_if(fewer,
                [](const TinyTensor& t) { return t.name == "model.layers.1.mlp.up_proj.weight"; });
  expect(config, fewer, {.architecture = "qwen3"}, Code::kBadModel,
         "1 tensors are missing: model.layers.1.mlp.up_proj.weight");
  fewer = tensors;
  std::erase_if(fewer, [](const TinyTensor& t) { return t.name == "model.embed_tokens.weight"; });
  expect(config, fewer, {.architecture = "qwen3"}, Code::kBadModel, "token_embd.weight");
  Json wide = config;
  wide["intermediate_size"] = 64;
  expect(wide, tensors, {.architecture = "qwen3"}, Code::kBadModel, "has shape [48, 32], wanted");
  Json many = config;
  many["num_hidden_layers"] = 5000;
  expect(many, tensors, {.architecture = "qwen3"}, Code::kLimitExceeded,
         "num_hidden_layers is 5000");
  GgufOptions strange{.architecture = "qwen3"};
  strange.encode = [](const std::string&, int64_t, const std::vector<float>& values) {
    return GgufEncoded{28, Bytes(values.size() * 8)};  // F64
  };
  expect(config, tensors, strange, Code::kUnsupported, "is of type F64; supported: F32, F16, BF16");
}

}  // namespace
}  // namespace ferry::llm
