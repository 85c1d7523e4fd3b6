// Checkpoints in foreign stored forms: what is loaded has the values of their definitions, runs
// like a float32 folder of these values, and keeps them in a model file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "common/base/json.h"
#include "common/sys/sim/filesystem.h"
#include "device-runtime/llm/file/writer.h"
#include "device-runtime/llm/load/parts.h"
#include "device-runtime/llm/load/stored/float8.h"
#include "device-runtime/llm/testing/forward.h"
#include "device-runtime/llm/testing/quantized.h"
#include "device-runtime/llm/testing/random_model.h"
#include "device-runtime/tensor/dtype.h"

namespace ferry::llm {
namespace {

using testing::AllLogits;
using testing::CodedOptions;
using testing::CodedValues;
using ::testing::HasSubstr;
using testing::LargestError;
using testing::RawTensorOf;
using testing::TensorOf;
using testing::TinyTensor;

const std::vector<TokenId> kStoredIds = {5, 28, 0, 77, 20, 33, 33, 1};
constexpr const char* kOneMatrix = "model.layers.0.mlp.up_proj.weight";

// Appends a matrix of the shape in a foreign form; returns what it means.
using AddMatrix = std::function<std::vector<float>(const std::string& name, int64_t rows,
                                                   int64_t columns, std::vector<TinyTensor>* to)>;

class StoredForms : public ::testing::Test {
 protected:
  StoredForms() {
    config_ = testing::SmallConfig("qwen2");
    config_["hidden_size"] = 128;
    config_["intermediate_size"] = 192;
    config_["num_hidden_layers"] = 2;
    config_["head_dim"] = 32;
    config_["tie_word_embeddings"] = true;
  }

  bool IsProduct(const std::string& name) { return name.ends_with("_proj.weight"); }

  // The folder "m" with products in a foreign form, and "plain" with their values in float32.
  void Write(const Json& quantization, const AddMatrix& add) {
    std::vector<TinyTensor> stored, plain;
    const std::vector<TinyTensor> random = testing::RandomTensors(config_, 3).value();
    for (const TinyTensor& tensor : random) {
      if (!IsProduct(tensor.name)) {
        stored.push_back(tensor);
        plain.push_back(tensor);
        continue;
      }
      const auto values = add(tensor.name, tensor.shape[0], tensor.shape[1], &stored);
      plain.push_back(TensorOf(tensor.name, tensor.shape, values));
    }
    Json config = config_;
    ASSERT_TRUE(testing::WriteModelFolder(fs_, "plain", config, plain).ok());
    if (!quantization.is_null()) config["quantization_config"] = quantization;
    ASSERT_TRUE(testing::WriteModelFolder(fs_, "m", config, stored).ok());
  }

  // Loads both: every value is equal, logits are, and a file that keeps the types is the model.
  void ExpectSameModel(const std::string& type) {
    const auto model = Model::Load(fs_, "m", {.exact = true});
    ASSERT_TRUE(model.ok()) << model.status().ToString();
    const auto plain = Model::Load(fs_, "plain", {.exact = true});
    ASSERT_TRUE(plain.ok()) << plain.status().ToString();
    for (const TensorSpec& spec : (*model)->state().specs) {
      if (spec.shape.size() != 2) continue;
      const Matrix& found = (*model)->state().weights.Matrix(spec.name);
      const Matrix& wanted = (*plain)->state().weights.Matrix(spec.name);
      if (IsProduct(spec.name)) {
        EXPECT_EQ(MatrixTypeName(found.type()), type) << spec.name;
      }
      std::vector<float> a(static_cast<size_t>(found.columns())), b(a.size());
      for (int64_t row = 0; row < found.rows(); ++row) {
        WidenRow(found, row, a.data());
        WidenRow(wanted, row, b.data());
        ASSERT_EQ(a, b) << spec.name << " row " << row;
      }
    }
    const std::vector<float> logits = AllLogits(**model, kStoredIds);
    EXPECT_LT(LargestError(logits, AllLogits(**plain, kStoredIds)), 1e-5);
    StoreOptions keep;
    keep.keep = true;
    ASSERT_TRUE(WriteModelFile(fs_, **model, "m.flm", keep).ok());
    const auto file = Model::Load(fs_, "m.flm", {.exact = true});
    ASSERT_TRUE(file.ok()) << file.status().ToString();
    EXPECT_EQ(AllLogits(**file, kStoredIds), logits);
    EXPECT_EQ((*file)->digest(), (*model)->digest());
    // With activations in 8 bits it runs too.
    const auto fast = Model::Load(fs_, "m");
    ASSERT_TRUE(fast.ok());
    EXPECT_LT(LargestError(AllLogits(**fast, kStoredIds), logits), 0.1);
  }

