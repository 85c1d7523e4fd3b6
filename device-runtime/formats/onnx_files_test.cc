// Tensors in files beside the model.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>

#include "common/sys/sim/filesystem.h"
#include "device-runtime/engine/engine.h"
#include "device-runtime/formats/onnx.h"
#include "device-runtime/formats/testing/onnx_message.h"
#include "device-runtime/ir/text.h"
#include "device-runtime/tensor/alignment.h"

namespace ferry::formats {
namespace {

Message Entry(std::string_view key, std::string_view value) {
  return Message().Text(1, key).Text(2, value);
}

// f32 [2] named w in another file.
Message Outside(std::string_view location) {
  Message tensor = Message().Number(1, 2).Number(2, 1).Text(8, "w").Number(14, 1);
  return tensor.Sub(13, Entry("location", location));
}

Message AddW(const Message& tensor) {
  return Message()
      .Sub(1, Node("Add", {"x", "w"}, {"y"}))
      .Sub(5, tensor)
      .Sub(11, ValueInfo("x"))
      .Sub(12, ValueInfo("y"));
}

class OnnxFilesTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(disk_.MakeDirectories("m/sub").ok());
    Put("m/w.bin", FromHex("ffffffff"
                           "0000803f00000040"
                           "00")
                       .value());
    Put("m/sub/w.bin", FromHex("0000803f00000040").value());
    Put("secret", FromHex("0000803f00000040").value());
  }
  void Put(const std::string& path, const Bytes& bytes) {
    ASSERT_TRUE(sys::WriteFileAtomically(disk_, path, bytes).ok());
  }
  std::string Imported(const Message& tensor) {
    Put("m/model.onnx", ModelOf(AddW(tensor)));
    auto graph = ImportOnnxFile(disk_, "m/model.onnx");
    return graph.ok() ? ir::Print(*graph) : graph.status().ToString();
  }
  void Expect(const Message& tensor, std::string_view text) {
    const std::string all = Imported(tensor);
    EXPECT_NE(all.find(text), std::string::npos) << all;
  }

  sys::SimFileSystem disk_;
  int64_t unaligned_ = 0;
};

TEST_F(OnnxFilesTest, OffsetAndLength) {
  Expect(Outside("w.bin").Sub(13, Entry("offset", "4")).Sub(13, Entry("length", "8")),
         "const w f32 [2] = 1 2\n");
  Expect(Outside("sub/w.bin"), "const w f32 [2] = 1 2\n");
  Expect(Outside("./sub/./w.bin"), "const w f32 [2] = 1 2\n");
  Expect(Outside("w.bin").Sub(13, Entry("offset", "4")), "needs 8 bytes, 9 are given");
  Expect(Outside("w.bin").Sub(13, Entry("offset", "9")).Sub(13, Entry("length", "8")),
         "8 bytes at 9 lie outside the 13 bytes of 'w.bin'");
  Expect(Outside("w.bin").Sub(13, Entry("offset", "18446744073709551615")), "lie outside");
  Expect(Outside("w.bin").Sub(13, Entry("offset", "-4")), "offset '-4' is no number");
  Expect(Outside("none.bin"), "not_found");
}

TEST_F(OnnxFilesTest, NoPathLeavesTheFolder) {
  for (const char* location : {"../secret", "/secret", "sub/../../secret", "..", "",
                               "sub\\..\\..\\secret", "C:secret", "sub/../w.bin"}) {
    Expect(Outside(location), "is no file in the folder");
  }
  Expect(Outside(std::string_view("w.bin\0x", 7)), "is no file in the folder");
  Put("m/model.onnx", ModelOf(AddW(Outside("w.bin"))));
  auto bytes = ImportOnnx(ModelOf(AddW(Outside("w.bin"))));
  EXPECT_EQ(bytes.code(), Code::kUnsupported);
}

TEST_F(OnnxFilesTest, LargeTensorsAsStored) {
  constexpr int64_t kCount = 16384;
  const Message tensor = Message().Number(1, kCount).Number(2, 1).Text(8, "w").Text(
      9, std::string(kCount * sizeof(float), '\0'));
  for (size_t shift = 0; shift < 4; ++shift) {  // the name of the producer moves what follows
    Put("m/model.onnx", ModelOf(AddW(tensor).Text(2, std::string(shift + 1, 'g'))));
    const auto copied = ImportOnnxFile(disk_, "m/model.onnx");
    const auto stored = ImportOnnxFile(disk_, "m/model.onnx", OnnxTensors::kAsStored);
    ASSERT_TRUE(copied.ok()) << copied.status().ToString();
    ASSERT_TRUE(stored.ok()) << stored.status().ToString();
    for (const ir::Value& value : copied->values) {
      EXPECT_TRUE(!value.constant || tensor::IsAligned(*value.constant));
    }
    unaligned_ += std::ranges::count_if(stored->values, [](const ir::Value& value) {
      return value.constant && !tensor::IsAligned(*value.constant);
    });
  }
  EXPECT_GE(unaligned_, 3);
}

