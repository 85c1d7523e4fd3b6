// The sampler against the obvious one: every score computed, everything sorted.
#include "device-runtime/llm/sampler/sampler.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include "device-runtime/llm/sampler/choose.h"
#include "device-runtime/llm/sampler/nucleus.h"

namespace ferry::llm {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

// What top-k and top-p leave, and how clear top-p's cut is.
struct Kept {
  std::vector<int32_t> ids;   // the largest first
  double margin = kInfinity;  // relative distance of p from the masses on either side of the cut
};

std::vector<float> NaivePenalty(const SamplerOptions& o, std::vector<float> x,
                                std::span<const TokenId> context) {
  std::vector<bool> seen(x.size());
  for (TokenId token : context) seen[static_cast<size_t>(token)] = true;
  for (size_t t = 0; t < x.size(); ++t) {
    if (!seen[t]) continue;
    x[t] = x[t] > 0 ? x[t] / o.repetition_penalty : x[t] * o.repetition_penalty;
  }
  return x;
}

Kept NaiveKept(const SamplerOptions& o, const std::vector<float>& x) {
  Kept kept;
  for (size_t t = 0; t < x.size(); ++t) {
    if (!std::isnan(x[t])) kept.ids.push_back(static_cast<int32_t>(t));
  }
  const auto value = [&](int32_t t) { return static_cast<double>(x[static_cast<size_t>(t)]); };
  std::stable_sort(kept.ids.begin(), kept.ids.end(),
                   [&](int32_t a, int32_t b) { return value(a) > value(b); });
  if (o.top_k > 0 && kept.ids.size() > static_cast<size_t>(o.top_k)) {
    kept.ids.resize(static_cast<size_t>(o.top_k));
  }
  if (o.top_p == 1 || kept.ids.empty() || !std::isfinite(value(kept.ids[0]))) return kept;
  std::vector<double> masses;
  double total = 0;
  for (int32_t t : kept.ids) {
    masses.push_back(std::exp((value(t) - value(kept.ids[0])) / o.temperature));
    total += masses.back();
  }
  const double p = static_cast<double>(o.top_p);
  double sum = 0;
  for (size_t i = 0; i < masses.size(); ++i) {
    kept.margin = std::min(kept.margin, std::fabs(sum / total - p));
    sum += masses[i];
    kept.margin = std::min(kept.margin, std::fabs(sum / total - p));
    if (sum < p * total) continue;
    kept.ids.resize(i + 1);
    break;
  }
  return kept;
}

TokenId NaiveSample(const SamplerOptions& o, const PrfKey& key, const std::vector<float>& x,
                    std::vector<int32_t> ids, uint64_t position) {
  std::vector<uint32_t> words(x.size());
  PrfWords(key, position, words);
  std::sort(ids.begin(), ids.end());
  TokenId best = 0;
  double best_score = 0;
  bool any = false;
  for (int32_t t : ids) {
    const auto i = static_cast<size_t>(t);
    const double score = o.temperature == 0
                             ? static_cast<double>(x[i])
                             : static_cast<double>(x[i]) / o.temperature + GumbelOfWord(words[i]);
    if (any && !(score > best_score)) continue;
    any = true;
    best = t;
    best_score = score;
  }
  return best;
}

class RandomRows {
 public:
  explicit RandomRows(uint32_t seed) : random(seed) {}
  size_t Below(size_t end) { return random() % end; }

  std::vector<float> Row() {
    static constexpr size_t kSizes[] = {1, 2, 17, 63, 64, 65, 127, 300, 1000, 8192};
    std::vector<float> x(kSizes[Below(std::size(kSizes))]);
    std::normal_distribution<float> normal(0, 1);
    const float spread = std::pow(10.f, static_cast<float>(Below(6)) - 3);  // 0.001 to 100
    const bool ties = Below(3) == 0;
    for (float& value : x) {
      value = normal(random) * spread;
      if (ties) value = std::round(value);
    }
    const size_t kind = Below(6);
    for (float& value : x) {
      if (kind == 0 && Below(3) == 0) value = kNan;
      if (kind == 1 && Below(2) == 0) value = -kInfinity;
      if (kind == 2 && Below(40) == 0) value = Below(2) == 0 ? kInfinity : 1e38f;
      if (kind == 2 && Below(9) == 0) value = Below(2) == 0 ? kNan : -3e38f;
    }
    return x;
  }
  SamplerOptions Options(size_t vocabulary) {
    static constexpr float kTemperatures[] = {0, 1e-7f, 0.01f, 0.3f, 0.7f, 1, 1, 1, 3, 100};
    SamplerOptions o;
    o.temperature = kTemperatures[Below(std::size(kTemperatures))];
    if (Below(2) == 0) o.top_k = static_cast<int64_t>(Below(vocabulary + 3));
    if (Below(2) == 0) o.top_p = static_cast<float>(1 + Below(999)) / 1000;
    if (Below(3) == 0) o.repetition_penalty = Below(2) == 0 ? 1.3f : 0.5f;
    return o;
  }

