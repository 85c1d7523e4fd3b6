#include "device-runtime/llm/speculative/c4.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "common/sys/random.h"

namespace ferry::llm {
namespace {

SplitCosts Costs(double acceptance, double draft_ms, double step_ms, double round_trip_ms = 0) {
  return {acceptance, draft_ms, step_ms, step_ms, round_trip_ms};
}

TEST(C4Test, ExpectedTokensOfARound) {
  EXPECT_DOUBLE_EQ(ExpectedTokens(0.5, 1), 1.5);
  EXPECT_DOUBLE_EQ(ExpectedTokens(0, 7), 1);
  EXPECT_DOUBLE_EQ(ExpectedTokens(1, 7), 8);
  EXPECT_NEAR(ExpectedTokens(0.8, 4), 3.3616, 1e-9);
}

TEST(C4Test, TimesPerTokenByHand) {
  // 4 drafts: 40 + 30 + 60 ms for 3.3616 tokens.
  EXPECT_NEAR(SyncMsPerToken(Costs(0.8, 10, 60, 30), 4), 130 / 3.3616, 1e-9);
  EXPECT_NEAR(ColocatedMsPerToken(Costs(0.8, 10, 60, 30), 4), 100 / 3.3616, 1e-9);
  // 6 drafts: 0.8 * 10 + 0.2 * (30 + 60 + 35).
  EXPECT_NEAR(PipelinedMsPerToken(Costs(0.8, 10, 60, 30), 6), 33, 1e-9);
  // 2 drafts: verifying is the bottleneck, 30 ms a token.
  EXPECT_NEAR(PipelinedMsPerToken(Costs(0.8, 10, 60, 30), 2), 0.8 * 30 + 0.2 * 105, 1e-9);
}

TEST(C4Test, BestLengthIsALeastOne) {
  for (double acceptance : {0.3, 0.6, 0.8, 0.95}) {
    for (double round_trip : {5.0, 50.0, 200.0}) {
      const SplitCosts costs = Costs(acceptance, 10, 60, round_trip);
      const Best sync = BestSync(costs, 32);
      const Best pipelined = BestPipelined(costs, 32);
      for (int g = 1; g <= 32; ++g) {
        EXPECT_LE(sync.ms_per_token, SyncMsPerToken(costs, g));
        EXPECT_LE(pipelined.ms_per_token, PipelinedMsPerToken(costs, g));
      }
      EXPECT_DOUBLE_EQ(sync.ms_per_token, SyncMsPerToken(costs, static_cast<double>(sync.drafts)));
    }
  }
}

// The published table: acceptance, draft ms, step ms, sync and pipelined break-even in ms.
TEST(C4Test, BreakEvens) {
  static const struct {
    double acceptance, draft_ms, step_ms, sync, pipelined;
  } kRows[] = {
      {.6, 5, 30, 20, 21},    {.6, 10, 60, 41, 42},  {.6, 20, 60, 18, 20},
      {.7, 10, 30, 16, 27},   {.7, 10, 60, 66, 82},  {.8, 5, 30, 60, 83},
      {.8, 10, 60, 120, 165}, {.9, 10, 30, 76, 160}, {.9, 20, 60, 152, 320},
  };
  for (const auto& row : kRows) {
    const SplitCosts costs = Costs(row.acceptance, row.draft_ms, row.step_ms);
    EXPECT_NEAR(SyncBreakEvenMs(costs, 64), row.sync, 1) << row.acceptance << " " << row.draft_ms;
    EXPECT_NEAR(PipelinedBreakEvenMs(costs, 64), row.pipelined, 1)
        << row.acceptance << " " << row.draft_ms;
  }
}

double NaiveAgreement(const std::vector<double>& p, const std::vector<double>& q) {
  double agreement = 0;
  for (size_t i = 0; i < p.size(); ++i) {
    if (p[i] <= 0 || q[i] <= 0) continue;
    double sum = 0;
    for (size_t j = 0; j < p.size(); ++j) sum += std::max(p[j] / p[i], q[j] / q[i]);
    agreement += 1 / sum;
  }
  return agreement;
}

TEST(C4Test, GumbelAgreementIsTheDoubleSum) {
  sys::SeededRandom random(7);
  for (int round = 0; round < 50; ++round) {
    const size_t n = 1 + random.Below(60);
    std::vector<double> p(n), q(n);
    double p_sum = 0, q_sum = 0;
    for (size_t i = 0; i < n; ++i) {
      // Some tokens are cut from one law or the other, as top-k does.
      p[i] = i > 0 && random.Below(4) == 0 ? 0 : std::exp(4 * random.NextDouble());
      q[i] = i > 0 && random.Below(4) == 0 ? 0 : std::exp(4 * random.NextDouble());
      p_sum += p[i];
      q_sum += q[i];
    }
    for (double& x : p) x /= p_sum;
    for (double& x : q) x /= q_sum;
    EXPECT_NEAR(GumbelAgreement(p, q), NaiveAgreement(p, q), 1e-12);
    EXPECT_LE(GumbelAgreement(p, q), LawOverlap(p, q) + 1e-12);
  }
  const std::vector<double> law = {0.5, 0.25, 0.25};
  EXPECT_NEAR(GumbelAgreement(law, law), 1, 1e-12);
}

}  // namespace
}  // namespace ferry::llm
