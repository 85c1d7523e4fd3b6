#include "device-runtime/llm/speculative/target.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "common/sys/random.h"

namespace ferry::llm {
namespace {

constexpr int64_t kVocabulary = 41;
constexpr TokenId kEnd = 7;

// A model whose logits behind a prefix are noise seeded by the prefix.
std::vector<float> ToyLogits(std::span<const TokenId> prefix) {
  uint64_t hash = 1469598103934665603u;
  for (const TokenId id : prefix) hash = (hash ^ static_cast<uint64_t>(id)) * 1099511628211u;
  sys::SeededRandom random(hash);
  std::vector<float> logits(kVocabulary);
  for (float& logit : logits) logit = static_cast<float>(random.NextDouble() * 8);
  return logits;
}

struct TargetCase {
  std::vector<TokenId> context{3, 1, 4};
  SamplerOptions sampler;
  uint64_t seed = 0;
  TargetOptions options{kVocabulary, 60, {kEnd}};

  Sampler MakeSampler() const { return Sampler(sampler, PrfKey::FromSeed(seed), kVocabulary); }
  TargetLog MakeLog() const { return TargetLog(context, MakeSampler(), options); }
  // One token at a time, without drafts.
  std::vector<TokenId> Naive() const {
    std::vector<TokenId> ids = context;
    Sampler own = MakeSampler();
    while (static_cast<int64_t>(ids.size()) < options.max_length) {
      ids.push_back(own.Sample(ToyLogits(ids), ids, ids.size()));
      if (std::count(options.end_tokens.begin(), options.end_tokens.end(), ids.back()) > 0) break;
    }
    return ids;
  }
};

std::vector<TargetCase> Cases() {
  std::vector<TargetCase> cases;
  const SamplerOptions kinds[] = {{}, {0.7f, 10, 0.9f, 1}, {1, 0, 1, 1}, {1.3f, 0, 0.8f, 1.2f}};
  for (uint64_t seed = 0; seed < 24; ++seed) {
    TargetCase c;
    c.sampler = kinds[seed % 4];
    c.seed = seed;
    c.context.resize(1 + seed % 5, static_cast<TokenId>(seed % kVocabulary));
    if (seed % 3 == 0) c.options.end_tokens.clear();
    cases.push_back(c);
  }
  return cases;
}

// The caller's part: a KV cache that is only its tokens.
struct Runner {
  explicit Runner(const TargetCase& c) : log(c.MakeLog()) {}

  Result<Verdict> Round(int64_t base, std::span<const TokenId> ids) {
    FERRY_ASSIGN_OR_RETURN(const Verdict answer, log.Compare(base, ids));
    if (answer.answered) return answer;
    int64_t from = 0;
    const auto pending = log.Pending(static_cast<int64_t>(kv.size()), base, ids, &from);
    std::vector<float> logits;
    for (size_t i = 0; i < pending.size(); ++i) {
      EXPECT_GE(pending[i], 0);
      EXPECT_LT(pending[i], kVocabulary);
      kv.push_back(pending[i]);
      if (static_cast<int64_t>(i) < from) continue;
      const auto row = ToyLogits(kv);
      logits.insert(logits.end(), row.begin(), row.end());
    }
    EXPECT_LE(static_cast<int64_t>(kv.size()), c_max);
    const Verdict verdict = log.Verify(base, ids, logits);
    kv.resize(std::min<size_t>(kv.size(), log.tokens().size() - 1));
    EXPECT_TRUE(std::equal(kv.begin(), kv.end(), log.tokens().begin()));
    return verdict;
  }

