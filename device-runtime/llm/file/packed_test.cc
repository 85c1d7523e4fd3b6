// Model files with matrices of few bits: what is stored as what, the same bits in any chunking and
// on every instruction set, damage, and how near they come to the source.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "common/base/json.h"
#include "common/crypto/hash.h"
#include "common/sys/sim/filesystem.h"
#include "device-runtime/llm/arch/describe/description.h"
#include "device-runtime/llm/file/header.h"
#include "device-runtime/llm/file/writer.h"
#include "device-runtime/llm/testing/forward.h"
#include "device-runtime/llm/testing/random_model.h"
#include "device-runtime/llm/testing/tiny_model.h"

namespace ferry::llm {
namespace {

using testing::AllLogits;

StoreOptions InBits(int bits, int group = 32, bool zeros = false) {
  StoreOptions store;
  kernels::PackedForm form{.bits = bits, .group = group};
  if (zeros) form.shift = kernels::PackedShift::kZero;
  store.matrices.packed = form;
  return store;
}

class PackedFile : public ::testing::TestWithParam<std::tuple<int, int, bool>> {
 protected:
  void Write(const StoreOptions& store) {
    ASSERT_TRUE(
        testing::WriteTinyModel(fs_, "tiny", {.hidden = 64, .ffn = 96, .tokenizer = false}).ok());
    source_ = Model::Load(fs_, "tiny").value();
    const auto bytes = WriteModelFile(fs_, *source_, "m.flm", store);
    ASSERT_TRUE(bytes.ok()) << bytes.status().ToString();
  }
  std::shared_ptr<const Model> Load(const LoadOptions& options = {}) {
    auto model = Model::Load(fs_, "m.flm", options);
    EXPECT_TRUE(model.ok()) << model.status().ToString();
    return model.ok() ? *model : nullptr;
  }
  static std::vector<TokenId> Ids() {
    std::vector<TokenId> ids;
    for (TokenId i = 0; i < 40; ++i) ids.push_back(i * 53 % 280);
    return ids;
  }

