// Sessions against logits computed without them: bit for bit, whatever happened before.
#include "device-runtime/llm/session.h"

#include <cstring>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include "common/base/memory.h"
#include "common/sys/sim/filesystem.h"
#include "device-runtime/llm/testing/forward.h"
#include "device-runtime/llm/testing/tiny_model.h"

namespace ferry::llm {
namespace {

using ::testing::HasSubstr;
using Ids = std::vector<TokenId>;

class SessionTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    sys::SimFileSystem fs;
    ASSERT_TRUE(testing::WriteTinyModel(fs, "tiny", {}).ok());
    auto model = Model::Load(fs, "tiny");
    ASSERT_TRUE(model.ok()) << model.status().ToString();
    model_ = new std::shared_ptr<const Model>(*model);
  }
  static void TearDownTestSuite() { delete model_; }

  static const std::shared_ptr<const Model>& model() { return *model_; }
  static int64_t page_bytes() { return (*KvPool::Create(model()->config()))->stats().page_bytes; }
  Ids Some(size_t count) {
    Ids ids(count);
    for (TokenId& id : ids) {
      id = static_cast<TokenId>(random_() % static_cast<uint64_t>(model()->config().vocabulary));
    }
    return ids;
  }
  std::unique_ptr<Session> Make(const SessionOptions& options = {}) {
    auto session = Session::Create(model(), options);
    EXPECT_TRUE(session.ok()) << session.status().ToString();
    return std::move(*session);
  }
  // That its logits are those of its tokens.
  static void ExpectExact(Session& session) {
    const auto logits = session.logits();
    ASSERT_TRUE(logits.ok()) << logits.status().ToString();
    if (session.length() == 0) {
      EXPECT_TRUE(logits->empty());
      return;
    }
    const std::vector<float> all = testing::AllLogits(*model(), session.tokens());
    ASSERT_EQ(logits->size(), static_cast<size_t>(model()->config().vocabulary));
    EXPECT_EQ(std::memcmp(logits->data(), all.data() + all.size() - logits->size(),
                          logits->size() * sizeof(float)),
              0);
  }

  std::mt19937_64 random_{7};

 private:
  static std::shared_ptr<const Model>* model_;
};
std::shared_ptr<const Model>* SessionTest::model_ = nullptr;

TEST_F(SessionTest, ChunksAndThreadsChangeNoBit) {
  const Ids ids = Some(70);
  auto threads = sys::StartThreadPool(2);
  for (sys::Parallel* parallel : {static_cast<sys::Parallel*>(nullptr), threads.get()}) {
    for (int64_t chunk : {1, 2, 3, 7, 16, 17, 33, 64, 70, 512}) {
      auto session = Make({.parallel = parallel, .prefill_chunk = chunk});
      ASSERT_TRUE(session->Append(ids).ok());
      EXPECT_EQ(session->tokens(), ids);
      ExpectExact(*session);
    }
  }
}

TEST_F(SessionTest, LogitsOfEveryTokenOnDemand) {
  const Ids ids = Some(40);
  const std::vector<float> all = testing::AllLogits(*model(), ids);
  const auto vocabulary = static_cast<size_t>(model()->config().vocabulary);
  for (int64_t chunk : {3, 16, 128}) {
    auto session = Make({.prefill_chunk = chunk});
    ASSERT_TRUE(session->Append(std::span(ids).first(11)).ok());
    if (chunk == 16) {  // the last token is to be read again
      session->Truncate(9);
      ASSERT_TRUE(session->Append(std::span(ids).subspan(9, 2)).ok());
    }
    std::vector<float> logits(29 * vocabulary);
    ASSERT_TRUE(session->AppendWithLogits(std::span(ids).subspan(11), logits).ok());
    EXPECT_EQ(
        std::memcmp(logits.data(), all.data() + 11 * vocabulary, logits.size() * sizeof(float)), 0);
    ExpectExact(*session);
  }
  std::vector<float> few(vocabulary);
  EXPECT_EQ(Make()->AppendWithLogits(ids, few).code(), Code::kInvalidArgument);
}