  AddMatrix Gptq(const CodedOptions& options, bool zeros_less_one) {
    return [this, options, zeros_less_one](const std::string& name, int64_t rows, int64_t columns,
                                           std::vector<TinyTensor>* to) {
      const CodedValues values = testing::RandomCoded(random_, rows, columns, options);
      testing::AddGptq(name, values, zeros_less_one, to);
      return values.Values();
    };
  }

  // The error of a folder whose tensors, all but one in good form, are changed.
  void ExpectError(const Json& quantization, const AddMatrix& add,
                   const std::function<void(std::vector<TinyTensor>&)>& change, Code code,
                   const std::string& message) {
    std::vector<TinyTensor> stored;
    const std::vector<TinyTensor> random = testing::RandomTensors(config_, 3).value();
    for (const TinyTensor& tensor : random) {
      if (IsProduct(tensor.name)) {
        add(tensor.name, tensor.shape[0], tensor.shape[1], &stored);
      } else {
        stored.push_back(tensor);
      }
    }
    change(stored);
    Json config = config_;
    config["quantization_config"] = quantization;
    ASSERT_TRUE(testing::WriteModelFolder(fs_, "bad", config, stored).ok());
    const auto model = Model::Load(fs_, "bad");
    ASSERT_FALSE(model.ok()) << message;
    EXPECT_EQ(model.code(), code) << model.status().ToString();
    EXPECT_THAT(model.status().message(), HasSubstr(message));
  }
  static TinyTensor& Named(std::vector<TinyTensor>& tensors, const std::string& name) {
    for (TinyTensor& tensor : tensors) {
      if (tensor.name == name) return tensor;
    }
    ADD_FAILURE() << name;
    return tensors[0];
  }

