// The law that sampling through the pseudo-random function follows: chi-squared tests, and how
// often two laws that share a key agree. Seeds are fixed.
#include <cmath>
#include <iostream>
#include <random>

#include <gtest/gtest.h>
#include "device-runtime/llm/sampler/sampler.h"

namespace ferry::llm {
namespace {

constexpr int64_t kSamples = 1'000'000;
constexpr int64_t kFewer = kSamples / 5;
// Of all tests of a family together: each of n must reach kLeastP / n.
constexpr double kLeastP = 0.01;

// The probability that chi-squared with `freedom` degrees is above `statistic`: Q(freedom / 2,
// statistic / 2) by its recurrence from Q(1/2, x) or Q(1, x).
double TailOfChiSquared(double statistic, int64_t freedom) {
  const double x = statistic / 2;
  double a = freedom % 2 == 0 ? 1 : 0.5;
  double q = freedom % 2 == 0 ? std::exp(-x) : std::erfc(std::sqrt(x));
  for (; a < static_cast<double>(freedom) / 2; a += 1) {
    q += std::exp(a * std::log(x) - x - std::lgamma(a + 1));
  }
  return q;
}

// Tests counts against a law; cells of probability 0 must be empty.
double PValue(const std::vector<int64_t>& counts, const std::vector<double>& law, int64_t samples) {
  double statistic = 0;
  int64_t cells = 0;
  for (size_t i = 0; i < counts.size(); ++i) {
    if (law[i] == 0) {
      EXPECT_EQ(counts[i], 0) << i;
      continue;
    }
    const double expected = law[i] * static_cast<double>(samples);
    EXPECT_GT(expected, 5);
    statistic += std::pow(static_cast<double>(counts[i]) - expected, 2) / expected;
    ++cells;
  }
  return TailOfChiSquared(statistic, cells - 1);
}

std::vector<float> SomeLogits(size_t vocabulary, uint32_t seed, float spread) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(0, spread);
  std::vector<float> logits(vocabulary);
  for (float& logit : logits) logit = normal(random);
  return logits;
}

TEST(Law, TheTailOfChiSquaredIsThatOfTheTables) {
  EXPECT_NEAR(TailOfChiSquared(3.841, 1), 0.05, 1e-4);
  EXPECT_NEAR(TailOfChiSquared(9.210, 2), 0.01, 1e-4);
  EXPECT_NEAR(TailOfChiSquared(14.067, 7), 0.05, 1e-4);
  EXPECT_NEAR(TailOfChiSquared(18.307, 10), 0.05, 1e-4);
}

// The p value of samples at as many positions.
double Sampled(const SamplerOptions& options, uint64_t seed, int64_t samples) {
  const auto logits = SomeLogits(12, static_cast<uint32_t>(seed), 1);
  const std::vector<TokenId> context = {1, 4, 4};
  Sampler sampler(options, PrfKey::FromSeed(seed), 12);
  std::vector<double> law(12);
  sampler.Probabilities(logits, context, law);
  std::vector<int64_t> counts(12);
  for (int64_t i = 0; i < samples; ++i) {
    ++counts[static_cast<size_t>(sampler.Sample(logits, context, static_cast<uint64_t>(i)))];
  }
  const double p = PValue(counts, law, samples);
  std::cout << "T " << options.temperature << " k " << options.top_k << " p " << options.top_p
            << ", " << samples << " samples: p value " << p << "\n";
  return p;
}

TEST(Law, PlainSamplesFollowSoftmax) {
  EXPECT_GT(Sampled({.temperature = 1}, 100, kSamples), kLeastP);
}

TEST(Law, FilteredSamplesFollowTheirLaw) {
  const SamplerOptions cases[] = {
      {.temperature = 0.7f},
      {.temperature = 2},
      {.temperature = 1, .top_k = 5},
      {.temperature = 1, .top_p = 0.9f},
      {.temperature = 0.7f, .top_k = 7, .top_p = 0.95f, .repetition_penalty = 1.2f},
  };
  uint64_t seed = 100;
  for (const SamplerOptions& options : cases) {
    EXPECT_GT(Sampled(options, ++seed, kFewer), kLeastP / std::size(cases));
  }
}

// Probabilities() is what the logits say, computed here once more.
TEST(Law, ProbabilitiesAreSoftmax) {
  const auto logits = SomeLogits(50, 9, 2);
  Sampler sampler({.temperature = 0.7f}, {}, 50);
  std::vector<double> law(50);
  sampler.Probabilities(logits, {}, law);
  double total = 0;
  for (float logit : logits) total += std::exp(logit / 0.7);
  for (size_t i = 0; i < 50; ++i) EXPECT_NEAR(law[i], std::exp(logits[i] / 0.7) / total, 1e-7);
}

// Over keys at one position, and over pairs of neighbouring positions.
TEST(Law, KeysAndNeighboursAreIndependent) {
  const auto logits = SomeLogits(5, 4, 0.7f);
  std::vector<double> law(5);
  Sampler one({.temperature = 1}, PrfKey::FromSeed(8), 5);
  one.Probabilities(logits, {}, law);
  std::vector<int64_t> of_keys(5), of_pairs(25);
  std::vector<double> law_of_pairs(25);
  for (size_t i = 0; i < 25; ++i) law_of_pairs[i] = law[i / 5] * law[i % 5];
  for (int64_t seed = 0; seed < kFewer; ++seed) {
    Sampler sampler({.temperature = 1}, PrfKey::FromSeed(static_cast<uint64_t>(seed)), 5);
    ++of_keys[static_cast<size_t>(sampler.Sample(logits, {}, 40))];
  }
  for (uint64_t i = 0; i < kFewer; ++i) {
    const TokenId a = one.Sample(logits, {}, 2 * i), b = one.Sample(logits, {}, 2 * i + 1);
    ++of_pairs[static_cast<size_t>(5 * a + b)];
  }
  const double keys = PValue(of_keys, law, kFewer);
  const double pairs = PValue(of_pairs, law_of_pairs, kFewer);
  std::cout << "keys: p value " << keys << ", pairs: p value " << pairs << "\n";
  EXPECT_GT(keys, kLeastP / 2);
  EXPECT_GT(pairs, kLeastP / 2);
}

// Sum over i of 1 / (sum over j of max(p_j / p_i, q_j / q_i)).
double ExpectedAgreement(const std::vector<double>& p, const std::vector<double>& q) {
  double agreement = 0;
  for (size_t i = 0; i < p.size(); ++i) {
    if (p[i] == 0 || q[i] == 0) continue;
    double sum = 0;
    for (size_t j = 0; j < p.size(); ++j) sum += std::max(p[j] / p[i], q[j] / q[i]);
    agreement += 1 / sum;
  }
  return agreement;
}

TEST(Law, TwoLawsThatShareAKeyAgreeAsOftenAsTheFormulaSays) {
  constexpr int64_t kDraws = 50'000;
  struct Case {
    float noise;
    SamplerOptions options;
  };
  const Case cases[] = {{0.5f, {.temperature = 1}},
                        {1, {.temperature = 1}},
                        {2, {.temperature = 1}},
                        {2, {.temperature = 0.7f}},
                        {1, {.temperature = 1, .top_k = 20}},
                        {1, {.temperature = 1, .top_p = 0.8f}}};
  uint32_t seed = 20;
  for (const auto& [noise, options] : cases) {
    const auto target = SomeLogits(200, ++seed, 2);
    auto draft = SomeLogits(200, ++seed, noise);
    for (size_t i = 0; i < 200; ++i) draft[i] += target[i];
    Sampler of_target(options, PrfKey::FromSeed(seed), 200);
    Sampler of_draft(options, PrfKey::FromSeed(seed), 200);
    std::vector<double> p(200), q(200);
    of_target.Probabilities(target, {}, p);
    of_draft.Probabilities(draft, {}, q);
    int64_t agreed = 0;
    for (uint64_t i = 0; i < kDraws; ++i) {
      agreed += of_target.Sample(target, {}, i) == of_draft.Sample(draft, {}, i);
    }
    const double measured = static_cast<double>(agreed) / kDraws;
    const double expected = ExpectedAgreement(p, q);
    const double deviation = std::sqrt(expected * (1 - expected) / kDraws);
    double overlap = 0;
    for (size_t i = 0; i < 200; ++i) overlap += std::min(p[i], q[i]);
    std::cout << "noise " << noise << ": agreement " << measured << ", formula " << expected
              << ", sum of min(p, q) " << overlap << "\n";
    EXPECT_NEAR(measured, expected, 4 * deviation);
    EXPECT_LE(expected, overlap + 1e-9);
  }
}

}  // namespace
}  // namespace ferry::llm
