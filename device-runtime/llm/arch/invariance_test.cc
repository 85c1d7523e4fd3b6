// A position's logits are the same bits alone, in chunks, on threads and beside other sequences.
#include <gtest/gtest.h>

#include <cstring>

#include "common/sys/sim/filesystem.h"
#include "device-runtime/llm/file/writer.h"
#include "device-runtime/llm/testing/forward.h"
#include "device-runtime/llm/testing/tiny_model.h"

namespace ferry::llm {
namespace {

using kernels::WeightType;
using testing::AllLogits;

constexpr int64_t kLargestChunk = 33;
constexpr size_t kLength = 70;  // more than four pages of the cache

std::vector<TokenId> Text(uint32_t seed, size_t length) {
  std::vector<TokenId> ids(length);
  for (TokenId& id : ids) {
    seed = seed * 1664525 + 1013904223;
    id = static_cast<TokenId>((seed >> 8) % static_cast<uint32_t>(testing::TinyVocabulary()));
  }
  return ids;
}

bool SameBits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

class ForwardInvariance : public ::testing::TestWithParam<std::tuple<kernels::Isa, WeightType>> {
 protected:
  void SetUp() override {
    // Sizes that are no multiples of registers or blocks.
    const testing::TinyModelOptions options{
        .hidden = 88, .heads = 6, .kv_heads = 2, .head_dim = 20, .ffn = 200, .tokenizer = false};
    ASSERT_TRUE(testing::WriteTinyModel(fs_, "m", options).ok());
    const auto [isa, type] = GetParam();
    ASSERT_TRUE(WriteModelFile(fs_, **Model::Load(fs_, "m"), "m.flm", type).ok());
    model_ = Model::Load(fs_, "m.flm", {.isa = isa}).value();
  }

  sys::SimFileSystem fs_;
  std::shared_ptr<const Model> model_;
};

TEST_P(ForwardInvariance, ChunksAndThreads) {
  const std::vector<TokenId> ids = Text(1, kLength);
  const std::vector<float> alone = AllLogits(*model_, ids, 1);
  const auto threads = sys::StartThreadPool(2);
  for (int64_t chunk = 2; chunk <= kLargestChunk; ++chunk) {
    ASSERT_TRUE(SameBits(AllLogits(*model_, ids, chunk), alone)) << chunk;
    ASSERT_TRUE(SameBits(AllLogits(*model_, ids, chunk, *threads), alone)) << chunk;
  }
  ASSERT_TRUE(SameBits(AllLogits(*model_, ids, kLength, *threads), alone));
}

// Three sequences in one pass, in uneven steps, with logits wanted for some tokens only.
TEST_P(ForwardInvariance, Neighbours) {
  const auto vocabulary = static_cast<size_t>(model_->config().vocabulary);
  auto pool = KvPool::Create(model_->config()).value();
  auto workspace = Workspace::Create(model_->config(), 128).value();
  const size_t steps[] = {1, 5, 23};
  std::vector<std::vector<TokenId>> texts;
  std::vector<std::vector<float>> alone;
  std::vector<KvSequence> sequences;
  for (uint32_t i = 0; i < 3; ++i) {
    texts.push_back(Text(i + 1, kLength));
    alone.push_back(AllLogits(*model_, texts.back(), 1));
    sequences.push_back(pool->NewSequence());
  }
  const auto threads = sys::StartThreadPool(2);
  size_t done[3] = {};
  for (int round = 0; done[0] < 12; ++round) {
    std::vector<Chunk> chunks;
    std::vector<std::vector<float>> logits(3);
    for (size_t i = 0; i < 3; ++i) {
      const size_t count = std::min(steps[i], kLength - done[i]);
      ASSERT_TRUE(sequences[i].Reserve(static_cast<int64_t>(count)).ok());
      const auto tokens = std::span<const TokenId>(texts[i]).subspan(done[i], count);
      const size_t from = std::min(static_cast<size_t>(round) % 3, count);
      logits[i].resize((count - from) * vocabulary);
      chunks.push_back({&sequences[i], tokens, static_cast<int64_t>(from), logits[i].data()});
    }
    model_->Forward(chunks, workspace, *threads);
    for (size_t i = 0; i < 3; ++i) {
      const size_t from = static_cast<size_t>(chunks[i].logits_from);
      done[i] += chunks[i].tokens.size();
      ASSERT_EQ(sequences[i].length(), static_cast<int64_t>(done[i]));
      const float* wanted =
          alone[i].data() + (done[i] - chunks[i].tokens.size() + from) * vocabulary;
      ASSERT_EQ(std::memcmp(logits[i].data(), wanted, logits[i].size() * sizeof(float)), 0)
          << "sequence " << i << " round " << round;
    }
  }
}

// Rolling back and reading other tokens leaves no trace.
TEST_P(ForwardInvariance, TruncatedSequences) {
  const auto vocabulary = static_cast<size_t>(model_->config().vocabulary);
  const std::vector<TokenId> ids = Text(1, kLength);
  const std::vector<TokenId> other = Text(9, kLength);
  const std::vector<float> alone = AllLogits(*model_, ids, 1);
  auto pool = KvPool::Create(model_->config()).value();
  auto workspace = Workspace::Create(model_->config(), 64).value();
  KvSequence kv = pool->NewSequence();
  std::vector<float> logits(32 * vocabulary);
  for (int64_t at : {0, 20, 35}) {
    for (const auto* text : {&other, &ids}) {
      kv.Truncate(at);
      ASSERT_TRUE(kv.Reserve(32).ok());
      const Chunk chunk{&kv, std::span(*text).subspan(static_cast<size_t>(at), 32), 0,
                        logits.data()};
      model_->Forward({&chunk, 1}, workspace, sys::SerialParallel());
    }
    ASSERT_EQ(std::memcmp(logits.data(), alone.data() + static_cast<size_t>(at) * vocabulary,
                          logits.size() * sizeof(float)),
              0)
        << at;
  }
}

std::string NameOf(const ::testing::TestParamInfo<std::tuple<kernels::Isa, WeightType>>& info) {
  const char* types[] = {"", "F32", "BF16", "I8"};
  return std::string(kernels::IsaName(std::get<0>(info.param))) +
         types[static_cast<int>(std::get<1>(info.param))];
}
INSTANTIATE_TEST_SUITE_P(Kernels, ForwardInvariance,
                         ::testing::Combine(::testing::ValuesIn(kernels::RunningIsas()),
                                            ::testing::Values(WeightType::kF32, WeightType::kBF16,
                                                              WeightType::kI8)),
                         NameOf);

}  // namespace
}  // namespace ferry::llm