  TargetLog log;
  std::vector<TokenId> kv;
  int64_t c_max = 60;
};

// Drafts for positions from `base`: right, wrong, random, repeated, outside the vocabulary.
std::vector<TokenId> Draft(const std::vector<TokenId>& truth, int64_t base, sys::Random& random) {
  std::vector<TokenId> ids(random.Below(9));
  const uint64_t kind = random.Below(6);
  for (size_t i = 0; i < ids.size(); ++i) {
    const size_t at = static_cast<size_t>(base) + i;
    const TokenId right = at < truth.size() ? truth[at] : 0;
    const TokenId noise = static_cast<TokenId>(random.Below(kVocabulary));
    switch (kind) {
      case 0:
        ids[i] = noise;
        break;
      case 1:
        ids[i] = 5;
        break;
      case 2:
        ids[i] = static_cast<TokenId>(kVocabulary + random.Below(1000));
        break;
      case 3:
        ids[i] = i == 3 ? -1 : right;
        break;
      default:
        ids[i] = random.Below(5) == 0 ? noise : right;
    }
  }
  return ids;
}

TEST(TargetLogTest, AnyDraftGivesTheTextOfNone) {
  for (const TargetCase& c : Cases()) {
    SCOPED_TRACE(c.seed);
    const auto truth = c.Naive();
    Runner runner(c);
    sys::SeededRandom random(c.seed + 99);
    while (!runner.log.ended()) {
      const int64_t before = runner.log.length();
      // Also bases that the log has passed already, as of late or repeated frames.
      const uint64_t back =
          random.Below(3) == 0
              ? random.Below(static_cast<uint64_t>(before - runner.log.context_length() + 1))
              : 0;
      const int64_t base = before - static_cast<int64_t>(back);
      const auto ids = Draft(truth, base, random);
      const auto verdict = runner.Round(base, ids);
      ASSERT_TRUE(verdict.ok());
      ASSERT_GT(verdict->length, base);
      ASSERT_LE(verdict->length, runner.log.length());
      EXPECT_EQ(verdict->token, truth[static_cast<size_t>(verdict->length - 1)]);
      for (int64_t p = base; p + 1 < verdict->length; ++p) {
        EXPECT_EQ(ids[static_cast<size_t>(p - base)], truth[static_cast<size_t>(p)]);
      }
      if (back == 0) {
        EXPECT_GT(runner.log.length(), before);
      }
      // The same frame again: the same verdict, from the log, and nothing grows.
      const int64_t length = runner.log.length();
      const auto again = runner.log.Compare(base, ids);
      ASSERT_TRUE(again.ok());
      EXPECT_TRUE(again->answered);
      EXPECT_EQ(again->length, verdict->length);
      EXPECT_EQ(again->token, verdict->token);
      EXPECT_EQ(runner.log.length(), length);
    }
    EXPECT_EQ(runner.log.tokens(), truth);
  }
}

TEST(TargetLogTest, AnAgreedDraftCostsOnePassAndGivesOneMore) {
  TargetCase c;
  c.options.end_tokens.clear();
  const auto truth = c.Naive();
  Runner runner(c);
  const auto verdict = runner.Round(3, std::span(truth).subspan(3, 5));
  ASSERT_TRUE(verdict.ok());
  EXPECT_EQ(verdict->accepted, 5);
  EXPECT_EQ(verdict->compared, 5);
  EXPECT_EQ(verdict->length, 9);
  EXPECT_EQ(verdict->token, truth[8]);
  // A chunk sent ahead begins at the position of that one more: right, then wrong.
  std::vector<TokenId> ahead(truth.begin() + 8, truth.begin() + 11);
  const auto second = runner.Round(8, ahead);
  ASSERT_TRUE(second.ok());
  EXPECT_EQ(second->accepted, 3);
  EXPECT_EQ(second->length, 12);
  ahead[0] = (truth[8] + 1) % kVocabulary;
  const auto wrong = runner.log.Compare(8, ahead);
  ASSERT_TRUE(wrong.ok());
  EXPECT_TRUE(wrong->answered);
  EXPECT_EQ(wrong->length, 9);
  EXPECT_EQ(wrong->accepted, 0);
  EXPECT_EQ(wrong->compared, 1);
}

TEST(TargetLogTest, AnIdOutsideTheVocabularyNeverReachesTheModel) {
  TargetCase c;
  c.options.end_tokens.clear();
  const auto truth = c.Naive();
  const TargetLog log = c.MakeLog();
  const std::vector<TokenId> ids{truth[3], truth[4], kVocabulary, truth[6]};
  int64_t from = -1;
  const auto pending = log.Pending(1, 3, ids, &from);
  EXPECT_EQ(pending, (std::vector<TokenId>{truth[1], truth[2], truth[3], truth[4]}));
  EXPECT_EQ(from, 1);
  Runner runner(c);
  const auto verdict = runner.Round(3, ids);
  ASSERT_TRUE(verdict.ok());
  EXPECT_EQ(verdict->accepted, 2);
  EXPECT_EQ(verdict->compared, 3);
  EXPECT_EQ(verdict->length, 6);
  EXPECT_EQ(verdict->token, truth[5]);
}

TEST(TargetLogTest, GapsAndTheContextAreOutOfRange) {
  const TargetCase c;
  const TargetLog log = c.MakeLog();
  const std::vector<TokenId> ids{1, 2};
  EXPECT_EQ(log.Compare(4, ids).status().code(), Code::kOutOfRange);
  EXPECT_EQ(log.Compare(2, ids).status().code(), Code::kOutOfRange);
  EXPECT_EQ(log.Compare(-5, ids).status().code(), Code::kOutOfRange);
  EXPECT_EQ(log.Compare(int64_t{1} << 40, ids).status().code(), Code::kOutOfRange);
  EXPECT_TRUE(log.Compare(3, ids).ok());
}

TEST(TargetLogTest, NothingFollowsAnEnd) {
  for (TargetCase c : Cases()) {
    c.options.end_tokens = {kEnd};
    c.options.max_length = 400;
    const auto truth = c.Naive();
    if (truth.back() != kEnd) continue;
    Runner runner(c);
    runner.c_max = 400;
    const int64_t base = runner.log.length();
    // All of it and more, so that the end token itself is an agreed draft.
    std::vector<TokenId> ids(truth.begin() + base, truth.end());
    ids.resize(ids.size() + 3, 1);
    const auto verdict = runner.Round(base, ids);
    ASSERT_TRUE(verdict.ok());
    EXPECT_EQ(verdict->length, static_cast<int64_t>(truth.size()));
    EXPECT_EQ(verdict->token, kEnd);
    EXPECT_TRUE(runner.log.ended());
    EXPECT_EQ(runner.log.tokens(), truth);
    // Drafts behind the end are answered with it.
    const auto behind = runner.log.Compare(verdict->length, std::vector<TokenId>{1, 2});
    ASSERT_TRUE(behind.ok());
    EXPECT_TRUE(behind->answered);
    EXPECT_EQ(behind->length, verdict->length);
  }
  // An end token of the context, of a turn before, ends nothing.
  TargetCase c;
  c.context = {3, kEnd};
  EXPECT_FALSE(c.MakeLog().ended());
}

TEST(TargetLogTest, TheContextLimitIsExact) {
  TargetCase c;
  c.options.end_tokens.clear();
  for (const int64_t max : {4, 5, 6, 9}) {
    c.options.max_length = max;
    const auto truth = c.Naive();
    Runner runner(c);
    runner.c_max = max - 1;  // the last token is never read by the model
    std::vector<TokenId> ids(truth.begin() + 3, truth.end());
    ids.resize(ids.size() + 2, 1);
    const auto verdict = runner.Round(3, ids);
    ASSERT_TRUE(verdict.ok());
    EXPECT_EQ(verdict->length, max);
    EXPECT_EQ(runner.log.tokens(), truth);
    EXPECT_TRUE(runner.log.ended());
  }
  c.options.max_length = 3;
  EXPECT_TRUE(c.MakeLog().ended());
}

}  // namespace
}  // namespace ferry::llm
