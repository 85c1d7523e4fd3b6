// Small random models of every family: the same bits in any chunking, beside any neighbours, after
// any roll-back, from a folder and from a model file.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <set>

#include "common/base/json.h"
#include "common/sys/sim/filesystem.h"
#include "device-runtime/llm/arch/describe/family.h"
#include "device-runtime/llm/arch/describe/tensors.h"
#include "device-runtime/llm/file/writer.h"
#include "device-runtime/llm/session.h"
#include "device-runtime/llm/testing/forward.h"
#include "device-runtime/llm/testing/random_model.h"

namespace ferry::llm {
namespace {

using testing::AllLogits;
using testing::RandomTensors;
using testing::SmallConfig;
using testing::SmallModelTypes;
using testing::WriteModelFolder;

constexpr int64_t kSmallVocabulary = 96;

std::vector<TokenId> RandomText(uint32_t seed, size_t length) {
  std::mt19937 random(seed);
  std::vector<TokenId> ids;
  for (size_t i = 0; i < length; ++i) {
    ids.push_back(static_cast<TokenId>(random() % static_cast<uint32_t>(kSmallVocabulary)));
  }
  return ids;
}

class EveryFamily : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    const Json config = SmallConfig(GetParam());
    const auto tensors = RandomTensors(config, 7);
    ASSERT_TRUE(tensors.ok()) << tensors.status().ToString();
    ASSERT_TRUE(WriteModelFolder(fs_, "m", config, *tensors).ok());
    auto model = Model::Load(fs_, "m");
    ASSERT_TRUE(model.ok()) << model.status().ToString();
    model_ = *model;
  }

  sys::SimFileSystem fs_;
  std::shared_ptr<const Model> model_;
};

TEST_P(EveryFamily, ChunksAndThreadsChangeNoBit) {
  const std::vector<TokenId> ids = RandomText(1, 70);
  const std::vector<float> one_by_one = AllLogits(*model_, ids, 1);
  EXPECT_TRUE(std::all_of(one_by_one.begin(), one_by_one.end(),
                          [](float logit) { return std::isfinite(logit); }));
  // A model that says the same of every text would pass all of this.
  EXPECT_NE(std::vector<float>(one_by_one.end() - kSmallVocabulary, one_by_one.end()),
            std::vector<float>(one_by_one.begin(), one_by_one.begin() + kSmallVocabulary));
  const auto threads = sys::StartThreadPool(2);
  for (const int64_t chunk : {3, 16, 70}) {
    EXPECT_EQ(AllLogits(*model_, ids, chunk), one_by_one) << chunk;
    EXPECT_EQ(AllLogits(*model_, ids, chunk, *threads), one_by_one) << chunk << ", threads";
  }
}

TEST_P(EveryFamily, NeighboursChangeNoBit) {
  auto pool = KvPool::Create(model_->config()).value();
  auto workspace = Workspace::Create(model_->config(), 64).value();
  std::vector<std::vector<TokenId>> texts;
  std::vector<std::vector<float>> alone;
  std::vector<KvSequence> sequences;
  for (uint32_t i = 0; i < 3; ++i) {
    texts.push_back(RandomText(i + 1, 24 + 5 * i));
    alone.push_back(AllLogits(*model_, texts.back(), 1));
    sequences.push_back(pool->NewSequence());
  }
  for (int round = 0; round < 2; ++round) {
    std::vector<Chunk> chunks;
    std::vector<std::vector<float>> logits(3);
    for (size_t i = 0; i < 3; ++i) {
      const size_t half = texts[i].size() / 2;
      const size_t count = round == 0 ? half : texts[i].size() - half;
      ASSERT_TRUE(sequences[i].Reserve(static_cast<int64_t>(count)).ok());
      logits[i].resize(count * kSmallVocabulary);
      chunks.push_back({&sequences[i],
                        std::span<const TokenId>(texts[i]).subspan(round == 0 ? 0 : half, count), 0,
                        logits[i].data()});
    }
    model_->Forward(chunks, workspace, sys::SerialParallel());
    for (size_t i = 0; i < 3; ++i) {
      const size_t from = round == 0 ? 0 : texts[i].size() / 2 * kSmallVocabulary;
      EXPECT_EQ(std::memcmp(logits[i].data(), alone[i].data() + from, logits[i].size() * 4), 0)
          << "sequence " << i << ", round " << round;
    }
  }
}