  sys::SimFileSystem fs_;
  std::shared_ptr<const Model> source_;
};

// The square root of the mean squared difference over that of `wanted`.
double RelativeError(const std::vector<float>& found, const std::vector<float>& wanted) {
  double error = 0;
  double power = 0;
  for (size_t i = 0; i < wanted.size(); ++i) {
    error += std::pow(static_cast<double>(found[i]) - static_cast<double>(wanted[i]), 2);
    power += std::pow(static_cast<double>(wanted[i]), 2);
  }
  return std::sqrt(error / power);
}

TEST_P(PackedFile, ChunksThreadsAndInstructionSetsChangeNoBit) {
  const auto [bits, group, zeros] = GetParam();
  Write(InBits(bits, group, zeros));
  const std::vector<TokenId> ids = Ids();
  const auto model = Load();
  EXPECT_EQ(model->weight_type().packed->bits, bits);
  const std::vector<float> one_by_one = AllLogits(*model, ids, 1);
  const auto threads = sys::StartThreadPool(2);
  EXPECT_EQ(AllLogits(*model, ids, 40), one_by_one);
  EXPECT_EQ(AllLogits(*model, ids, 7, *threads), one_by_one);
  const auto exact = Load({.exact = true});
  EXPECT_EQ(AllLogits(*exact, ids, 40), AllLogits(*exact, ids, 3));
  // 8-bit rows cost a little; few bits cost what they cost, by either way.
  const std::vector<float> wanted = AllLogits(*source_, ids);
  const double of_exact = RelativeError(AllLogits(*exact, ids), wanted);
  const double of_both = RelativeError(one_by_one, wanted);
  // Random weights are the worst that there is for few bits: each one less doubles the error.
  const double most = bits == 8 ? 0.03 : bits == 4 ? 0.4 : bits == 3 ? 0.7 : 1.0;
  EXPECT_LT(of_exact, most);
  EXPECT_LT(of_both, of_exact + 0.03);
  EXPECT_NE(of_exact, of_both);
}

INSTANTIATE_TEST_SUITE_P(Forms, PackedFile,
                         ::testing::Combine(::testing::Values(8, 4, 3, 2),
                                            ::testing::Values(32, 128, 0), ::testing::Bool()),
                         [](const auto& info) {
                           return fmt::format("Bits{}Group{}{}", std::get<0>(info.param),
                                              std::get<1>(info.param),
                                              std::get<2>(info.param) ? "Zeros" : "");
                         });

class PackedFileParts : public PackedFile {};
INSTANTIATE_TEST_SUITE_P(One, PackedFileParts, ::testing::Values(std::make_tuple(4, 32, false)));

TEST_P(PackedFileParts, TypesGoByEmbeddingHeadAndName) {
  StoreOptions store = InBits(4);
  store.embedding = InBits(8, 64).matrices;
  store.rules.push_back({"*.layers.0.mlp.*", InBits(3, 64).matrices});
  store.rules.push_back({"*o_proj.weight", MatrixType{.rows = kernels::WeightType::kBF16}});
  Write(store);
  const auto sections = ReadHeader(sys::ReadFile(fs_, "m.flm").value()).value();
  std::map<std::string, std::string> types;
  for (const Section& section : sections) {
    if (section.type) types[section.name] = MatrixTypeName(*section.type);
  }
  EXPECT_EQ(types["model.embed_tokens.weight"], "i8/64");
  EXPECT_EQ(types["model.layers.0.mlp.up_proj.weight"], "i3/64");
  EXPECT_EQ(types["model.layers.1.mlp.up_proj.weight"], "i4/32");
  EXPECT_EQ(types["model.layers.1.self_attn.o_proj.weight"], "bf16");
  EXPECT_EQ(types["model.norm.weight"], "f32");
  // What was stored in few bits is stored again as it is.
  ASSERT_TRUE(WriteModelFile(fs_, *Load(), "again.flm", store).ok());
  EXPECT_EQ(sys::ReadFile(fs_, "again.flm").value(), sys::ReadFile(fs_, "m.flm").value());
  EXPECT_FALSE(sys::Exists(fs_, "m.flm.body"));
}

TEST_P(PackedFileParts, ThreadsMakeTheSameFile) {
  Write(InBits(4));
  const Bytes file = sys::ReadFile(fs_, "m.flm").value();
  const auto threads = sys::StartThreadPool(3);
  StoreOptions store = InBits(4);
  store.parallel = threads.get();
  ASSERT_TRUE(WriteModelFile(fs_, *source_, "m.flm", store).ok());
  EXPECT_EQ(sys::ReadFile(fs_, "m.flm").value(), file);
}

TEST_P(PackedFileParts, AScaleThatIsNoneIsNamed) {
  Write(InBits(4));
  const Bytes file = sys::ReadFile(fs_, "m.flm").value();
  auto sections = ReadHeader(file).value();
  std::vector<Bytes> contents;
  for (Section& section : sections) {
    contents.push_back(ToBytes(ByteView(file).subspan(section.offset, section.bytes)));
  }
  // The embedding's first scale, a half: not a number.
  ASSERT_EQ(sections[1].name, "model.embed_tokens.weight");
  contents[1][1] = 0x7e;
  for (size_t i = 0; i < sections.size(); ++i) sections[i].sha256 = crypto::Sha256(contents[i]);
  Bytes bad = WriteHeader(&sections);
  for (size_t i = 0; i < sections.size(); ++i) {
    bad.resize(sections[i].offset);
    bad.insert(bad.end(), contents[i].begin(), contents[i].end());
  }
  const auto model = Model::FromBytes(bad, nullptr);
  ASSERT_TRUE(model.ok()) << model.status().ToString();
  const Status ready = (*model)->Ready();
  EXPECT_EQ(ready.code(), Code::kBadModel);
  EXPECT_THAT(ready.message(),
              ::testing::HasSubstr("embed_tokens.weight\" is NaN or infinite at row 0"));
}

// Every family runs packed; what blocks read as numbers stays as it is.
TEST_P(PackedFileParts, EveryFamilyInEightBits) {
  for (const std::string& type : testing::SmallModelTypes()) {
    SCOPED_TRACE(type);
    const Json config = testing::SmallConfig(type);
    sys::SimFileSystem fs;
    const auto tensors = testing::RandomTensors(config, 5).value();
    ASSERT_TRUE(testing::WriteModelFolder(fs, "f", config, tensors).ok());
    const auto source = Model::Load(fs, "f").value();
    ASSERT_TRUE(WriteModelFile(fs, *source, "f.flm", InBits(8)).ok());
    const auto model = Model::Load(fs, "f.flm");
    ASSERT_TRUE(model.ok()) << model.status().ToString();
    std::vector<TokenId> ids;
    for (TokenId i = 0; i < 20; ++i) ids.push_back(i * 37 % 96);
    // Of experts, another one is chosen now and then.
    const bool chooses = source->description().layers.back().feed == FeedKind::kExperts;
    EXPECT_LT(RelativeError(AllLogits(**model, ids), AllLogits(*source, ids)), chooses ? 0.5 : 0.1);
    EXPECT_EQ(AllLogits(**model, ids, 1), AllLogits(**model, ids, 20));
  }
}

}  // namespace
}  // namespace ferry::llm