// Appending, rolling back and forking prefixes at random, with and without a shared pool.
TEST_F(SessionTest, AnyHistoryGivesTheBitsOfAFreshOne) {
  for (bool shared : {false, true}) {
    auto pool = *KvPool::Create(model()->config(), {.limit_bytes = 40 * page_bytes()});
    std::vector<std::unique_ptr<Session>> sessions(3);
    for (int step = 0; step < 400; ++step) {
      auto& session = sessions[random_() % sessions.size()];
      const auto operation = random_() % 10;
      if (session == nullptr || operation == 0) {
        Ids start = session != nullptr && random_() % 2 == 0 ? session->tokens() : Some(20);
        session = Make({.pool = shared ? pool : nullptr,
                        .prefill_chunk = 1 + static_cast<int64_t>(random_() % 40),
                        .share_prefixes = random_() % 4 != 0});
        ASSERT_TRUE(session->Append(start).ok());
      } else if (operation < 4) {
        const auto length = static_cast<uint64_t>(session->length());
        session->Truncate(
            static_cast<int64_t>(length - random_() % std::min<uint64_t>(length + 1, 9)));
      } else if (operation == 4) {
        session->Truncate(
            static_cast<int64_t>(random_() % static_cast<uint64_t>(session->length() + 1)));
      } else if (session->length() < 120) {
        ASSERT_TRUE(session->Append(Some(1 + random_() % (operation < 8 ? 2 : 30))).ok());
      }
      if (random_() % 3 == 0) ExpectExact(*session);
      ASSERT_FALSE(HasFailure()) << "step " << step;
    }
    sessions.clear();
    EXPECT_EQ(pool->stats().used_bytes, 0);
  }
}

TEST_F(SessionTest, ASharedPromptIsReadOnce) {
  auto pool = *KvPool::Create(model()->config());
  Ids ids = Some(100);
  auto first = Make({.pool = pool});
  ASSERT_TRUE(first->Append(ids).ok());
  ids.back() = 0;
  int64_t chunks = 0;
  auto second = Make({.pool = pool, .prefill_chunk = 1});
  ASSERT_TRUE(second->Append(ids, [&] { return ++chunks > 0; }).ok());
  EXPECT_EQ(chunks, 4);  // positions 96 to 99
  EXPECT_EQ(pool->stats().prefix_hits, 96);
  ExpectExact(*second);
  // What a finished session wrote is found too.
  ASSERT_TRUE(second->Append(Some(30)).ok());
  Ids longer = second->tokens();
  second.reset();
  longer.push_back(1);
  auto third = Make({.pool = pool});
  ASSERT_TRUE(third->Append(longer).ok());
  EXPECT_EQ(pool->stats().prefix_hits, 96 + 128);
  ExpectExact(*third);
  auto apart = Make({.pool = pool, .share_prefixes = false});
  ASSERT_TRUE(apart->Append(longer).ok());
  EXPECT_EQ(pool->stats().prefix_hits, 96 + 128);
}

TEST_F(SessionTest, ACancelledPromptLeavesNothing) {
  auto session = Make({.prefill_chunk = 8});
  const Ids start = Some(20);
  ASSERT_TRUE(session->Append(start).ok());
  int asked = 0;
  EXPECT_EQ(session->Append(Some(100), [&] { return ++asked < 4; }).code(), Code::kCancelled);
  EXPECT_EQ(asked, 4);
  EXPECT_EQ(session->tokens(), start);
  ExpectExact(*session);
  ASSERT_TRUE(session->Append(Some(5)).ok());
  ExpectExact(*session);
  auto empty = Make();
  EXPECT_EQ(empty->Append(start, [] { return false; }).code(), Code::kCancelled);
  ExpectExact(*empty);
}

