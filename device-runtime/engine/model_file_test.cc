#include <cstring>
#include <random>

#include <gtest/gtest.h>
#include "device-runtime/engine/engine.h"
#include "device-runtime/engine/model/file.h"
#include "device-runtime/ir/text.h"

namespace ferry::engine {
namespace {

constexpr const char* kNetwork = R"x(graph "a name with spaces"
input x f32 [n,1,2,2]
const w f32 [2,1,2,2] = 1 2 3 4 5 6 7 8
const i i64 [2] = 0 1
node Conv "first (conv)" (x, w) -> (h)
node Relu b (h) -> (r)
node Gather c (r, i) -> (y) axis=i1
output y f32 [n,2,1,1]
)x";

Bytes SmallFile() {
  return Compile(ir::Parse(kNetwork).value(), {.name = "small"}).value();
}

TEST(ModelFile, RoundTrip) {
  const Bytes file = SmallFile();
  auto model = Model::FromBytes(file);
  ASSERT_TRUE(model.ok()) << model.status().ToString();
  EXPECT_EQ((*model)->name(), "small");
  EXPECT_EQ((*model)->parameter_count(), 10);
  EXPECT_EQ((*model)->weight_bytes(), 8 * 4 + 2 * 8);
  EXPECT_EQ((*model)->outputs()[0].dims, (std::vector<int64_t>{-1, 2, 1, 1}));
  EXPECT_EQ(WriteModelFile((*model)->graph()), file);
}

// The bytes of version 1: a file that any later version must read.
TEST(ModelFile, GoldenHeader) {
  const Bytes file = SmallFile();
  EXPECT_EQ(ToHex(ByteView(file).first(24)),
            "46455252594d444c"
            "01000000"
            "00000000"
            "4000000000000000");
  EXPECT_EQ(GetU64(file.data() + 32) % 64, 0u);
  const auto text = AsText(ByteView(file).subspan(64, GetU64(file.data() + 24)));
  EXPECT_EQ(text,
            "graph small\n"
            "input x f32 [\"n\",1,2,2]\n"
            "const w f32 [2,1,2,2] at 0\n"
            "const i i64 [2] at 64\n"
            "node Conv \"first (conv)\" (x, w) -> (r) activation=s\"Clip\" high=finf low=f0\n"
            "node Gather c (r, i) -> (y) axis=i1\n"
            "output y f32 [\"n\",2,1,1]\n");
}

TEST(ModelFile, WeightsAreNotCopied) {
  Bytes file = SmallFile();
  auto buffer = std::make_shared<tensor::Buffer>(
      tensor::Buffer::Allocate(static_cast<int64_t>(file.size())).value());
  std::memcpy(buffer->data(), file.data(), file.size());
  auto model = Model::FromBytes({buffer->data(), file.size()}, buffer);
  ASSERT_TRUE(model.ok());
  for (const ir::Value& value : (*model)->graph().values) {
    if (!value.constant) continue;
    EXPECT_GE(value.constant->raw(), buffer->data());
    EXPECT_LT(value.constant->raw(), buffer->data() + buffer->size());
  }
}

TEST(ModelFile, BrokenHeaders) {
  const Bytes good = SmallFile();
  EXPECT_EQ(Model::FromBytes({}).code(), Code::kBadModel);
  Bytes version = good;
  version[8] = 2;
  auto result = Model::FromBytes(version);
  EXPECT_EQ(result.code(), Code::kBadModel);
  EXPECT_NE(result.status().message().find("version 2"), std::string::npos);
  for (size_t size = 0; size < good.size(); ++size) {
    EXPECT_EQ(Model::FromBytes(ByteView(good).first(size)).code(), Code::kBadModel) << size;
  }
}

TEST(ModelFile, PlacesOutsideTheWeights) {
  Bytes file = SmallFile();
  std::string text(AsText(file));
  const size_t at = text.find("at 64");
  file[at + 3] = '9';  // 94: not aligned
  auto result = Model::FromBytes(file);
  EXPECT_EQ(result.code(), Code::kBadModel);
  EXPECT_NE(result.status().message().find("line 4"), std::string::npos)
      << result.status().ToString();
}

TEST(ModelFile, ConstantsThatShareBytes) {
  std::string text = "graph g\n";
  for (const char* name : {"a", "b", "c"}) text += fmt::format("const {} f32 [16] at 0\n", name);
  text += "output a\n";
  text.resize((text.size() + 63) / 64 * 64, '\n');
  Bytes file(64 + text.size() + 64);
  std::memcpy(file.data(), "FERRYMDL", 8);
  PutU32(file.data() + 8, kModelFileVersion);
  PutU64(file.data() + 16, 64);
  PutU64(file.data() + 24, text.size());
  PutU64(file.data() + 32, 64 + text.size());
  PutU64(file.data() + 40, 64);
  std::memcpy(file.data() + 64, text.data(), text.size());
  auto result = Model::FromBytes(file);
  EXPECT_EQ(result.code(), Code::kBadModel);
  EXPECT_NE(result.status().message().find("overlap"), std::string::npos)
      << result.status().ToString();
}

TEST(ModelFile, Mutations) {
  const Bytes good = SmallFile();
  const size_t structure = 64 + GetU64(good.data() + 24);
  std::mt19937 random(11);
  int loaded = 0, planned = 0;
  for (int round = 0; round < 2000; ++round) {
    Bytes file = good;
    for (int i = 0; i <= round % 3; ++i)
      file[random() % structure] = static_cast<uint8_t>(random());
    auto model = Model::FromBytes(file);
    if (!model.ok()) continue;
    ++loaded;
    auto budget = std::make_shared<tensor::MemoryBudget>(16 << 20);
    auto session = Session::Create(*model, {.budget = budget});
    if (!session.ok()) continue;
    ++planned;
    const IoInfo& info = (*model)->inputs()[0];
    std::vector<int64_t> dims = info.dims;
    for (int64_t& dim : dims) dim = dim < 0 ? 1 : dim;
    auto input = Tensor::Zeros(info.dtype, Shape::Make(dims).value(), budget);
    if (input.ok()) (void)(*session)->Run({{info.name, *input}}).ok();
  }
  EXPECT_GT(loaded, 0);
  EXPECT_GT(planned, 0);
}

}  // namespace
}  // namespace ferry::engine
