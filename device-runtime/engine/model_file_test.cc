#include <cstring>
#include <random>

#include <gtest/gtest.h>
#include "device-runtime/engine/engine.h"
#include "device-runtime/engine/model/crc64.h"
#include "device-runtime/engine/model/file.h"
#include "device-runtime/ir/text.h"

namespace ferry::engine {
namespace {

constexpr const char* kModelFileNetwork = R"x(graph "a name with spaces"
input x f32 [n,1,2,2]
const w f32 [2,1,2,2] = 1 2 3 4 5 6 7 8
const i i64 [2] = 0 1
node Conv "first (conv)" (x, w) -> (h)
node Relu b (h) -> (r)
node Gather c (r, i) -> (y) axis=i1
output y f32 [n,2,1,1]
)x";

// Makes the checksum of header and text right again.
void Seal(Bytes& file) {
  const uint64_t size = GetU64(file.data() + 24);
  if (GetU32(file.data() + 8) == 1 || size > file.size() - 64) return;
  PutU64(file.data() + 48,
         Crc64(ByteView(file).subspan(64, size), Crc64(ByteView(file).first(48))));
}

// In memory that is aligned as a mapped file's.
ByteView AlignedCopy(const Bytes& file) {
  static tensor::Buffer buffer;
  buffer = tensor::Buffer::Allocate(static_cast<int64_t>(file.size())).value();
  std::memcpy(buffer.data(), file.data(), file.size());
  return {buffer.data(), file.size()};
}

Bytes SmallFile() {
  return Compile(ir::Parse(kModelFileNetwork).value(), {.name = "small"}).value();
}

TEST(ModelFile, RoundTrip) {
  const Bytes file = SmallFile();
  auto model = Model::FromBytes(file);
  ASSERT_TRUE(model.ok()) << model.status().ToString();
  EXPECT_EQ((*model)->name(), "small");
  EXPECT_EQ((*model)->parameter_count(), 10);
  EXPECT_EQ((*model)->weight_bytes(), 8 * 4 + 2 * 8);
  EXPECT_EQ((*model)->outputs()[0].dims, (std::vector<int64_t>{-1, 2, 1, 1}));
  EXPECT_EQ(WriteModelFile((*model)->graph()).value(), file);
  EXPECT_TRUE((*model)->VerifyWeights().ok());
}

constexpr std::string_view kText =
    "graph small\n"
    "input x f32 [\"n\",1,2,2]\n"
    "const w f32 [2,1,2,2] at 0\n"
    "const i i64 [2] at 64\n"
    "node Conv \"first (conv)\" (x, w) -> (r) activation=s\"Clip\" high=finf low=f0\n"
    "node Gather c (r, i) -> (y) axis=i1\n"
    "output y f32 [\"n\",2,1,1]\n";

TEST(ModelFile, GoldenHeader) {
  const Bytes file = SmallFile();
  EXPECT_EQ(ToHex(ByteView(file).first(64)),
            "46455252594d444c"
            "02000000"
            "00000000"
            "4000000000000000"
            "dd00000000000000"
            "4001000000000000"
            "8000000000000000"
            "497b8d6043520213"
            "1dd8ba9bcc15063a");
  EXPECT_EQ(AsText(ByteView(file).subspan(64, kText.size())), kText);
}

// The bytes of version 1: a file that any later version must read.
TEST(ModelFile, VersionOneLoads) {
  std::string hex =
      "46455252594d444c"
      "01000000"
      "00000000"
      "4000000000000000"
      "dd00000000000000"
      "4001000000000000"
      "8000000000000000"
      "0000000000000000"
      "0000000000000000" +
      ToHex(AsBytes(kText)) + std::string(2 * (256 - kText.size()), '0') +
      "0000803f00000040000040400000804000"
      "00a0400000c0400000e04000000041" +
      std::string(2 * 32, '0') +
      "0000000000000000"
      "0100000000000000" +
      std::string(2 * 48, '0');
  const Bytes file = FromHex(hex).value();
  auto model = Model::FromBytes(file);
  ASSERT_TRUE(model.ok()) << model.status().ToString();
  EXPECT_EQ((*model)->VerifyWeights().code(), Code::kUnsupported);
  auto session = Session::Create(*model).value();
  const float ones[] = {1, 1, 1, 1};
  auto outputs = session->Run({{"x", Tensor::Of<float>({1, 1, 2, 2}, ones).value()}});
  ASSERT_TRUE(outputs.ok()) << outputs.status().ToString();
  EXPECT_EQ(ir::PrintTensor((*outputs)[0].tensor), "f32 [1,2,1,1] = 10 26");
  EXPECT_EQ(WriteModelFile((*model)->graph()).value(), SmallFile());
}

TEST(ModelFile, Crc64IsTheStandardOne) {
  EXPECT_EQ(Crc64(AsBytes("123456789")), 0x995dc9bbdf1939fau);
  EXPECT_EQ(Crc64(AsBytes("6789"), Crc64(AsBytes("12345"))), 0x995dc9bbdf1939fau);
  EXPECT_EQ(Crc64({}), 0u);
}

TEST(ModelFile, ChecksumsFindEveryChange) {
  const Bytes good = SmallFile();
  for (size_t at = 0; at < good.size(); ++at) {
    if (at >= 64 + kText.size() && at < 320) continue;  // between text and weights
    Bytes file = good;
    file[at] ^= 16;
    auto model = Model::FromBytes(file);
    const bool is_weight = at >= 320 || (at >= 56 && at < 64);
    ASSERT_EQ(model.ok(), is_weight) << at;
    if (is_weight) {
      EXPECT_EQ((*model)->VerifyWeights().code(), Code::kCorruptContent) << at;
    }
  }
}

// What imports can hold beyond plain constants.
ir::Graph RichGraph() {
  constexpr const char* kAll = R"x(graph all
input s optional(seq(f32))
input any f32
input c bool []
const words string [2,1] = "a \"b\"" "\x0a"
const four u4 [3] = 15 1 2
const signed i4 [3] = -8 7 -1
const two i2 [5] = -2 -1 0 1 -2
const small f4e2m1 [3] = 0.5 -6 1
const w f32 [17] = 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17
const same f32 [17] = 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17
node Relu@6 r (any) -> (y)
output y
output words
output four
output signed
output two
output small
output w
output same
)x";
  ir::Graph graph = ir::Parse(kAll).value();
  auto body = [](float value) {
    ir::Graph g;
    g.name = "body";
    g.outputs = {g.AddConstant("k", Tensor::Of<float>({1}, std::span(&value, 1)).value())};
    return std::make_shared<const ir::Graph>(std::move(g));
  };
  graph.nodes[0].attributes["one"] = ir::Subgraph(body(5));
  graph.nodes[0].attributes["two"] = ir::Subgraph(body(5));
  return graph;
}

