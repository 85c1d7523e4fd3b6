// Well-known networks at their real sizes with made-up weights, engine against naive reference. The
// graphs lie in ../shared/models-real-shapes; each .graph is an ONNX model whose large initializers
// are empty, with a list of their shapes and ranges beside it.
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>

#include <gtest/gtest.h>
#include "common/base/json.h"
#include "device-runtime/engine/engine.h"
#include "device-runtime/engine/reference/reference.h"
#include "device-runtime/formats/onnx.h"
#include "device-runtime/formats/onnx/wire.h"

namespace ferry::formats {
namespace {

constexpr double kRealShapesTolerance = 1e-4;  // of the largest reference value

// A small generator (splitmix64), so that every machine has the same weights.
class Generator {
 public:
  explicit Generator(std::string_view name) {
    for (char c : name) state_ = (state_ ^ static_cast<uint8_t>(c)) * 0x100000001b3;
  }
  double Uniform() {  // [0, 1)
    state_ += 0x9e3779b97f4a7c15;
    uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
  }

 private:
  uint64_t state_ = 0xcbf29ce484222325;
};

void PutVarint(Bytes& out, uint64_t value) {
  for (; value >= 128; value >>= 7) out.push_back(static_cast<uint8_t>(value | 128));
  out.push_back(static_cast<uint8_t>(value));
}

void PutField(Bytes& out, const WireField& field, ByteView bytes) {
  PutVarint(out, (uint64_t{field.number} << 3) | field.type);
  if (field.type == 0) return PutVarint(out, field.value);
  if (field.type == 5 || field.type == 1) {
    for (int i = 0; i < (field.type == 1 ? 8 : 4); ++i) {
      out.push_back(static_cast<uint8_t>(field.value >> (8 * i)));
    }
    return;
  }
  PutVarint(out, bytes.size());
  out.insert(out.end(), bytes.begin(), bytes.end());
}

// Uniform values of the given mean, deviation and range, as f32 bytes.
Bytes Weights(const std::string& name, const Json& spec) {
  size_t count = 1;
  for (const Json& dim : *GetArray(spec, "dims").value()) count *= dim.get<size_t>();
  const double mean = GetNumber(spec, "mean").value();
  const double spread = GetNumber(spec, "std").value() * std::sqrt(3);
  const double low = GetNumber(spec, "min").value();
  const double high = GetNumber(spec, "max").value();
  Bytes bytes(count * 4);
  Generator random(name);
  for (size_t i = 0; i < count; ++i) {
    const double value = mean + spread * (2 * random.Uniform() - 1);
    const float f = static_cast<float>(std::min(high, std::max(low, value)));
    std::memcpy(bytes.data() + 4 * i, &f, 4);
  }
  return bytes;
}

Bytes FillInitializer(ByteView tensor, const Json& spec) {
  std::string name;
  Bytes out;
  WireReader reader(tensor);
  while (!reader.AtEnd()) {
    const WireField field = reader.Next().value();
    if (field.number == 8) name = field.text();
    if (field.number != 9) PutField(out, field, field.bytes);
  }
  if (!spec.contains(name)) return ToBytes(tensor);
  const Bytes weights = Weights(name, *GetObject(spec, name).value());
  PutField(out, {.number = 9, .type = 2}, weights);
  return out;
}

// The model with its weights: rewrites field 7 (graph) and in it field 5 (initializers).
Bytes Fill(ByteView model, const Json& spec) {
  Bytes out;
  WireReader reader(model);
  while (!reader.AtEnd()) {
    const WireField field = reader.Next().value();
    if (field.number != 7) {
      PutField(out, field, field.bytes);
      continue;
    }
    Bytes graph;
    WireReader inner(field.bytes);
    while (!inner.AtEnd()) {
      const WireField part = inner.Next().value();
      PutField(graph, part,
               part.number == 5 ? ByteView(FillInitializer(part.bytes, spec)) : part.bytes);
    }
    PutField(out, field, graph);
  }
  return out;
}

Bytes ReadAll(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return Bytes(std::istreambuf_iterator<char>(file), {});
}

class RealShapes : public testing::TestWithParam<const char*> {};

TEST_P(RealShapes, AgreesWithTheNaiveReference) {
  namespace fs = std::filesystem;
  const fs::path archive =
      fs::path(FERRY_SOURCE_DIR) / "../shared/models-real-shapes/graphs.tar.xz";
  if (!fs::exists(archive)) GTEST_SKIP() << "SKIPPED: " << archive << " is not there";
  const std::string name = GetParam();
  const fs::path folder = fs::path(testing::TempDir()) / ("real-shapes-" + name);
  fs::create_directories(folder);
  const std::string command = "tar -xJf '" + archive.string() + "' -C '" + folder.string() + "' " +
                              name + ".graph " + name + ".weights.json";
  if (std::system(command.c_str()) != 0) GTEST_SKIP() << "SKIPPED: cannot unpack " << archive;
  const Bytes text = ReadAll(folder / (name + ".weights.json"));
  auto spec = ParseJson(AsText(text));
  ASSERT_TRUE(spec.ok()) << spec.status().ToString();
  const Bytes file = Fill(ReadAll(folder / (name + ".graph")), *spec);
  fs::remove_all(folder);

  auto graph = ImportOnnx(file);
  ASSERT_TRUE(graph.ok()) << graph.status().ToString();
  auto model = engine::Model::FromGraph(*graph);
  ASSERT_TRUE(model.ok()) << model.status().ToString();
  std::vector<tensor::NamedTensor> inputs;
  for (const engine::IoInfo& info : (*model)->inputs()) {
    auto input = tensor::Tensor::Allocate(info.dtype, tensor::Shape::Make(info.dims).value());
    ASSERT_TRUE(input.ok());
    Generator random(info.name);
    for (float& value : input->mutable_data<float>())
      value = static_cast<float>(2 * random.Uniform() - 1);
    inputs.push_back({info.name, *input});
  }
  auto expected = engine::RunReference(*graph, inputs);
  ASSERT_TRUE(expected.ok()) << expected.status().ToString();
  for (const std::string& isa : engine::AvailableIsas()) {
    SCOPED_TRACE(isa);
    auto session = engine::Session::Create(*model, {.isa = isa});
    ASSERT_TRUE(session.ok()) << session.status().ToString();
    auto outputs = (*session)->Run(inputs);
    ASSERT_TRUE(outputs.ok()) << outputs.status().ToString();
    const auto begin = std::chrono::steady_clock::now();
    ASSERT_TRUE((*session)->Execute(inputs).ok());
    const double ms =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
    for (size_t i = 0; i < outputs->size(); ++i) {
      auto difference = tensor::Compare((*outputs)[i].tensor, (*expected)[i].tensor);
      ASSERT_TRUE(difference.ok()) << difference.status().ToString();
      EXPECT_TRUE(difference->Within(kRealShapesTolerance))
          << difference->max_abs << " of " << difference->max_reference;
      EXPECT_GT(difference->max_reference, 0);
      std::cout << fmt::format(
          "{} {}: difference {:.2e}, {} steps, arena {:.1f} of {:.1f} MB, {:.1f} ms\n", name, isa,
          difference->max_abs / difference->max_reference, (*session)->plan().steps,
          (*session)->plan().arena_bytes / 1e6, (*session)->plan().unshared_bytes / 1e6, ms);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Networks, RealShapes,
                         testing::Values("densenet121", "efficientnet_b0", "mnasnet1_0",
                                         "mobilenet_v2", "mobilenet_v2_dynamo",
                                         "mobilenet_v3_large", "mobilenet_v3_small", "resnet18",
                                         "resnet50", "shufflenet_v2_x1_0", "squeezenet1_1"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace ferry::formats
