#include "device-runtime/formats/safetensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace ferry::formats {
namespace {

using ::testing::HasSubstr;

constexpr int kFuzzRounds = 20'000;

Bytes FileOf(std::string_view header, size_t data_bytes) {
  Bytes file(8);
  PutU64(file.data(), header.size());
  file.insert(file.end(), header.begin(), header.end());
  for (size_t i = 0; i < data_bytes; ++i) file.push_back(static_cast<uint8_t>(i));
  return file;
}

constexpr std::string_view kGood = R"({"__metadata__":{"format":"pt"},)"
                                   R"("b":{"dtype":"BF16","shape":[2,3],"data_offsets":[8,20]},)"
                                   R"("a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},)"
                                   R"("none":{"dtype":"I64","shape":[0,5],"data_offsets":[20,20]},)"
                                   R"("one":{"data_offsets":[20,21],"shape":[],"dtype":"U8"}})";

TEST(Safetensors, ReadsInPlaceByName) {
  const Bytes file = FileOf(kGood, 21);
  const auto read = Safetensors::Read(file, "x.safetensors");
  ASSERT_TRUE(read.ok()) << read.status().ToString();
  ASSERT_EQ(read->tensors().size(), 4u);
  const SafetensorsTensor* b = read->Find("b");
  ASSERT_NE(b, nullptr);
  EXPECT_EQ(b->dtype, "BF16");
  EXPECT_EQ(b->shape, (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(b->bytes.data(), file.data() + 8 + kGood.size() + 8);
  EXPECT_EQ(b->bytes.size(), 12u);
  EXPECT_EQ(read->Find("one")->bytes[0], 20);
  EXPECT_TRUE(read->Find("none")->bytes.empty());
  EXPECT_EQ(read->Find("c"), nullptr);
}

struct BadCase {
  const char* header;
  const char* message;
};
class BadSafetensors : public ::testing::TestWithParam<BadCase> {};

TEST_P(BadSafetensors, NamesFileAndThing) {
  const auto read = Safetensors::Read(FileOf(GetParam().header, 8), "bad.safetensors");
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.code(), Code::kBadModel);
  EXPECT_THAT(read.status().message(), HasSubstr("bad.safetensors"));
  EXPECT_THAT(read.status().message(), HasSubstr(GetParam().message));
}
constexpr BadCase kBad[] = {
    {"", "no JSON"},
    {"{\"a\":", "no JSON at byte"},
    {"[]", "a list where a tensor"},
    {"7", "a number where a tensor"},
    {R"({"a":3})", "a number where a tensor"},
    {R"({"a":{"dtype":"F32","shape":[2]}})", "\"a\": dtype, shape and data_offsets"},
    {R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8],"x":1}})", "unknown member \"x\""},
    {R"({"a":{"dtype":"F32","dtype":"F32","shape":[2],"data_offsets":[0,8]}})", "two \"dtype\""},
    {R"({"a":{"dtype":"F33","shape":[2],"data_offsets":[0,8]}})", "unknown dtype \"F33\""},
    {R"({"a":{"dtype":7,"shape":[2],"data_offsets":[0,8]}})", "\"dtype\" has a number"},
    {R"({"a":{"dtype":"F32","shape":"2","data_offsets":[0,8]}})", "\"shape\" has a text"},
    {R"({"a":{"dtype":"F32","shape":[-2],"data_offsets":[0,8]}})", "a negative number"},
    {R"({"a":{"dtype":"F32","shape":[2.0],"data_offsets":[0,8]}})", "a fraction"},
    {R"({"a":{"dtype":"F32","shape":[[2]],"data_offsets":[0,8]}})", "a list"},
    {R"({"a":{"dtype":"F32","shape":[1,1,1,1,1,1,1,1,2],"data_offsets":[0,8]}})", "more than 8"},
    {R"({"a":{"dtype":"F32","shape":[3],"data_offsets":[0,8]}})", "does not make 8 bytes"},
    {R"({"a":{"dtype":"F32","shape":[4611686018427387904,2],"data_offsets":[0,8]}})", "\"a\""},
    {R"({"a":{"dtype":"F32","shape":[0,18446744073709551615],"data_offsets":[0,0]}})", "extent"},
    {R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,9]}})", "lie outside"},
    {R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[8,0]}})", "lie outside"},
    {R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[8]}})", "not two"},
    {R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[18446744073709551608,0]}})", "outside"},
    {R"({"a":{"dtype":"U8","shape":[5],"data_offsets":[0,5]},)"
     R"("b":{"dtype":"U8","shape":[4],"data_offsets":[4,8]}})",
     "\"b\" overlaps"},
    {R"({"a":{"dtype":"U8","shape":[3],"data_offsets":[0,3]},)"
     R"("b":{"dtype":"U8","shape":[4],"data_offsets":[4,8]}})",
     "\"b\" leaves a gap"},
    {R"({"a":{"dtype":"U8","shape":[7],"data_offsets":[0,7]}})", "last 1 bytes"},
    {R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},)"
     R"("a":{"dtype":"U8","shape":[4],"data_offsets":[4,8]}})",
     "\"a\" is there twice"},
    {R"({"__metadata__":{"a":[1]},"a":{"dtype":"U8","shape":[8],"data_offsets":[0,8]}})", "a list"},
};
INSTANTIATE_TEST_SUITE_P(Cases, BadSafetensors, ::testing::ValuesIn(kBad));