TEST(ModelFile, BodiesTextsVersionsKindsAndPackedElements) {
  const ir::Graph graph = RichGraph();
  ASSERT_TRUE(ir::Verify(graph).ok()) << ir::Verify(graph).ToString();
  const Bytes file = WriteModelFile(graph).value();
  auto back = ReadModelFile(AlignedCopy(file), nullptr);
  ASSERT_TRUE(back.ok()) << back.status().ToString();
  EXPECT_EQ(ir::Print(*back), ir::Print(graph));
  // four, signed, two, small, w (with same), one body: each once.
  EXPECT_EQ(GetU64(file.data() + 40), 64u * (4 + 2 + 1));
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
  version[8] = 3;
  auto result = Model::FromBytes(version);
  EXPECT_EQ(result.code(), Code::kBadModel);
  EXPECT_NE(result.status().message().find("version 3"), std::string::npos);
  for (size_t size = 0; size < good.size(); ++size) {
    EXPECT_EQ(Model::FromBytes(ByteView(good).first(size)).code(), Code::kBadModel) << size;
  }
}

TEST(ModelFile, PlacesOutsideTheWeights) {
  Bytes file = SmallFile();
  std::string text(AsText(file));
  const size_t at = text.find("at 64");
  file[at + 3] = '9';  // 94: not aligned
  Seal(file);
  auto result = Model::FromBytes(file);
  EXPECT_EQ(result.code(), Code::kBadModel);
  EXPECT_NE(result.status().message().find("line 4"), std::string::npos)
      << result.status().ToString();
}

Bytes FileOf(std::string text, size_t weight_bytes, uint32_t version = kModelFileVersion) {
  text.resize((text.size() + 63) / 64 * 64, '\n');
  Bytes file(64 + text.size() + weight_bytes);
  std::memcpy(file.data(), "FERRYMDL", 8);
  PutU32(file.data() + 8, version);
  PutU64(file.data() + 16, 64);
  PutU64(file.data() + 24, text.size());
  PutU64(file.data() + 32, 64 + text.size());
  PutU64(file.data() + 40, weight_bytes);
  std::memcpy(file.data() + 64, text.data(), text.size());
  Seal(file);
  return file;
}

TEST(ModelFile, ConstantsThatShareBytes) {
  std::string text = "graph g\n";
  for (const char* name : {"a", "b", "c"}) text += fmt::format("const {} f32 [32] at 0\n", name);
  text += "output a\n";
  auto shared = Model::FromBytes(FileOf(text, 128));
  ASSERT_TRUE(shared.ok()) << shared.status().ToString();
  EXPECT_EQ((*shared)->weight_bytes(), 128);
  auto old = Model::FromBytes(FileOf(text, 128, 1));
  EXPECT_EQ(old.code(), Code::kBadModel);
  for (const char* line : {"const d f32 [16] at 64\n", "const d f32 [31] at 0\n"}) {
    auto result = Model::FromBytes(
        FileOf("graph g\nconst a f32 [32] at 0\n" + std::string(line) + "output a\n", 128));
    EXPECT_EQ(result.code(), Code::kBadModel);
    EXPECT_NE(result.status().message().find("overlap"), std::string::npos)
        << result.status().ToString();
  }
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
    if (round % 16 != 0) Seal(file);
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

TEST(ModelFile, MutationsOfARichFile) {
  const Bytes good = WriteModelFile(RichGraph()).value();
  const size_t structure = 64 + GetU64(good.data() + 24);
  std::mt19937 random(12);
  int loaded = 0;
  for (int round = 0; round < 5000; ++round) {
    Bytes file = good;
    for (int i = 0; i <= round % 3; ++i) {
      file[random() % structure] =
          round % 2 ? static_cast<uint8_t>(random()) : good[64 + random() % (structure - 64)];
    }
    Seal(file);
    auto graph = ReadModelFile(AlignedCopy(file), nullptr);
    if (!graph.ok()) continue;
    ++loaded;
    EXPECT_TRUE(WriteModelFile(*graph).ok());
  }
  EXPECT_GT(loaded, 100);
}

}  // namespace
}  // namespace ferry::engine