TEST_F(OnnxFilesTest, LargeTensorsStayInTheFile) {
  std::vector<float> weights(4096);
  for (size_t i = 0; i < weights.size(); ++i) weights[i] = static_cast<float>(i);
  const auto* raw = reinterpret_cast<const uint8_t*>(weights.data());
  Put("m/large.bin", Bytes(raw, raw + weights.size() * sizeof(float)));
  Message tensor = Message().Number(1, 4096).Number(2, 1).Text(8, "w").Number(14, 1);
  tensor.Sub(13, Entry("location", "large.bin"));
  const Message add = Message()
                          .Sub(1, Node("Add", {"x", "w"}, {"y"}))
                          .Sub(5, tensor)
                          .Sub(5, Message(tensor).Text(8, "again"))
                          .Sub(11, ValueInfo("x", TensorType(1, 1, 4096)))
                          .Sub(12, ValueInfo("y"))
                          .Sub(12, ValueInfo("again"));
  Put("m/model.onnx", ModelOf(add));
  auto graph = ImportOnnxFile(disk_, "m/model.onnx");
  ASSERT_TRUE(graph.ok()) << graph.status().ToString();
  std::vector<const uint8_t*> places;
  for (const ir::Value& value : graph->values) {
    if (value.constant) places.push_back(value.constant->raw());
  }
  ASSERT_EQ(places.size(), 2u);
  EXPECT_EQ(places[0], places[1]);
  const Bytes file = engine::Compile(*std::move(graph), {}).value();
  EXPECT_LT(file.size(), 2 * 4096 * sizeof(float));  // and the model file has them once
}

TEST_F(OnnxFilesTest, Mutations) {
  const Bytes good =
      ModelOf(AddW(Outside("w.bin").Sub(13, Entry("offset", "4")).Sub(13, Entry("length", "8"))));
  std::mt19937 random(5);
  int imported = 0;
  for (int round = 0; round < 2000; ++round) {
    Bytes file = good;
    for (int i = 0; i <= round % 3; ++i)
      file[random() % file.size()] = static_cast<uint8_t>(random());
    Put("m/model.onnx", file);
    imported += ImportOnnxFile(disk_, "m/model.onnx").ok();
  }
  EXPECT_GT(imported, 0);
}

// A model of more than 2 GB with a tensor behind the fourth gigabyte of another file; both files
// are holes for the most part.
TEST(OnnxLargeFiles, AreReadInPlace) {
  const auto folder = std::filesystem::path(testing::TempDir()) /
                      fmt::format("onnx_large_{}", std::random_device()());
  std::filesystem::create_directories(folder);
  auto write_at = [&](const char* name, uint64_t offset, const Bytes& head, const Bytes& tail) {
    std::ofstream file(folder / name, std::ios::binary);
    file.write(reinterpret_cast<const char*>(head.data()),
               static_cast<std::streamsize>(head.size()));
    file.seekp(static_cast<std::streamoff>(offset));
    file.write(reinterpret_cast<const char*>(tail.data()),
               static_cast<std::streamsize>(tail.size()));
    return file.good();
  };
  const uint64_t hole = 2'500'000'000, far = 4'500'000'000;
  const Bytes head = Message().Varint(100 << 3 | 2).Varint(hole).bytes;  // an unknown field
  const Message tensor =
      Outside("w.bin").Sub(13, Entry("offset", "4500000000")).Sub(13, Entry("length", "8"));
  const bool written = write_at("model.onnx", head.size() + hole, head, ModelOf(AddW(tensor))) &&
                       write_at("w.bin", far, {}, FromHex("0000803f00000040").value());
  if (written) {
    auto graph = ImportOnnxFile(sys::SystemFileSystem(), (folder / "model.onnx").string());
    EXPECT_TRUE(graph.ok()) << graph.status().ToString();
    if (graph.ok()) {
      EXPECT_NE(ir::Print(*graph).find("const w f32 [2] = 1 2\n"), std::string::npos);
    }
  }
  std::filesystem::remove_all(folder);
  if (!written) GTEST_SKIP() << "no room for files with holes";
}

}  // namespace
}  // namespace ferry::formats