TEST(Safetensors, RefusesLengthsThatCannotBe) {
  EXPECT_EQ(Safetensors::Read({}, "x").code(), Code::kBadModel);
  Bytes file = FileOf(kGood, 21);
  PutU64(file.data(), file.size() - 7);
  EXPECT_EQ(Safetensors::Read(file, "x").code(), Code::kBadModel);
  PutU64(file.data(), UINT64_MAX);
  EXPECT_EQ(Safetensors::Read(file, "x").code(), Code::kBadModel);
  Bytes large(8 + kMaxSafetensorsHeader + 1, ' ');
  PutU64(large.data(), kMaxSafetensorsHeader + 1);
  EXPECT_EQ(Safetensors::Read(large, "x").code(), Code::kLimitExceeded);
}

TEST(Safetensors, DeepNestingIsRefused) {
  const std::string header = "{\"a\":" + std::string(1 << 20, '[');
  EXPECT_EQ(Safetensors::Read(FileOf(header, 0), "x").code(), Code::kBadModel);
}

// Mutated files are read or refused, and what is read lies inside the file.
TEST(Safetensors, Fuzz) {
  std::mt19937 random(7);
  int good = 0;
  for (int round = 0; round < kFuzzRounds; ++round) {
    Bytes file = FileOf(kGood, 21);
    const int edits = 1 + static_cast<int>(random() % 4);
    for (int i = 0; i < edits && !file.empty(); ++i) {
      const size_t at = random() % file.size();
      switch (random() % 4) {
        case 0:
          file[at] = static_cast<uint8_t>(random());
          break;
        case 1:
          file[at] = static_cast<uint8_t>("0123456789[]{},:\"-"[random() % 18]);
          break;
        case 2:
          file.erase(file.begin() + static_cast<ptrdiff_t>(at));
          break;
        default:
          file.resize(at + 1);
          break;
      }
    }
    const auto read = Safetensors::Read(file, "fuzz");
    if (!read.ok()) {
      ASSERT_TRUE(read.code() == Code::kBadModel || read.code() == Code::kLimitExceeded);
      continue;
    }
    ++good;
    for (const SafetensorsTensor& tensor : read->tensors()) {
      ASSERT_GE(tensor.bytes.data(), file.data());
      ASSERT_LE(tensor.bytes.data() + tensor.bytes.size(), file.data() + file.size());
    }
  }
  EXPECT_GT(good, 0);
  EXPECT_LT(good, kFuzzRounds / 2);
}

}  // namespace
}  // namespace ferry::formats