TEST_F(SessionTest, BadTokensAndLongPromptsAreNamed) {
  auto session = Make();
  const Ids start = Some(500);
  ASSERT_TRUE(session->Append(start).ok());
  const Status unknown = session->Append(Ids{1, 99999});
  EXPECT_EQ(unknown.code(), Code::kInvalidArgument);
  EXPECT_THAT(unknown.message(), HasSubstr("99999"));
  EXPECT_EQ(session->Append(Ids{-1}).code(), Code::kInvalidArgument);
  const Status over = session->Append(Some(13));
  EXPECT_EQ(over.code(), Code::kLimitExceeded);
  EXPECT_THAT(over.message(), HasSubstr("500"));
  EXPECT_THAT(over.message(), HasSubstr("512"));
  EXPECT_EQ(session->tokens(), start);
  EXPECT_TRUE(session->Append({}).ok());
  ASSERT_TRUE(session->Append(Some(12)).ok());
  ExpectExact(*session);
}

TEST_F(SessionTest, MemoryUsedUpLeavesTheSessionAsItWas) {
  auto session = Make({.kv = {.limit_bytes = 3 * page_bytes()}, .prefill_chunk = 8});
  const Ids start = Some(40);
  ASSERT_TRUE(session->Append(start).ok());
  const Status full = session->Append(Some(9));
  EXPECT_EQ(full.code(), Code::kOutOfMemory);
  EXPECT_THAT(full.message(), HasSubstr(std::to_string(3 * page_bytes())));
  EXPECT_EQ(session->tokens(), start);
  ExpectExact(*session);
  ASSERT_TRUE(session->Append(Some(8)).ok());
  ExpectExact(*session);
  session->Truncate(1);
  ASSERT_TRUE(session->Append(Some(30)).ok());
  ExpectExact(*session);
}

// Logits after a roll-back need a page of their own when another session shares it.
TEST_F(SessionTest, LogitsThatFindNoMemoryComeLater) {
  auto pool = *KvPool::Create(model()->config(), {.limit_bytes = 4 * page_bytes()});
  auto first = Make({.pool = pool});
  ASSERT_TRUE(first->Append(Some(32)).ok());
  Ids longer = first->tokens();
  longer.push_back(3);
  auto second = Make({.pool = pool});
  ASSERT_TRUE(second->Append(longer).ok());  // shares two pages, has one
  auto third = Make({.pool = pool});
  ASSERT_TRUE(third->Append(Some(3)).ok());
  first->Truncate(20);
  EXPECT_EQ(first->logits().code(), Code::kOutOfMemory);
  EXPECT_EQ(first->length(), 20);
  EXPECT_EQ(first->Append(Ids{1}).code(), Code::kOutOfMemory);
  EXPECT_EQ(first->length(), 20);
  third.reset();
  ExpectExact(*first);
  ASSERT_TRUE(first->Append(Ids{1}).ok());
  ExpectExact(*first);
  ExpectExact(*second);
}

TEST_F(SessionTest, EveryFailedAllocationIsAStatus) {
  const Ids start = Some(20), more = Some(20);
  int64_t failures = 0;
  for (int64_t nth = 1;; ++nth) {
    auto session = Make();
    ASSERT_TRUE(session->Append(start).ok());
    FailAllocations fail(nth);
    const Status appended = session->Append(more);
    const auto created = Session::Create(model(), {});
    EXPECT_EQ(appended.ok() && created.ok(), !fail.fired());
    if (!fail.fired()) break;
    ++failures;
    EXPECT_EQ(appended.ok() ? created.code() : appended.code(), Code::kOutOfMemory);
    EXPECT_EQ(session->length(), appended.ok() ? 40 : 20);
    ExpectExact(*session);
  }
  EXPECT_GE(failures, 3);
}

TEST_F(SessionTest, OptionsOutsideTheirRanges) {
  for (int64_t chunk : {int64_t{0}, int64_t{-1}, kMaxChunkTokens + 1}) {
    EXPECT_EQ(Session::Create(model(), {.prefill_chunk = chunk}).code(), Code::kInvalidArgument);
  }
  EXPECT_EQ(Session::Create(model(), {.kv = {.limit_bytes = page_bytes() - 1}}).code(),
            Code::kInvalidArgument);
}

