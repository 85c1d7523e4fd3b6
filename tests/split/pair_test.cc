// The trained pair: the split's text, its work and its acceptance on text that neither has seen.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "common/sys/filesystem.h"
#include "device-runtime/llm/session.h"
#include "device-runtime/llm/speculative/c4.h"
#include "device-runtime/llm/speculative/frames.h"
#include "device-runtime/llm/testing/shared.h"
#include "device-runtime/llm/tokenizer/tokenizer.h"
#include "tools/splitsim/splitsim.h"

namespace ferry::split {
namespace {

using llm::testing::SharedPath;

struct Pair {
  std::shared_ptr<const llm::Model> draft, target;
};

// The trained folders beside the project, else what the project ships; empty when neither is there.
Pair LoadPair() {
  const std::string tasks = sys::JoinPath(FERRY_SOURCE_DIR, "tasks/pair");
  const std::pair<std::string, std::string> places[] = {
      {SharedPath("lm-pair/draft"), SharedPath("lm-pair/target")},
      {tasks + "/draft.flm", tasks + "/target.flm"}};
  Pair pair;
  for (const auto& [draft, target] : places) {
    if (!sys::Exists(sys::SystemFileSystem(), draft)) continue;
    if (!sys::Exists(sys::SystemFileSystem(), target)) continue;
    auto loaded_draft = llm::Model::Load(sys::SystemFileSystem(), draft);
    auto loaded_target = llm::Model::Load(sys::SystemFileSystem(), target);
    EXPECT_TRUE(loaded_draft.ok()) << loaded_draft.status().ToString();
    EXPECT_TRUE(loaded_target.ok()) << loaded_target.status().ToString();
    if (loaded_draft.ok() && loaded_target.ok()) pair = {*loaded_draft, *loaded_target};
    break;
  }
  return pair;
}

#define NEEDS_PAIR(pair)                                                                        \
  if (pair.draft == nullptr) {                                                                  \
    GTEST_SKIP() << "SKIPPED: neither " << SharedPath("lm-pair") << " nor tasks/pair is there"; \
  }                                                                                             \
  static_assert(true)

splitsim::Simulation Story(const Pair& pair, sys::Parallel* parallel, const std::string& text) {
  splitsim::Simulation story;
  story.draft = pair.draft;
  story.target = pair.target;
  story.draft_parallel = story.target_parallel = parallel;
  const auto tokenizer = pair.target->tokenizer();
  EXPECT_TRUE(tokenizer.ok()) << tokenizer.status().ToString();
  story.prompt = *(*tokenizer)->Encode(text);
  story.options.fallback = false;
  story.options.stop_at_end_token = false;
  // Costs that do not depend on the machine: the same counts everywhere.
  story.charge_computation = false;
  story.draft_ms = 10;
  story.target_ms = 60;
  return story;
}

constexpr const char* kOpenings[] = {
    "It was a bright cold morning when",
    "\"You cannot mean that,\" said the old man, and he",
    "The road to the village ran between two",
    "She had never been so happy as on the day",
};

TEST(PairTest, TextIsTheTargetsOwn) {
  const Pair pair = LoadPair();
  NEEDS_PAIR(pair);
  const auto parallel = sys::StartThreadPool(2);
  const float temperatures[] = {0, 0.7f, 1};
  for (int i = 0; i < 12; ++i) {
    splitsim::Simulation story = Story(pair, parallel.get(), kOpenings[i % 4]);
    story.options.pipelined = i % 2 == 1;
    story.options.sampler.temperature = temperatures[i % 3];
    if (i % 4 == 1) story.options.sampler.top_k = 40;
    if (i % 4 == 2) story.options.sampler.top_p = 0.9f;
    if (i % 4 == 3) story.options.sampler.repetition_penalty = 1.1f;
    story.options.key = llm::PrfKey::FromSeed(static_cast<uint64_t>(i));
    story.options.max_new = 32;
    story.link.round_trip_ms = 10 * i;
    if (i % 3 == 1) story.link.loss = 0.1;
    if (i % 3 == 2) story.link.jitter_ms = 50;
    story.seed = static_cast<uint64_t>(i) + 1;
    const auto split = splitsim::Run(story);
    ASSERT_TRUE(split.ok()) << split.status().ToString();
    const auto cloud = splitsim::CloudOnly(story);
    ASSERT_TRUE(cloud.ok()) << cloud.status().ToString();
    ASSERT_EQ(split->ids, *cloud) << "story " << i;
    EXPECT_EQ(split->ids.size(), 32u);
  }
}

// A target pass for each emitted token is what the cloud alone needs.
TEST(PairTest, SyncNeedsAtMostSixTenthsOfThePasses) {
  const Pair pair = LoadPair();
  NEEDS_PAIR(pair);
  const auto parallel = sys::StartThreadPool(2);
  int64_t passes = 0, emitted = 0, bytes = 0;
  int64_t compared = 0, accepted = 0;
  for (int i = 0; i < 4; ++i) {
    splitsim::Simulation story = Story(pair, parallel.get(), kOpenings[i]);
    story.options.sampler.temperature = 1;
    story.options.key = llm::PrfKey::FromSeed(static_cast<uint64_t>(i) + 100);
    story.options.max_new = 96;
    story.link.round_trip_ms = 30;
    const auto split = splitsim::Run(story);
    ASSERT_TRUE(split.ok()) << split.status().ToString();
    passes += split->target_passes;
    emitted += split->stats.emitted;
    const llm::SplitStats& stats = split->stats;
    bytes += stats.bytes_up + stats.bytes_down - stats.setup_bytes_up - stats.setup_bytes_down;
    compared += stats.compared;
    accepted += stats.accepted;
  }
  const double per_token = static_cast<double>(passes) / static_cast<double>(emitted);
  fmt::print(
      "target passes per emitted token: {:.3f} ({} of {}), acceptance {:.3f}, {:.1f} bytes\n",
      per_token, passes, emitted, static_cast<double>(accepted) / static_cast<double>(compared),
      static_cast<double>(bytes) / static_cast<double>(emitted));
  EXPECT_EQ(emitted, 4 * 96);
  EXPECT_LE(per_token, 0.6);
}

// With a draft of acceptance 0.8: the bytes that were promised.
TEST(PairTest, BytesPerTokenAtAcceptanceEightTenths) {
  const Pair pair = LoadPair();
  NEEDS_PAIR(pair);
  const auto parallel = sys::StartThreadPool(2);
  for (bool pipelined : {false, true}) {
    splitsim::Simulation story = Story(pair, parallel.get(), kOpenings[0]);
    story.options.sampler.temperature = 1;
    story.options.pipelined = pipelined;
    story.options.max_new = 256 + llm::kMaxDraftTokens;
    story.link.round_trip_ms = 30;
    auto truth = splitsim::CloudOnly(story);
    ASSERT_TRUE(truth.ok()) << truth.status().ToString();
    story.options.max_new = 256;
    truth->insert(truth->begin(), story.prompt.begin(), story.prompt.end());
    const auto oracle = splitsim::MakeOracle(*truth, 0.8, pair.target->config().vocabulary, 3);
    story.drafter = oracle.get();
    const auto split = splitsim::Run(story);
    ASSERT_TRUE(split.ok()) << split.status().ToString();
    EXPECT_TRUE(std::equal(split->ids.begin(), split->ids.end(),
                           truth->begin() + static_cast<ptrdiff_t>(story.prompt.size())));
    const llm::SplitStats& stats = split->stats;
    const int64_t bytes =
        stats.bytes_up + stats.bytes_down - stats.setup_bytes_up - stats.setup_bytes_down;
    const double per_token = static_cast<double>(bytes) / static_cast<double>(stats.emitted);
    fmt::print("{}: {:.2f} bytes per emitted token at acceptance {:.3f}, 30 ms, 10/60 ms\n",
               pipelined ? "pipelined" : "sync", per_token,
               static_cast<double>(stats.accepted) / static_cast<double>(stats.compared));
    EXPECT_LE(per_token, pipelined ? 13 : 8);
  }
}

// Probabilities and draws of one model at the positions of a window.
struct Laws {
  std::vector<float> logits;
  size_t vocabulary;
  std::span<const float> At(size_t i) const {
    return std::span(logits).subspan(i * vocabulary, vocabulary);
  }
};

Laws LawsOf(const std::shared_ptr<const llm::Model>& model, std::span<const llm::TokenId> window,
            sys::Parallel* parallel) {
  llm::SessionOptions options;
  options.parallel = parallel;
  auto session = llm::Session::Create(model, options);
  EXPECT_TRUE(session.ok()) << session.status().ToString();
  Laws laws;
  laws.vocabulary = static_cast<size_t>(model->config().vocabulary);
  laws.logits.resize(window.size() * laws.vocabulary);
  EXPECT_TRUE((*session)->AppendWithLogits(window, laws.logits).ok());
  return laws;
}

TEST(PairTest, AcceptanceFollowsTheLaw) {
  FERRY_NEEDS_SHARED("lm-pair/valid_head.txt");
  const Pair pair = LoadPair();
  NEEDS_PAIR(pair);
  constexpr size_t kWindow = 512;
  constexpr uint64_t kSeeds = 6;
  const auto parallel = sys::StartThreadPool(2);
  const auto text =
      ReadFile(sys::SystemFileSystem(), SharedPath("lm-pair/valid_head.txt"), 1 << 20);
  ASSERT_TRUE(text.ok()) << text.status().ToString();
  const auto ids = (*pair.target->tokenizer())->Encode(AsText(*text));
  ASSERT_TRUE(ids.ok()) << ids.status().ToString();
  double expected = 0, overlap = 0, agreed = 0, positions = 0;
  llm::SamplerOptions sampler;
  sampler.temperature = 1;
  const int64_t vocabulary = pair.target->config().vocabulary;
  std::vector<double> p(static_cast<size_t>(vocabulary)), q(p.size());
  for (size_t window : {0, 6, 12, 18}) {
    const auto tokens = std::span(*ids).subspan(window * kWindow, kWindow);
    const Laws target = LawsOf(pair.target, tokens, parallel.get());
    const Laws draft = LawsOf(pair.draft, tokens, parallel.get());
    for (size_t i = 0; i < kWindow; ++i) {
      const auto context = tokens.first(i + 1);
      for (uint64_t seed = 0; seed < kSeeds; ++seed) {
        llm::Sampler same(sampler, llm::PrfKey::FromSeed(window * 100 + seed), vocabulary);
        if (seed == 0) {
          same.Probabilities(target.At(i), context, p);
          same.Probabilities(draft.At(i), context, q);
          expected += llm::GumbelAgreement(p, q);
          overlap += llm::LawOverlap(p, q);
          positions += 1;
        }
        agreed +=
            same.Sample(target.At(i), context, i + 1) == same.Sample(draft.At(i), context, i + 1);
      }
    }
  }
  expected /= positions;
  overlap /= positions;
  agreed /= positions * kSeeds;
  fmt::print(
      "acceptance at temperature 1 over {} positions, {} seeds each: measured {:.4f}, expected "
      "under "
      "Gumbel coupling {:.4f}, sum min(p, q) {:.4f}\n",
      positions, kSeeds, agreed, expected, overlap);
  EXPECT_NEAR(agreed, expected, 0.01);
  EXPECT_NEAR(expected, 0.61, 0.02);
  EXPECT_NEAR(overlap, 0.67, 0.02);
}

}  // namespace
}  // namespace ferry::split