  sys::SimFileSystem fs_;
  std::mt19937 random_{5};
  Json config_;
};

// Random half-precision numbers, some of them subnormal.
std::vector<uint16_t> RandomHalves(std::mt19937& random, int64_t count) {
  std::normal_distribution<float> normal(0, 0.1f);
  std::vector<uint16_t> halves;
  for (int64_t i = 0; i < count; ++i) {
    const float value = i % 9 == 0 ? normal(random) * 1e-4f : normal(random);
    halves.push_back(tensor::FloatToHalf(value));
  }
  return halves;
}

TEST_F(StoredForms, HalfPrecisionStaysAsItIs) {
  Write(Json(),
        [&](const std::string& name, int64_t rows, int64_t columns, std::vector<TinyTensor>* to) {
          const std::vector<uint16_t> halves = RandomHalves(random_, rows * columns);
          to->push_back(RawTensorOf(name, {rows, columns}, "F16", halves));
          std::vector<float> values;
          for (const uint16_t half : halves) values.push_back(tensor::HalfToFloat(half));
          return values;
        });
  ExpectSameModel("f16");
}

// All codes: against the definition in powers of two.
TEST_F(StoredForms, Float8Values) {
  for (int code = 0; code < 256; ++code) {
    const int exponent = code >> 3 & 15;
    const double fraction = (code & 7) / 8.0;
    double wanted =
        exponent == 0 ? std::pow(2.0, -6) * fraction : std::pow(2.0, exponent - 7) * (1 + fraction);
    if (code >= 128) wanted = -wanted;
    const float found = Float8Value(static_cast<uint8_t>(code));
    if ((code & 127) == 127) {
      EXPECT_TRUE(std::isnan(found)) << code;
    } else {
      EXPECT_EQ(found, wanted) << code;
    }
  }
}

uint8_t RandomFloat8(std::mt19937& random) {
  // Up to 1/2 in size.
  return static_cast<uint8_t>((random() % 48) | (random() % 2) << 7);
}

TEST_F(StoredForms, Float8AloneIsBFloat16) {
  Write(Json(),
        [&](const std::string& name, int64_t rows, int64_t columns, std::vector<TinyTensor>* to) {
          std::vector<uint8_t> codes;
          std::vector<float> values;
          for (int64_t i = 0; i < rows * columns; ++i) {
            codes.push_back(RandomFloat8(random_));
            values.push_back(Float8Value(codes.back()));
          }
          to->push_back(RawTensorOf(name, {rows, columns}, "F8_E4M3", codes));
          return values;
        });
  ExpectSameModel("bf16");
}

TEST_F(StoredForms, Float8Blocks) {
  config_["intermediate_size"] = 200;  // blocks are cut at the end
  for (const bool powers : {false, true}) {
    Write({{"quant_method", "fp8"}, {"weight_block_size", {128, 128}}},
          [&](const std::string& name, int64_t rows, int64_t columns, std::vector<TinyTensor>* to) {
            const int64_t down = (rows + 127) / 128, across = (columns + 127) / 128;
            std::vector<float> scales;
            for (int64_t i = 0; i < down * across; ++i) {
              scales.push_back(powers ? 0.5f : 0.3f + 0.01f * static_cast<float>(random_() % 100));
            }
            std::vector<uint8_t> codes;
            std::vector<float> values;
            for (int64_t r = 0; r < rows; ++r) {
              for (int64_t k = 0; k < columns; ++k) {
                codes.push_back(RandomFloat8(random_));
                values.push_back(Float8Value(codes.back()) *
                                 scales[static_cast<size_t>(r / 128 * across + k / 128)]);
              }
            }
            to->push_back(RawTensorOf(name, {rows, columns}, "F8_E4M3", codes));
            to->push_back(RawTensorOf(name + "_scale_inv", {down, across}, "F32", scales));
            return values;
          });
    ExpectSameModel(powers ? "bf16" : "f32");
  }
}

TEST_F(StoredForms, Gptq) {
  struct Case {
    int bits;
    int64_t group;
    bool symmetric, v2;
    const char* type;
  };
  for (const Case& one :
       {Case{4, 128, true, false, "i4/128"}, Case{4, 32, false, false, "i4/32+zero"},
        Case{4, 64, false, true, "i4/64+zero"}, Case{8, 128, true, true, "i8/128"},
        Case{8, -1, false, false, "i8/row+zero"}, Case{2, 64, false, false, "i2/64+zero"},
        Case{3, 32, false, true, "i3/32+zero"}, Case{3, 128, true, false, "i3/128"},
        Case{4, 16, true, false, "f32"}}) {
    SCOPED_TRACE(one.type);
    Json quantization = {{"quant_method", "gptq"}, {"bits", one.bits}, {"group_size", one.group}};
    if (one.v2) quantization["checkpoint_format"] = "gptq_v2";
    Write(quantization,
          Gptq({.bits = one.bits, .group = one.group, .symmetric = one.symmetric}, !one.v2));
    ExpectSameModel(one.type);
  }
}

// Groups of columns that are no runs: rows of float32 have the same values.
TEST_F(StoredForms, GptqInTheOrderOfActivations) {
  Write({{"quant_method", "gptq"}, {"bits", 4}, {"group_size", 32}, {"desc_act", true}},
        Gptq({.mixed_columns = true}, true));
  ExpectSameModel("f32");
}

TEST_F(StoredForms, Awq) {
  for (const int64_t group : {32, 64, 128}) {
    Write({{"quant_method", "awq"}, {"bits", 4}, {"group_size", group}, {"version", "GEMM"}},
          [&](const std::string& name, int64_t rows, int64_t columns, std::vector<TinyTensor>* to) {
            const CodedValues values =
                testing::RandomCoded(random_, rows, columns, {.group = group});
            testing::AddAwq(name, values, to);
            return values.Values();
          });
    ExpectSameModel(fmt::format("i4/{}+zero", group));
  }
}

TEST_F(StoredForms, PackQuantized) {
  for (const int bits : {4, 8}) {
    for (const bool symmetric : {true, false}) {
      for (const int64_t group : {-1, 32, 64}) {
        const Json weights = {{"num_bits", bits},
                              {"type", "int"},
                              {"symmetric", symmetric},
                              {"group_size", group < 0 ? Json() : Json(group)}};
        Write({{"quant_method", "compressed-tensors"},
               {"format", "pack-quantized"},
               {"config_groups", {{"group_0", {{"weights", weights}}}}}},
              [&](const std::string& name, int64_t rows, int64_t columns,
                  std::vector<TinyTensor>* to) {
                const CodedValues values = testing::RandomCoded(
                    random_, rows, columns, {.bits = bits, .group = group, .symmetric = symmetric});
                testing::AddPackQuantized(name, values, to);
                return values.Values();
              });
        ExpectSameModel(fmt::format("i{}/{}{}", bits, group < 0 ? "row" : fmt::format("{}", group),
                                    symmetric ? "" : "+zero"));
      }
    }
  }
}

TEST_F(StoredForms, IntQuantized) {
  Write({{"quant_method", "compressed-tensors"}, {"format", "int-quantized"}},
        [&](const std::string& name, int64_t rows, int64_t columns, std::vector<TinyTensor>* to) {
          const CodedValues values =
              testing::RandomCoded(random_, rows, columns, {.bits = 8, .group = -1});
          testing::AddIntQuantized(name, values, to);
          return values.Values();
        });
  ExpectSameModel("i8/row+zero");
}

TEST_F(StoredForms, WhatQuantizationConfigMaySay) {
  const auto expect = [&](const Json& quantization, Code code, const std::string& message) {
    ExpectError(
        quantization, Gptq({}, true), [](auto&) {}, code, message);
  };
  expect({{"quant_method", "bitsandbytes"}}, Code::kUnsupported,
         "bad/config.json: quantization_config: quant_method \"bitsandbytes\"; supported: awq, "
         "compressed-tensors, fp8, gptq, mxfp4");
  expect({{"bits", 4}}, Code::kMalformed, "quant_method");
  expect({{"quant_method", "gptq"}, {"bits", 5}}, Code::kUnsupported, "bits is 5; supported: 2, 3");
  for (const int group : {0, -2, 7, 48}) {
    expect({{"quant_method", "gptq"}, {"bits", 4}, {"group_size", group}}, Code::kBadModel,
           fmt::format("group_size is {}", group));
  }
  expect({{"quant_method", "gptq"}, {"bits", 4}, {"checkpoint_format", "marlin"}},
         Code::kUnsupported, "checkpoint_format \"marlin\"");
  expect({{"quant_method", "awq"}, {"bits", 4}, {"version", "gemv"}}, Code::kUnsupported,
         "version \"gemv\"; supported: gemm");
  expect({{"quant_method", "compressed-tensors"}, {"format", "marlin-24"}}, Code::kUnsupported,
         "format \"marlin-24\"");
  expect({{"quant_method", "fp8"}, {"weight_block_size", {0, 128}}}, Code::kBadModel,
         "weight_block_size is [0,128]");
  // A group that is one, but not the files'.
  expect({{"quant_method", "gptq"}, {"bits", 4}, {"group_size", 64}}, Code::kBadModel,
         "wanted [2, ");
}

TEST_F(StoredForms, WhatTensorsMayHave) {
  const Json gptq = {{"quant_method", "gptq"}, {"bits", 4}, {"group_size", 32}};
  const std::string base = std::string(kOneMatrix).substr(0, std::strlen(kOneMatrix) - 7);
  const auto expect = [&](const std::function<void(std::vector<TinyTensor>&)>& change,
                          const std::string& message) {
    ExpectError(gptq, Gptq({}, true), change, Code::kBadModel, message);
  };
  // Stored 15 is a zero point of 16, which readers elsewhere take for 16 or for 0.
  expect([&](auto& tensors) { Named(tensors, base + ".qzeros").bytes[1] |= 0xf0; },
         "tensor \"" + std::string(kOneMatrix) +
             "\": the zero point of row 3, group 0 is 16, outside of 0 to 15");
  expect(
      [&](auto& tensors) {
        Named(tensors, base + ".scales").shape = {2, 384};
      },
      "tensor \"" + base + ".scales\" has shape [2, 384], wanted [4, 192]");
  expect(
      [&](auto& tensors) {
        Named(tensors, base + ".qzeros").shape = {24, 4};
      },
      base + ".qzeros\" has shape [24, 4], wanted [4, 24]");
  expect(
      [&](auto& tensors) {
        Named(tensors, base + ".qweight").shape = {32, 96};
      },
      base + ".scales\" has shape [4, 192], wanted [8, 96]");
  expect([&](auto& tensors) { Named(tensors, base + ".qweight").dtype = "F32"; },
         base + ".qweight\" is of dtype F32, wanted I32");
  expect([&](auto& tensors) { Named(tensors, base + ".g_idx").bytes[0] = 9; },
         "column 0 is of group 9, there are 4");
  expect([&](auto& tensors) { Named(tensors, base + ".g_idx").bytes[3] = 0x80; },
         "column 0 is of group -");
  expect(
      [&](auto& tensors) {
        std::erase_if(tensors, [&](const TinyTensor& t) { return t.name == base + ".scales"; });
      },
      "tensor \"" + base + ".scales\" is missing");
  expect(
      [&](auto& tensors) {  // infinite
        Named(tensors, base + ".scales").bytes[1] = 0x7c;
        Named(tensors, base + ".scales").bytes[0] = 0;
      },
      "tensor \"" + std::string(kOneMatrix) + "\" is NaN or infinite at row 0");
}

TEST_F(StoredForms, WhatFloat8MayHave) {
  config_["intermediate_size"] = 200;
  const auto add = [&](const std::string& name, int64_t rows, int64_t columns,
                       std::vector<TinyTensor>* to) {
    to->push_back(RawTensorOf(name, {rows, columns}, "F8_E4M3",
                              std::vector<uint8_t>(static_cast<size_t>(rows * columns), 0x30)));
    const int64_t down = (rows + 127) / 128, across = (columns + 127) / 128;
    to->push_back(RawTensorOf(name + "_scale_inv", {down, across}, "F32",
                              std::vector<float>(static_cast<size_t>(down * across), 1)));
    return std::vector<float>();
  };
  const Json fp8 = {{"quant_method", "fp8"}, {"weight_block_size", {128, 128}}};
  const std::string name = kOneMatrix;
  ExpectError(
      {{"quant_method", "fp8"}}, add, [](auto&) {}, Code::kBadModel,
      "needs quantization_config.weight_block_size");
  ExpectError(
      fp8, add,
      [&](auto& tensors) {
        Named(tensors, name + "_scale_inv").shape = {1, 2};
      },
      Code::kBadModel, name + "_scale_inv\" has shape [1, 2], wanted [2, 1]");
  ExpectError(
      fp8, add, [&](auto& tensors) { Named(tensors, name).bytes[3] = 0x7f; }, Code::kBadModel,
      "tensor \"" + name + "\" is NaN or infinite at element 3");
}

}  // namespace
}  // namespace ferry::llm