TEST_F(SessionTest, GeneratedTokensAreThoseOfEachRow) {
  const SamplerOptions cases[] = {{},
                                  {.temperature = 0.7f, .top_k = 20, .top_p = 0.9f},
                                  {.temperature = 1, .repetition_penalty = 1.2f}};
  for (const SamplerOptions& options : cases) {
    auto session = Make();
    Ids all = Some(10);
    ASSERT_TRUE(session->Append(all).ok());
    const int64_t vocabulary = model()->config().vocabulary;
    Sampler sampler(options, PrfKey::FromSeed(3), vocabulary);
    const auto out = Generate(*session, sampler, {.max_new = 25, .stop_at_end_token = false});
    ASSERT_TRUE(out.ok());
    EXPECT_EQ(out->reason, FinishReason::kLength);
    ASSERT_EQ(out->ids.size(), 25u);
    Sampler plain(options, PrfKey::FromSeed(3), vocabulary);
    for (TokenId id : out->ids) {
      const std::vector<float> rows = testing::AllLogits(*model(), all);
      const auto last = std::span(rows).last(static_cast<size_t>(vocabulary));
      EXPECT_EQ(id, plain.Sample(last, all, all.size()));
      all.push_back(id);
    }
    all.pop_back();
    EXPECT_EQ(session->tokens(), all);
  }
}

TEST_F(SessionTest, GenerationEndsForEachReason) {
  const auto& config = model()->config();
  ASSERT_FALSE(config.end_tokens.empty());
  const auto run = [&](uint64_t seed, GenerateOptions options, size_t prompt = 5) {
    auto session = Make();
    EXPECT_TRUE(session->Append(Ids(prompt, 1)).ok());
    Sampler sampler({.temperature = 100}, PrfKey::FromSeed(seed), config.vocabulary);
    auto out = Generate(*session, sampler, options);
    EXPECT_TRUE(out.ok());
    EXPECT_EQ(session->length() + 1, static_cast<int64_t>(prompt + out->ids.size()));
    return *out;
  };
  const auto is_end = [&](TokenId id) {
    return std::count(config.end_tokens.begin(), config.end_tokens.end(), id) > 0;
  };
  int64_t ended = 0;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const Generated out = run(seed, {.max_new = 100});
    ended += out.reason == FinishReason::kEndToken;
    for (size_t i = 0; i < out.ids.size(); ++i) {
      const bool last = i + 1 == out.ids.size();
      EXPECT_EQ(is_end(out.ids[i]), last && out.reason == FinishReason::kEndToken);
    }
  }
  EXPECT_GT(ended, 0);
  EXPECT_LT(ended, 20);
  const Generated full = run(1, {.max_new = 1000, .stop_at_end_token = false}, 490);
  EXPECT_EQ(full.reason, FinishReason::kContext);
  EXPECT_EQ(full.ids.size(), static_cast<size_t>(config.context) - 490);
  Ids seen;
  const Generated stopped = run(1, {.stop_at_end_token = false, .on_token = [&](TokenId id) {
                                      seen.push_back(id);
                                      return seen.size() < 7;
                                    }});
  EXPECT_EQ(stopped.reason, FinishReason::kStopped);
  EXPECT_EQ(stopped.ids, seen);
  EXPECT_EQ(seen.size(), 7u);
}

TEST_F(SessionTest, NothingToContinue) {
  auto session = Make();
  Sampler sampler({}, {}, model()->config().vocabulary);
  EXPECT_EQ(Generate(*session, sampler, {}).code(), Code::kFailedPrecondition);
  ASSERT_TRUE(session->Append(Some(512)).ok());
  const auto out = Generate(*session, sampler, {});
  ASSERT_TRUE(out.ok());
  EXPECT_EQ(out->reason, FinishReason::kContext);
  EXPECT_TRUE(out->ids.empty());
  const auto none = Generate(*session, sampler, {.max_new = 0});
  ASSERT_TRUE(none.ok());
  EXPECT_TRUE(none->ids.empty());
}

}  // namespace
}  // namespace ferry::llm
