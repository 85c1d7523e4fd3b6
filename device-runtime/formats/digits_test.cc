// The trained classifier of tasks/digits on its real test images.
#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>
#include "device-runtime/engine/engine.h"
#include "device-runtime/engine/reference/reference.h"
#include "device-runtime/formats/onnx.h"

namespace ferry::formats {
namespace {

using engine::Model;
using engine::Session;
using tensor::NamedTensor;
using tensor::Tensor;

constexpr int kImages = 450;
constexpr int kRight = 448;                // of the original in PyTorch
constexpr double kDigitsTolerance = 1e-5;  // absolute, against PyTorch's f32 output

Bytes ReadTask(const std::string& name) {
  std::ifstream file(fmt::format("{}/tasks/digits/{}", FERRY_SOURCE_DIR, name), std::ios::binary);
  EXPECT_TRUE(file.good()) << name;
  return Bytes(std::istreambuf_iterator<char>(file), {});
}

std::vector<float> Floats(const Bytes& bytes) {
  std::vector<float> floats(bytes.size() / 4);
  std::memcpy(floats.data(), bytes.data(), floats.size() * 4);
  return floats;
}

void Check(const Tensor& prob, size_t first_image) {
  static const std::vector<float> expected = Floats(ReadTask("prob.f32"));
  ASSERT_EQ(expected.size(), size_t{kImages} * 10);
  const auto values = prob.data<float>();
  for (size_t i = 0; i < values.size(); ++i) {
    ASSERT_NEAR(values[i], expected[first_image * 10 + i], kDigitsTolerance)
        << first_image << " " << i;
  }
}

int CountRight(const Tensor& prob, size_t first_image) {
  static const Bytes labels = ReadTask("labels.u8");
  int right = 0;
  const auto values = prob.data<float>();
  for (size_t i = 0; i < values.size() / 10; ++i) {
    const auto row = values.subspan(i * 10, 10);
    right += std::ranges::max_element(row) - row.begin() == labels[first_image + i];
  }
  return right;
}

Tensor Images(size_t first, int64_t count) {
  static const std::vector<float> images = Floats(ReadTask("images.f32"));
  EXPECT_EQ(images.size(), size_t{kImages} * 64);
  return Tensor::View(tensor::DType::kF32, {count, 1, 8, 8}, images.data() + first * 64);
}

TEST(Digits, EveryIsaBothBatchedAndAlone) {
  auto graph = ImportOnnx(ReadTask("digits.onnx"));
  ASSERT_TRUE(graph.ok()) << graph.status().ToString();
  auto model = Model::FromGraph(*graph);
  ASSERT_TRUE(model.ok()) << model.status().ToString();
  EXPECT_EQ((*model)->inputs()[0].name, "image");
  EXPECT_EQ((*model)->inputs()[0].dims, (std::vector<int64_t>{-1, 1, 8, 8}));
  EXPECT_EQ((*model)->inputs()[0].symbols[0], "n");
  for (const std::string& isa : engine::AvailableIsas()) {
    SCOPED_TRACE(isa);
    auto session = Session::Create(*model, {.isa = isa});
    ASSERT_TRUE(session.ok()) << session.status().ToString();
    int right = 0;
    for (size_t i = 0; i < kImages; ++i) {
      auto outputs = (*session)->Run({{"image", Images(i, 1)}});
      ASSERT_TRUE(outputs.ok()) << outputs.status().ToString();
      ASSERT_EQ((*outputs)[0].name, "prob");
      Check((*outputs)[0].tensor, i);
      right += CountRight((*outputs)[0].tensor, i);
    }
    EXPECT_EQ(right, kRight);
    // The free batch dimension: the session plans again.
    auto all = (*session)->Run({{"image", Images(0, kImages)}});
    ASSERT_TRUE(all.ok()) << all.status().ToString();
    Check((*all)[0].tensor, 0);
    EXPECT_EQ(CountRight((*all)[0].tensor, 0), kRight);
  }
}

TEST(Digits, NaiveReference) {
  auto graph = ImportOnnx(ReadTask("digits.onnx"));
  ASSERT_TRUE(graph.ok());
  const NamedTensor images[] = {{"image", Images(0, kImages)}};
  auto outputs = engine::RunReference(*graph, images);
  ASSERT_TRUE(outputs.ok()) << outputs.status().ToString();
  Check((*outputs)[0].tensor, 0);
}

TEST(Digits, ConvolutionsAreFused) {
  auto model = Model::FromGraph(ImportOnnx(ReadTask("digits.onnx")).value());
  ASSERT_TRUE(model.ok());
  auto session = Session::Create(*model);
  ASSERT_TRUE(session.ok());
  // 11 convolutions, one mean, one product, one softmax; activations and additions are inside, and
  // with one grey channel in and one position out nothing is transposed.
  EXPECT_EQ((*session)->plan().steps, 14) << (*session)->plan().text;
  EXPECT_LT((*session)->plan().arena_bytes, (*session)->plan().unshared_bytes / 2);
}

}  // namespace
}  // namespace ferry::formats
