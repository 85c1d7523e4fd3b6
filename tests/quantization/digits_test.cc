// The trained classifier of tasks/digits, quantised in every way, on its real test images.
#include <algorithm>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>

#include <gtest/gtest.h>
#include "device-runtime/engine/engine.h"
#include "device-runtime/formats/onnx.h"
#include "device-runtime/formats/onnx_writer.h"
#include "device-runtime/quant/quantize.h"

namespace ferry::quant {
namespace {

constexpr int kImages = 450;
constexpr int kCalibrationImages = 64;

Bytes ReadTask(const std::string& name) {
  std::ifstream file(fmt::format("{}/tasks/digits/{}", FERRY_SOURCE_DIR, name), std::ios::binary);
  EXPECT_TRUE(file.good()) << name;
  return Bytes(std::istreambuf_iterator<char>(file), {});
}

Tensor Images(int first, int count) {
  static const Bytes bytes = ReadTask("images.f32");
  EXPECT_EQ(bytes.size(), size_t{kImages} * 64 * 4);
  Tensor out = Tensor::Allocate(DType::kF32, {count, 1, 8, 8}).value();
  std::memcpy(out.mutable_raw(), bytes.data() + static_cast<size_t>(first) * 256,
              static_cast<size_t>(count) * 256);
  return out;
}

const ir::Graph& Digits() {
  static const ir::Graph graph = formats::ImportOnnx(ReadTask("digits.onnx")).value();
  return graph;
}

// Every seventh image.
std::vector<Sample> CalibrationImages() {
  std::vector<Sample> out;
  for (int i = 0; i < kCalibrationImages; ++i) out.push_back({{"image", Images(i * 7, 1)}});
  return out;
}

std::vector<int> Classes(const ir::Graph& graph) {
  auto model = engine::Model::FromGraph(graph);
  EXPECT_TRUE(model.ok()) << model.status().ToString();
  auto session = engine::Session::Create(*model);
  EXPECT_TRUE(session.ok()) << session.status().ToString();
  auto outputs = (*session)->Run({{"image", Images(0, kImages)}});
  EXPECT_TRUE(outputs.ok()) << outputs.status().ToString();
  const auto prob = (*outputs)[0].tensor.data<float>();
  std::vector<int> out;
  for (size_t i = 0; i < kImages; ++i) {
    const auto row = prob.subspan(i * 10, 10);
    out.push_back(static_cast<int>(std::ranges::max_element(row) - row.begin()));
  }
  return out;
}

struct Accuracy {
  int changed = 0;  // classes that differ from the float model's
  int right = 0;
};
Accuracy Against(const std::vector<int>& classes) {
  static const std::vector<int> exact = Classes(Digits());
  static const Bytes labels = ReadTask("labels.u8");
  Accuracy out;
  for (size_t i = 0; i < kImages; ++i) {
    out.changed += classes[i] != exact[i];
    out.right += classes[i] == labels[i];
  }
  return out;
}

struct Way {
  const char* name;
  Options options;
  int most_changed;
};

TEST(QuantizedDigits, AtMostOneImageChanges) {
  const Way ways[] = {
      {"int8 minmax", {}, 1},
      {"int8 percentile", {.calibration = Calibration::kPercentile}, 1},
      {"int8 kl", {.calibration = Calibration::kKl}, 1},
      {"int8 mse", {.calibration = Calibration::kMse}, 1},
      {"int8 minmax, i8", {.activations = DType::kI8}, 1},
      {"int8 minmax, not equalised", {.equalize = false}, 1},
      {"int8 minmax, no bias correction", {.correct_bias = false}, 1},
      {"int8-dynamic", {.type = Type::kInt8Dynamic}, 1},
      {"weight8", {.type = Type::kWeight8}, 1},
      {"weight8, blocks of 32", {.type = Type::kWeight8, .block = 32}, 1},
      {"f16", {.type = Type::kF16}, 0},
      {"bf16", {.type = Type::kBF16}, 1},
      // Coarse on purpose, on a network of 20 thousand weights.
      {"int8, one scale a layer", {.per_channel = false}, 4},
      {"weight4", {.type = Type::kWeight4}, 6},
      {"weight4, zero points", {.type = Type::kWeight4, .zero_points = true}, 6},
  };
  const auto samples = CalibrationImages();
  const int right = Against(Classes(Digits())).right;
  for (const Way& way : ways) {
    auto result = Quantize(Digits(), samples, way.options);
    ASSERT_TRUE(result.ok()) << way.name << ": " << result.status().ToString();
    const Accuracy accuracy = Against(Classes(result->graph));
    std::cout << fmt::format(
        "{:<34} {} of {} changed, {} right ({} in float), SNR {:.1f} dB\n", way.name,
        accuracy.changed, kImages, accuracy.right, right,
        result->report.outputs.empty() ? 0.0 : result->report.outputs[0].snr_db);
    EXPECT_LE(accuracy.changed, way.most_changed) << way.name;
  }
}

TEST(QuantizedDigits, TheOnnxFileIsTheSameModel) {
  for (Type type :
       {Type::kInt8, Type::kInt8Dynamic, Type::kWeight8, Type::kWeight4, Type::kF16, Type::kBF16}) {
    auto result = Quantize(Digits(), CalibrationImages(), {.type = type});
    ASSERT_TRUE(result.ok()) << result.status().ToString();
    auto bytes = formats::WriteOnnx(result->graph);
    ASSERT_TRUE(bytes.ok()) << bytes.status().ToString();
    auto again = formats::ImportOnnx(*bytes);
    ASSERT_TRUE(again.ok()) << again.status().ToString();
    EXPECT_EQ(Classes(*again), Classes(result->graph)) << TypeName(type);
  }
}

}  // namespace
}  // namespace ferry::quant