  std::mt19937 random;
};

TEST(Sampler, RandomRowsAgreeWithTheNaiveSampler) {
  RandomRows random(1);
  int64_t unclear = 0;
  constexpr int kRounds = 2500;
  for (int round = 0; round < kRounds; ++round) {
    SCOPED_TRACE(round);
    const std::vector<float> logits = random.Row();
    const SamplerOptions o = random.Options(logits.size());
    ASSERT_TRUE(o.Check().ok());
    std::vector<TokenId> context(random.Below(20));
    for (TokenId& token : context) token = static_cast<TokenId>(random.Below(logits.size()));
    const PrfKey key = PrfKey::FromSeed(static_cast<uint64_t>(round) * 7);
    Sampler sampler(o, key, static_cast<int64_t>(logits.size()));
    const std::vector<float> x = NaivePenalty(o, logits, context);
    const Kept kept = NaiveKept(o, x);
    if (kept.margin < 1e-5) {  // top-p's sums may differ by rounding
      ++unclear;
      continue;
    }
    for (uint64_t position : {uint64_t{0}, uint64_t{12345}, UINT64_MAX}) {
      ASSERT_EQ(sampler.Sample(logits, context, position),
                NaiveSample(o, key, x, kept.ids, position))
          << "T " << o.temperature << " k " << o.top_k << " p " << o.top_p;
    }
    std::vector<double> law(logits.size());
    sampler.Probabilities(logits, context, law);
    double total = 0;
    for (double probability : law) total += probability;
    EXPECT_NEAR(total, 1, 1e-9);
    if (o.temperature == 0 || kept.ids.empty() ||
        !std::isfinite(x[static_cast<size_t>(kept.ids[0])])) {
      continue;
    }
    std::vector<bool> in(logits.size());
    for (int32_t t : kept.ids) in[static_cast<size_t>(t)] = true;
    for (size_t t = 0; t < law.size(); ++t) ASSERT_TRUE(in[t] || law[t] == 0) << t;
    for (size_t i = 1; i < kept.ids.size(); ++i) {
      const auto first = static_cast<size_t>(kept.ids[0]), t = static_cast<size_t>(kept.ids[i]);
      const double gap = (static_cast<double>(x[t]) - x[first]) / o.temperature;
      ASSERT_NEAR(law[t], law[first] * std::exp(gap), 1e-12);
    }
  }
  EXPECT_LT(unclear, kRounds / 20);
}

// The same words and row on each instruction set.
TEST(Sampler, EveryInstructionSetChoosesTheSame) {
  RandomRows random(2);
  for (int round = 0; round < 500; ++round) {
    const std::vector<float> x = random.Row();
    std::vector<uint32_t> words(x.size());
    PrfWords(PrfKey::FromSeed(3), static_cast<uint64_t>(round), words);
    const auto count = static_cast<int64_t>(1 + random.Below(x.size() + 2));
    Chooser reference(kRowBaseline);
    const float largest = x[static_cast<size_t>(reference.Largest(x))];
    std::vector<int32_t> nucleus, same;
    if (std::isfinite(largest)) Nucleus(kRowBaseline).Choose(x, 0.8f, 0.7f, &nucleus);
    for (kernels::Isa isa : kernels::RunningIsas()) {
      Chooser chooser(RowKernelsOf(isa));
      ASSERT_EQ(chooser.Largest(x), reference.Largest(x));
      ASSERT_EQ(chooser.LargestFew(x, count), reference.LargestFew(x, count));
      ASSERT_EQ(chooser.GumbelRace(x, words, 0.9f), reference.GumbelRace(x, words, 0.9f));
      if (std::isfinite(largest)) Nucleus(RowKernelsOf(isa)).Choose(x, 0.8f, 0.7f, &same);
      ASSERT_EQ(same, nucleus);
    }
  }
}

// Words that tie in all leading bits, scores that tie exactly.
TEST(Sampler, NearAndExactTiesGoToTheLowestId) {
  std::mt19937 random(3);
  for (int round = 0; round < 2000; ++round) {
    const size_t count = 1 + random() % 300;
    std::vector<float> x(count);
    std::vector<uint32_t> words(count);
    for (size_t i = 0; i < count; ++i) {
      x[i] = static_cast<float>(random() % 3) * 0.25f;
      words[i] = (random() % 2 == 0 ? 0xfffff000u : 0x80000000u) + random() % 3;
    }
    int64_t best = 0;
    double best_score = -1e9;
    for (size_t i = 0; i < count; ++i) {
      const double score = static_cast<double>(x[i]) / 0.5f + GumbelOfWord(words[i]);
      if (score > best_score) best_score = score, best = static_cast<int64_t>(i);
    }
    Chooser chooser(ChosenRowKernels());
    ASSERT_EQ(chooser.GumbelRace(x, words, 0.5f), best);
  }
}

TEST(Sampler, TopPKeepsTheTokenThatCrosses) {
  const std::vector<float> x = {std::log(0.2f), std::log(0.5f), std::log(0.1f), std::log(0.2f)};
  const auto kept = [&](float p, int64_t k = 0) {
    Sampler sampler({.temperature = 1, .top_k = k, .top_p = p}, {}, 4);
    std::vector<double> law(4);
    sampler.Probabilities(x, {}, law);
    return law;
  };
  using ::testing::ElementsAre;
  const auto near = [](double value) { return ::testing::DoubleNear(value, 1e-6); };
  EXPECT_THAT(kept(0.4f), ElementsAre(0, near(1), 0, 0));
  EXPECT_THAT(kept(0.6f), ElementsAre(near(2.0 / 7), near(5.0 / 7), 0, 0));  // lowest id of two
  EXPECT_THAT(kept(0.8f), ElementsAre(near(2.0 / 9), near(5.0 / 9), 0, near(2.0 / 9)));
  EXPECT_THAT(kept(0.95f), ElementsAre(near(0.2), near(0.5), near(0.1), near(0.2)));
  // The mass is that of what top-k left: 5/7 alone reaches 0.7.
  EXPECT_THAT(kept(0.7f, 2), ElementsAre(0, near(1), 0, 0));
}

TEST(Sampler, ThePenaltyCountsATokenOnce) {
  const std::vector<float> logits = {2, 3, -1, -1.5f};
  Sampler sampler({.repetition_penalty = 2}, {}, 4);
  EXPECT_EQ(sampler.Sample(logits, std::vector<TokenId>{}, 0), 1);
  EXPECT_EQ(sampler.Sample(logits, std::vector<TokenId>{1, 1, 1}, 0), 0);  // 1.5, not 0.375
  EXPECT_EQ(sampler.Sample(logits, std::vector<TokenId>{0, 1}, 0), 1);
  const std::vector<float> low = {-1, -1.5f};
  Sampler pair({.repetition_penalty = 2}, {}, 2);
  EXPECT_EQ(pair.Sample(low, std::vector<TokenId>{0}, 0), 1);               // -2 against -1.5
  EXPECT_EQ(pair.Sample(low, std::vector<TokenId>{-5, 2, 1 << 30}, 0), 0);  // unknown: passed over
}

TEST(Sampler, RowsWithoutNumbers) {
  for (float temperature : {0.f, 1.f}) {
    Sampler sampler({.temperature = temperature, .top_k = 2, .top_p = 0.9f}, {}, 3);
    EXPECT_EQ(sampler.Sample(std::vector<float>{kNan, kNan, kNan}, {}, 0), 0);
    EXPECT_EQ(sampler.Sample(std::vector<float>{kNan, -kInfinity, -kInfinity}, {}, 0), 1);
    EXPECT_EQ(sampler.Sample(std::vector<float>{kNan, 5, -kInfinity}, {}, 9), 1);
    EXPECT_EQ(sampler.Sample(std::vector<float>{1, kInfinity, kInfinity}, {}, 0), 1);
  }
}

TEST(Sampler, OptionsOutsideTheirRangesAreNamed) {
  const auto text = [](const SamplerOptions& o) { return o.Check().message(); };
  using ::testing::HasSubstr;
  for (float bad : {-0.1f, 100.5f, kNan, kInfinity}) {
    EXPECT_THAT(text({.temperature = bad}), HasSubstr("temperature"));
  }
  EXPECT_THAT(text({.top_k = -1}), HasSubstr("top_k"));
  for (float bad : {0.f, -1.f, 1.1f, kNan}) EXPECT_THAT(text({.top_p = bad}), HasSubstr("top_p"));
  for (float bad : {0.f, -1.f, 101.f, kNan}) {
    EXPECT_THAT(text({.repetition_penalty = bad}), HasSubstr("repetition_penalty"));
  }
  const SamplerOptions limits{
      .temperature = 100, .top_k = INT64_MAX, .top_p = 1e-30f, .repetition_penalty = 100};
  EXPECT_TRUE(limits.Check().ok());
  EXPECT_TRUE(SamplerOptions().Check().ok());
}

}  // namespace
}  // namespace ferry::llm
