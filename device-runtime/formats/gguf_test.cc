#include "device-runtime/formats/gguf.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "device-runtime/formats/testing/gguf_writer.h"

namespace ferry::formats {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr int kGgufFuzzRounds = 20'000;

// One of everything.
GgufWriter GoodWriter() {
  GgufWriter writer;
  writer.Add<uint8_t>("u8", GgufType::kU8, 200).Add<int8_t>("i8", GgufType::kI8, -5);
  writer.Add<uint16_t>("u16", GgufType::kU16, 60000).Add<int16_t>("i16", GgufType::kI16, -300);
  writer.Add<uint32_t>("u32", GgufType::kU32, 1u << 31).Add<int32_t>("i32", GgufType::kI32, -7);
  writer.Add<uint64_t>("u64", GgufType::kU64, ~uint64_t{0}).Add<int64_t>("i64", GgufType::kI64, -9);
  writer.Add<float>("f32", GgufType::kF32, 0.5f).Add<double>("f64", GgufType::kF64, 0.25);
  writer.Add<uint8_t>("yes", GgufType::kBool, 1).Add("text", "Gr\xc3\xbc\xc3\x9f");
  writer.AddArray<int32_t>("ints", GgufType::kI32, {3, -1});
  writer.AddArray<float>("floats", GgufType::kF32, {1.5f});
  writer.AddArray<std::string_view>("texts", GgufType::kText, {"a", "", "ccc"});
  writer.AddArray<uint8_t>("bytes", GgufType::kU8, {1, 2, 3});
  writer.AddTensor("b", {32, 2}, kGgufQ8_0, 32).AddTensor("a", {3}, kGgufF32, 0);
  writer.AddTensor("odd", {1}, 99, 32);
  return writer;
}

TEST(Gguf, ReadsMetadataByType) {
  const Bytes file = GoodWriter().Take(100);
  const auto read = Gguf::Read(file, "x.gguf");
  ASSERT_TRUE(read.ok()) << read.status().ToString();
  EXPECT_EQ(read->version(), 3u);
  EXPECT_EQ(read->metadata().size(), 16u);
  EXPECT_EQ(read->Find("u8")->Integer(), 200);
  EXPECT_EQ(read->Find("i8")->Integer(), -5);
  EXPECT_EQ(read->Find("u16")->Integer(), 60000);
  EXPECT_EQ(read->Find("i16")->Integer(), -300);
  EXPECT_EQ(read->Find("u32")->Integer(), int64_t{1} << 31);
  EXPECT_EQ(read->Find("i32")->Integer(), -7);
  EXPECT_EQ(read->Find("u64")->Integer(), std::nullopt);
  EXPECT_EQ(read->Find("u64")->Number(), 0x1p64);
  EXPECT_EQ(read->Find("i64")->Integer(), -9);
  EXPECT_EQ(read->Find("f32")->Number(), 0.5);
  EXPECT_EQ(read->Find("f64")->Number(), 0.25);
  EXPECT_EQ(read->Find("yes")->Bool(), true);
  EXPECT_EQ(read->Find("text")->Text(), "Gr\xc3\xbc\xc3\x9f");
  EXPECT_THAT(*read->Find("ints")->Integers(), ElementsAre(3, -1));
  EXPECT_THAT(*read->Find("floats")->Numbers(), ElementsAre(1.5));
  EXPECT_THAT(*read->Find("texts")->Texts(), ElementsAre("a", "", "ccc"));
  EXPECT_THAT(*read->Find("bytes")->ItemBytes(), ElementsAre(1, 2, 3));
  EXPECT_EQ(read->Find("f32")->Integer(), std::nullopt);
  EXPECT_EQ(read->Find("text")->Integers(), std::nullopt);
  EXPECT_EQ(read->Find("ints")->Texts(), std::nullopt);
  EXPECT_EQ(read->Find("texts")->Integers(), std::nullopt);
  EXPECT_EQ(read->Find("ints")->Number(), std::nullopt);
  EXPECT_EQ(read->Find("nothing"), nullptr);
}

TEST(Gguf, ReadsTensorsInPlace) {
  const Bytes file = GoodWriter().Take(100);
  const auto read = Gguf::Read(file, "x.gguf");
  ASSERT_TRUE(read.ok()) << read.status().ToString();
  ASSERT_EQ(read->tensors().size(), 3u);
  const GgufTensor* b = read->FindTensor("b");
  ASSERT_NE(b, nullptr);
  EXPECT_THAT(b->shape, ElementsAre(2, 32));
  EXPECT_EQ(b->type, kGgufQ8_0);
  EXPECT_EQ(b->bytes.size(), 2u * 34);
  EXPECT_EQ(b->bytes[0], 32);
  EXPECT_EQ(read->FindTensor("a")->bytes.size(), 12u);
  EXPECT_TRUE(read->FindTensor("odd")->bytes.empty());
  EXPECT_EQ(read->FindTensor("c"), nullptr);
  EXPECT_TRUE(Gguf::Read(GoodWriter().Take(100, 2), "x.gguf").ok());
  GgufWriter aligned;
  aligned.Add<uint32_t>("general.alignment", GgufType::kU32, 8).AddTensor("a", {1}, kGgufF16, 8);
  EXPECT_EQ(Gguf::Read(aligned.Take(10, 3, 8), "x.gguf")->FindTensor("a")->bytes[0], 8);
}

TEST(Gguf, TypesOfTensors) {
  const struct {
    uint32_t number;
    const char* row;
  } cases[] = {{0, "F32 1 4"},       {1, "F16 1 2"},       {2, "Q4_0 32 18"},
               {3, "Q4_1 32 20"},    {8, "Q8_0 32 34"},    {12, "Q4_K 256 144"},
               {13, "Q5_K 256 176"}, {14, "Q6_K 256 210"}, {30, "BF16 1 2"}};
  for (const auto& one : cases) {
    const GgufTensorType* type = FindGgufTensorType(one.number);
    ASSERT_NE(type, nullptr) << one.row;
    EXPECT_EQ(fmt::format("{} {} {}", type->name, type->block_values, type->block_bytes), one.row);
  }
  EXPECT_EQ(FindGgufTensorType(4), nullptr);
  EXPECT_EQ(FindGgufTensorType(1000), nullptr);
}

void ExpectBad(const Bytes& file, Code code, std::string_view message) {
  const auto read = Gguf::Read(file, "bad.gguf");
  ASSERT_FALSE(read.ok()) << message;
  EXPECT_EQ(read.code(), code) << read.status().ToString();
  EXPECT_THAT(read.status().message(), HasSubstr("bad.gguf"));
  EXPECT_THAT(read.status().message(), HasSubstr(std::string(message)));
}

TEST(Gguf, NamesFileAndThing) {
  const auto tensor = [](const std::vector<uint64_t>& extents, uint32_t type, uint64_t offset) {
    return GgufWriter().AddTensor("w", extents, type, offset).Take(64);
  };
  ExpectBad({}, Code::kMalformed, "no GGUF file");
  ExpectBad(ToBytes(std::string_view("GGUF\3\0\0\0")), Code::kMalformed, "no GGUF file");
  ExpectBad(GgufWriter().Take(0, 1), Code::kUnsupported, "version 1");
  ExpectBad(GgufWriter().Take(0, 3u << 24), Code::kUnsupported, "version 50331648");
  ExpectBad(tensor({3}, kGgufF32, 1), Code::kMalformed, "\"w\": offset 1");
  ExpectBad(tensor({3}, kGgufF32, 96), Code::kMalformed, "\"w\": offset 96");
  ExpectBad(tensor({17}, kGgufF32, 0), Code::kMalformed, "[17] of F32");
  ExpectBad(tensor({31}, kGgufQ8_0, 0), Code::kMalformed, "whole blocks");
  ExpectBad(tensor({1, uint64_t{1} << 62, 4}, kGgufF32, 0), Code::kMalformed, "does not fit");
  ExpectBad(tensor({uint64_t{1} << 63}, kGgufF32, 0), Code::kMalformed, "an extent of");
  ExpectBad(tensor(std::vector<uint64_t>(9, 1), kGgufF32, 0), Code::kLimitExceeded, "9 extents");
  ExpectBad(GgufWriter().AddTensor("v", {8}, 0, 0).AddTensor("w", {9}, 0, 0).Take(64),
            Code::kMalformed, "overlap");
  ExpectBad(GgufWriter().AddTensor("w", {1}, 0, 0).AddTensor("w", {1}, 0, 32).Take(64),
            Code::kMalformed, "tensor \"w\" is there twice");
  ExpectBad(GgufWriter().Add("k", "1").Add("k", "2").Take(), Code::kMalformed, "\"k\" is there");
  ExpectBad(GgufWriter().Add<uint8_t>("k", GgufType::kBool, 2).Take(), Code::kMalformed, "\"k\"");
  ExpectBad(GgufWriter().Add<uint32_t>("k", static_cast<GgufType>(13), 0).Take(), Code::kMalformed,
            "type 13");
  ExpectBad(GgufWriter().Add<uint32_t>("general.alignment", GgufType::kU32, 24).Take(),
            Code::kMalformed, "alignment");
  ExpectBad(GgufWriter().Add("", "x").Take(), Code::kMalformed, "an empty name");
  ExpectBad(GgufWriter().Add(std::string(70'000, 'k'), "x").Take(), Code::kLimitExceeded, "name");
}

TEST(Gguf, CountsAreBounded) {
  Bytes file = GgufWriter().Add("k", "v").Take();
  PutU64(file.data() + 16, kMaxGgufEntries + 1);
  ExpectBad(file, Code::kLimitExceeded, "metadata entries");
  PutU64(file.data() + 16, 1000);
  ExpectBad(file, Code::kMalformed, "1000 metadata entries pass the end");
  PutU64(file.data() + 8, kMaxGgufTensors + 1);
  ExpectBad(file, Code::kLimitExceeded, "tensors");
  GgufWriter deep;  // an array of arrays of arrays ...
  deep.Add<uint32_t>("deep", GgufType::kArray, 9);
  Bytes nested = deep.Take();
  for (int i = 0; i < 8; ++i) {
    nested.insert(nested.end(), {1, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0});
  }
  ExpectBad(nested, Code::kLimitExceeded, "nested deeper");
  Bytes long_array = GgufWriter().Add<uint32_t>("a", GgufType::kArray, 0).Take();
  long_array.resize(long_array.size() + 8);
  PutU64(long_array.data() + long_array.size() - 8, kMaxGgufItems + 1);
  ExpectBad(long_array, Code::kLimitExceeded, "items");
  PutU64(long_array.data() + long_array.size() - 8, 77);
  ExpectBad(long_array, Code::kMalformed, "77 items pass the end");
}

// Reads all that a file that is accepted says.
void UseGguf(const Gguf& gguf, const Bytes& file) {
  for (const GgufEntry& entry : gguf.metadata()) {
    (void)entry.value.Integer();
    (void)entry.value.Number();
    (void)entry.value.Integers();
    (void)entry.value.Numbers();
    if (const auto texts = entry.value.Texts()) {
      for (const std::string_view text : *texts) ASSERT_LE(text.size(), file.size());
    }
  }
  for (const GgufTensor& tensor : gguf.tensors()) {
    if (tensor.bytes.empty()) continue;
    ASSERT_GE(tensor.bytes.data(), file.data());
    ASSERT_LE(tensor.bytes.data() + tensor.bytes.size(), file.data() + file.size());
  }
}

TEST(Gguf, CutAnywhereIsMalformed) {
  const Bytes file = GoodWriter().Take(100);
  for (size_t size = 0; size + 1 < file.size(); ++size) {
    const Bytes cut(file.begin(), file.begin() + size);
    const auto read = Gguf::Read(cut, "cut.gguf");
    if (read.ok()) UseGguf(*read, cut);
    ASSERT_EQ(read.ok() ? Code::kMalformed : read.code(), Code::kMalformed) << size;
  }
}

TEST(Gguf, MutationsNeverReadOutside) {
  const Bytes good = GoodWriter().Take(100);
  std::mt19937 random(1);
  int accepted = 0;
  for (int round = 0; round < kGgufFuzzRounds; ++round) {
    Bytes file = good;
    for (int i = 1 + static_cast<int>(random() % 3); i > 0; --i) {
      const size_t at = random() % file.size();
      if (random() % 4 == 0) {
        file.resize(at + 1);
      } else {
        file[at] =
            random() % 2 == 0 ? static_cast<uint8_t>(random()) : file[at] ^ (1 << random() % 8);
      }
    }
    const auto read = Gguf::Read(file, "mutated.gguf");
    if (!read.ok()) continue;
    ++accepted;
    UseGguf(*read, file);
  }
  EXPECT_GT(accepted, 100);
  EXPECT_LT(accepted, kGgufFuzzRounds);
}

}  // namespace
}  // namespace ferry::formats