// Any walk of reading and forgetting up to 64 tokens: nothing before is read again, and what comes
// next has the bits of a text read at once.
TEST_P(EveryFamily, RollBackLeavesNoTrace) {
  const std::vector<TokenId> ids = RandomText(4, 300);
  const std::vector<float> wanted = AllLogits(*model_, ids, 64);
  auto pool = KvPool::Create(model_->config()).value();
  auto workspace = Workspace::Create(model_->config(), 128).value();
  KvSequence kv = pool->NewSequence();
  std::mt19937 random(11);
  std::vector<float> logits(128 * kSmallVocabulary);
  const auto read = [&](const std::vector<TokenId>& text, int64_t count) {
    const int64_t at = kv.length();
    ASSERT_TRUE(kv.Reserve(count).ok());
    const auto part = std::span(text).subspan(static_cast<size_t>(at), static_cast<size_t>(count));
    const Chunk chunk{&kv, part, 0, logits.data()};
    model_->Forward({&chunk, 1}, workspace, sys::SerialParallel());
    if (&text != &ids) return;
    ASSERT_EQ(std::memcmp(logits.data(), wanted.data() + at * kSmallVocabulary,
                          static_cast<size_t>(count * kSmallVocabulary) * 4),
              0)
        << "at " << at;
  };
  const std::vector<TokenId> other = RandomText(5, 400);
  while (kv.length() < 300) {
    const int64_t at = kv.length();
    const auto stray = static_cast<int64_t>(random() % 64) + 1;
    ASSERT_NO_FATAL_FAILURE(read(other, stray));
    kv.Truncate(at);
    ASSERT_EQ(kv.length(), at) << "over " << stray;
    const auto count = std::min<int64_t>(300 - at, static_cast<int64_t>(random() % 50) + 1);
    ASSERT_NO_FATAL_FAILURE(read(ids, count));
    auto fork = kv.Fork(kv.length() - std::min<int64_t>(kv.length(), 5));
    ASSERT_TRUE(fork.ok());
  }
  // Further back: either as before, or nothing is left; never something else.
  kv.Truncate(30);
  EXPECT_TRUE(kv.length() == 30 || kv.length() == 0) << kv.length();
  ASSERT_NO_FATAL_FAILURE(read(ids, 70));
}

TEST_P(EveryFamily, ASessionForgetsAnyNumberOfTokens) {
  const std::vector<TokenId> ids = RandomText(6, 200);
  auto session = Session::Create(model_).value();
  ASSERT_TRUE(session->Append(ids).ok());
  for (const int64_t length : {190, 100, 20}) {
    session->Truncate(length);
    const auto row = session->logits();
    ASSERT_TRUE(row.ok());
    const auto alone = AllLogits(*model_, std::span(ids).first(static_cast<size_t>(length)), 512);
    EXPECT_TRUE(std::equal(row->begin(), row->end(), alone.end() - kSmallVocabulary)) << length;
  }
}

TEST_P(EveryFamily, TravelsInAModelFile) {
  ASSERT_TRUE(WriteModelFile(fs_, *model_, "m.flm", kernels::WeightType::kF32).ok());
  const auto file = Model::Load(fs_, "m.flm", {.exact = true});
  ASSERT_TRUE(file.ok()) << file.status().ToString();
  EXPECT_EQ((*file)->description(), model_->description());
  EXPECT_EQ((*file)->digest(), model_->digest());
  const std::vector<TokenId> ids = RandomText(8, 20);
  EXPECT_EQ(AllLogits(**file, ids), AllLogits(*model_, ids));
  // As a description given beside a folder of a model_type that nobody knows; what a family does
  // while tensors are read is not part of it.
  const auto rules = FindFamily(GetParam()).value()->Describe(SmallConfig(GetParam()))->rules;
  if (rules.transposed || rules.norm_offset || rules.head_normalised) return;
  Json config = SmallConfig(GetParam());
  config["model_type"] = "tomorrow";
  ASSERT_TRUE(sys::WriteFileAtomically(fs_, "m/config.json", ToBytes(WriteJson(config))).ok());
  EXPECT_EQ(Model::Load(fs_, "m").code(), Code::kUnsupported);
  const auto given =
      Model::Load(fs_, "m", {.family = WriteJson(DescriptionToJson(model_->description()))});
  ASSERT_TRUE(given.ok()) << given.status().ToString();
  EXPECT_EQ(AllLogits(**given, ids), AllLogits(*model_, ids));
}

