#include "device-runtime/llm/speculative/controller.h"

#include <gtest/gtest.h>

#include "common/sys/random.h"
#include "device-runtime/llm/speculative/device.h"
#include "device-runtime/llm/speculative/frames.h"

namespace ferry::llm {
namespace {

constexpr int kPairBits = 13;

// A controller that has seen `rounds` rounds of such costs.
DraftController Learned(const SplitCosts& costs, int rounds = 300) {
  DraftController controller({.draft_tokens = 0, .most_tokens = 64, .id_bits = kPairBits});
  sys::SeededRandom random(1);
  for (int i = 0; i < rounds; ++i) {
    controller.AddRoundTrip(costs.round_trip_ms);
    const int64_t tokens = 3 + i % 4;
    for (int64_t t = 0; t < tokens; ++t) {
      controller.AddDraft(costs.draft_ms);
      const bool accepted = random.NextDouble() < costs.acceptance;
      controller.AddCompared(accepted);
      if (!accepted) break;
    }
    controller.AddRound(costs.round_trip_ms + costs.verify_ms, tokens, true);
  }
  return controller;
}

TEST(ControllerTest, LearnsCosts) {
  const DraftController controller = Learned({0.8, 10, 60, 60, 30});
  const SplitCosts costs = controller.Costs(4);
  EXPECT_NEAR(costs.acceptance, 0.8, 0.12);
  EXPECT_NEAR(costs.draft_ms, 10, 0.01);
  EXPECT_NEAR(costs.verify_ms, 60, 0.01);
  EXPECT_NEAR(costs.round_trip_ms, 30, 0.01);
  EXPECT_NEAR(controller.round_trip_ms(), 30, 0.01);
}

// Verifying that grows with the draft is found out from rounds of different lengths.
TEST(ControllerTest, LearnsHowVerifyingGrows) {
  DraftController controller({.draft_tokens = 0, .most_tokens = 64, .id_bits = kPairBits});
  controller.AddRoundTrip(5);
  for (int i = 0; i < 100; ++i) {
    const int64_t tokens = 1 + i % 8;
    controller.AddRound(5 + 4 + 2.0 * static_cast<double>(tokens), tokens, true);
  }
  EXPECT_NEAR(controller.Costs(1).verify_ms, 6, 1);
  EXPECT_NEAR(controller.Costs(12).verify_ms, 28, 2);
}

TEST(ControllerTest, PlansAreNearTheBestOfTheFormulas) {
  for (double acceptance : {0.6, 0.8, 0.9}) {
    for (double round_trip_ms : {5.0, 30.0, 100.0, 200.0}) {
      const SplitCosts costs = {acceptance, 10, 60, 60, round_trip_ms};
      const DraftController controller = Learned(costs);
      const auto sync = controller.Sync();
      EXPECT_LE(SyncMsPerToken(costs, static_cast<double>(sync.tokens)),
                1.06 * BestSync(costs, 64).ms_per_token)
          << acceptance << " " << round_trip_ms << ": " << sync.tokens;
      const auto pipelined = controller.Pipelined();
      EXPECT_LE(PipelinedMsPerToken(costs, static_cast<double>(pipelined.tokens)),
                1.06 * BestPipelined(costs, 64).ms_per_token);
      EXPECT_GE(pipelined.ahead, pipelined.tokens);
      EXPECT_LE(pipelined.ahead, 64);
    }
  }
}

TEST(ControllerTest, BytesOfARoundStayInTheBudget) {
  for (double round_trip_ms : {5.0, 30.0, 100.0, 200.0, 1000.0}) {
    const DraftController controller = Learned({0.8, 10, 60, 60, round_trip_ms}, 2000);
    const int64_t tokens = controller.Sync().tokens;
    SplitFrame draft;
    draft.kind = FrameKind::kDraft;
    draft.ids.assign(static_cast<size_t>(tokens), 1);
    SplitFrame verdict;
    verdict.kind = FrameKind::kVerdict;
    verdict.ids = {1};
    const size_t bytes =
        WireBytes(EncodeFrame(draft, 8192).size()) + WireBytes(EncodeFrame(verdict, 8192).size());
    EXPECT_LE(static_cast<double>(bytes) / ExpectedTokens(0.8, static_cast<double>(tokens)), 8)
        << tokens;
  }
}

TEST(ControllerTest, GivenLengthsAndLimitsHold) {
  DraftController given({.draft_tokens = 5, .most_tokens = 64, .id_bits = kPairBits});
  EXPECT_EQ(given.Sync().tokens, 5);
  EXPECT_EQ(given.Pipelined().tokens, 5);
  given.SetMostTokens(3);
  EXPECT_EQ(given.Sync().tokens, 3);
  EXPECT_EQ(given.Pipelined().tokens, 3);
  EXPECT_LE(given.Pipelined().ahead, 3);
  given.SetMostTokens(1000);
  EXPECT_EQ(given.Sync().tokens, 5);
  DraftController chosen = Learned({0.95, 0.1, 60, 60, 1000});
  EXPECT_LE(chosen.Sync().tokens, kMaxDraftTokens);
  chosen.SetMostTokens(2);
  EXPECT_LE(chosen.Sync().tokens, 2);
  EXPECT_LE(chosen.Pipelined().ahead, 2);
}

TEST(ControllerTest, TimeoutsFollowWhatWasMeasured) {
  DraftController controller({});
  EXPECT_GT(controller.AnswerTimeoutMs(), 0);
  EXPECT_GT(controller.RoundTimeoutMs(), controller.AnswerTimeoutMs());
  EXPECT_EQ(controller.GoneMs(), static_cast<double>(kLinkGoneMs));
  for (int i = 0; i < 50; ++i) controller.AddRoundTrip(300);
  EXPECT_NEAR(controller.GoneMs(), 900, 1);
  EXPECT_GT(controller.AnswerTimeoutMs(), 300);
  for (int i = 0; i < 50; ++i) controller.AddRound(300 + (i % 2) * 100, 4, true);
  EXPECT_GT(controller.RoundTimeoutMs(), 400);
  EXPECT_LT(controller.RoundTimeoutMs(), 800);
}

}  // namespace
}  // namespace ferry::llm