// What a position keeps in few bits depends on nothing that is read with it or behind it.
TEST_P(EveryFamily, KeepsKeysAndValuesInFewBits) {
  const std::vector<TokenId> ids = RandomText(9, 70);
  const auto logits = [&](kernels::KvType type, int64_t chunk) {
    return AllLogits(*model_, ids, chunk, sys::SerialParallel(), nullptr, {.type = type});
  };
  const std::vector<float> exact = logits(kernels::KvType::kF32, kMaxChunkTokens);
  struct Kept {
    kernels::KvType type;
    double most;
  };
  for (const auto& [type, most] : {Kept{kernels::KvType::kF16, 0.01},
                                   {kernels::KvType::kQ8, 0.05},
                                   {kernels::KvType::kQ4, 0.2}}) {
    SCOPED_TRACE(KvTypeName(type));
    const std::vector<float> whole = logits(type, kMaxChunkTokens);
    EXPECT_EQ(logits(type, 1), whole);
    EXPECT_EQ(logits(type, 23), whole);
    // Where rounding sends a token to other experts a few logits differ much.
    std::vector<float> errors;
    for (size_t i = 0; i < whole.size(); ++i) errors.push_back(std::abs(whole[i] - exact[i]));
    std::nth_element(errors.begin(), errors.begin() + errors.size() / 2, errors.end());
    const float largest = std::abs(*std::max_element(
        exact.begin(), exact.end(), [](float a, float b) { return std::abs(a) < std::abs(b); }));
    EXPECT_LT(errors[errors.size() / 2], most * largest);
  }
}

INSTANTIATE_TEST_SUITE_P(Families, EveryFamily, ::testing::ValuesIn(SmallModelTypes()),
                         [](const auto& info) { return info.param; });

// What descriptions of model files may say and blocks could not run.
TEST(Descriptions, WhatCannotRunIsRefused) {
  const auto small = [](const char* type) {
    return FindFamily(type).value()->Describe(SmallConfig(type)).value().description;
  };
  struct Case {
    const char* type;
    void (*change)(LayerDescription&);
    const char* message;
  };
  const Case cases[] = {
      {"internlm2",
       [](LayerDescription& l) {
         l.attention.norm = HeadNorm::kRow;
         l.attention.query_norm = l.attention.key_norm = "n.weight";
       },
       "row with grouped"},
      {"hunyuan_v1_dense", [](LayerDescription& l) { l.rotary.form = RotaryForm::kInterleaved; },
       "norm_after_rotary with interleaved"},
      {"llama", [](LayerDescription& l) { l.attention.kv_heads = 3; }, "no multiple"},
      {"llama", [](LayerDescription& l) { l.rotary.dims = 18; }, "rotary.dims is 18"},
      {"qwen3_moe", [](LayerDescription& l) { l.experts.used = 9; }, "cannot be chosen"},
      {"qwen3_next", [](LayerDescription& l) { l.delta.kernel = 65; }, "delta.kernel is 65"},
      {"deepseek_v3", [](LayerDescription& l) { l.latent.norm.clear(); }, "is not named"},
  };
  for (const Case& one : cases) {
    Description description = small(one.type);
    for (LayerDescription& layer : description.layers) one.change(layer);
    const auto read = DescriptionFromJson(DescriptionToJson(description));
    ASSERT_FALSE(read.ok()) << one.message;
    EXPECT_NE(read.status().message().find(one.message), std::string::npos)
        << read.status().ToString();
  }
}

// A tensor of two uses is stored as the stricter one wants, whichever comes first.
TEST(Descriptions, ATensorOfTwoUses) {
  Description description =
      FindFamily("minicpm3").value()->Describe(SmallConfig("minicpm3")).value().description;
  LayerDescription& layer = description.layers[0];
  // The queries' product, which may be packed, and the latents', parts of which are read.
  layer.latent.query_rank = layer.latent.rank;
  layer.latent.value_dim = layer.latent.rotary_dim;
  layer.latent.up = layer.latent.query;
  const auto specs = TensorsOf(description);
  ASSERT_TRUE(specs.ok()) << specs.status().ToString();
  const std::string name = TensorName(layer.latent.up, 0);
  const auto found = std::find_if(specs->begin(), specs->end(),
                                  [&](const TensorSpec& spec) { return spec.name == name; });
  ASSERT_NE(found, specs->end());
  EXPECT_TRUE(found->exact);
  description.layers[0].mixer_norm = description.embedding;
  EXPECT_EQ(TensorsOf(description).code(), Code::kBadModel);
}

TEST(EveryFamilyIsTested, ByASmallModel) {
  std::set<std::string> named = {"bert"};  // encoder_test.cc
  for (const std::string& type : SmallModelTypes()) named.insert(FindFamily(type).value()->name());
  for (const Family& family : Families()) {
    EXPECT_TRUE(family.types().empty() || named.contains(family.name())) << family.name();
  }
}

}  // namespace
}  // namespace ferry::llm
