// Batched requests against each alone: bit for bit, with random arrivals, on virtual time and on
// threads; what one request does wrong harms no other.
#include "device-runtime/llm/batch/batcher.h"

#include <cstring>
#include <future>
#include <random>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include "common/base/memory.h"
#include "common/sys/sim/filesystem.h"
#include "common/sys/sim/world.h"
#include "device-runtime/llm/batch/share.h"
#include "device-runtime/llm/testing/forward.h"
#include "device-runtime/llm/testing/gate.h"
#include "device-runtime/llm/testing/tiny_model.h"

namespace ferry::llm {
namespace {

using Ids = std::vector<TokenId>;
constexpr int64_t kLongRun = 1'000'000;  // ms of virtual time

class BatcherTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    sys::SimFileSystem fs;
    ASSERT_TRUE(testing::WriteTinyModel(fs, "tiny", {.context = 1024}).ok());
    auto model = Model::Load(fs, "tiny");
    ASSERT_TRUE(model.ok()) << model.status().ToString();
    model_ = new std::shared_ptr<const Model>(*model);
  }
  static void TearDownTestSuite() { delete model_; }
  static const std::shared_ptr<const Model>& model() { return *model_; }

  void Start(std::function<double(int64_t, int64_t)> cost_ms = nullptr) {
    BatcherOptions options;
    options.executor = executor_.get();
    options.clock = &world_.clock();
    options.extra_cost_ms = std::move(cost_ms);
    batcher_ = std::make_unique<Batcher>(model(), options);
  }
  Ids Some(size_t count) {
    Ids ids(count);
    for (TokenId& id : ids) {
      id = static_cast<TokenId>(
          world_.random().Below(static_cast<uint64_t>(model()->config().vocabulary)));
    }
    return ids;
  }
  int64_t NowMs() { return world_.clock().MonotonicNs() / 1'000'000; }
  // Submits `tokens` for `kv`; the outcome is written on the spot.
  struct Outcome {
    bool done = false;
    Status status;
    std::vector<float> logits;
    int64_t at_ms = 0;
  };
  std::shared_ptr<Outcome> Submit(KvSequence* kv, Ids tokens, int64_t logits_from,
                                  std::function<bool()> wanted = nullptr) {
    auto outcome = std::make_shared<Outcome>();
    BatchRequest request;
    request.kv = kv;
    request.tokens = std::move(tokens);
    request.logits_from = logits_from;
    request.wanted = std::move(wanted);
    request.done = [this, outcome](const Status& status, std::span<const float> logits) {
      EXPECT_FALSE(outcome->done);
      *outcome = {true, status, {logits.begin(), logits.end()}, NowMs()};
    };
    const Status status = batcher_->Submit(std::move(request));
    EXPECT_TRUE(status.ok()) << status.ToString();
    return outcome;
  }
  bool RunUntil(const std::function<bool()>& done) { return world_.RunUntil(done, kLongRun); }

  sys::SimWorld world_{11};
  std::unique_ptr<sys::Executor> executor_ = world_.MakeExecutor();
  std::shared_ptr<KvPool> pool_ = *KvPool::Create(model()->config());
  std::unique_ptr<Batcher> batcher_;

 private:
  static std::shared_ptr<const Model>* model_;
};
std::shared_ptr<const Model>* BatcherTest::model_ = nullptr;

// That `logits` are those of the last rows of `all`.
void ExpectRows(const Model& model, const Ids& all, std::span<const float> logits) {
  const std::vector<float> rows = testing::AllLogits(model, all);
  ASSERT_LE(logits.size(), rows.size());
  EXPECT_EQ(std::memcmp(logits.data(), rows.data() + rows.size() - logits.size(),
                        logits.size() * sizeof(float)),
            0);
}

TEST(ShareTokens, EachGetsItsPartAndTheOldestTheRest) {
  using ::testing::ElementsAre;
  const auto share = [](std::vector<int64_t> remaining, int64_t budget) {
    return ShareTokens(remaining, budget);
  };
  EXPECT_THAT(share({1000, 8, 1}, 256), ElementsAre(247, 8, 1));
  EXPECT_THAT(share({5, 1000, 1000}, 256), ElementsAre(5, 235, 16));
  EXPECT_THAT(share({10, 10, 1}, 12), ElementsAre(6, 5, 1));
  EXPECT_THAT(share({10, 10, 10}, 2), ElementsAre(1, 1, 0));
  EXPECT_THAT(share({}, 2), ElementsAre());
}

TEST(ShareTokens, NothingIsWastedAndNobodyForgotten) {
  std::mt19937 random(1);
  for (int round = 0; round < 2000; ++round) {
    std::vector<int64_t> remaining(1 + random() % 40);
    for (int64_t& tokens : remaining) tokens = 1 + random() % (random() % 2 == 0 ? 3 : 300);
    const int64_t budget = 1 + random() % 300;
    const auto shares = ShareTokens(remaining, budget);
    int64_t sum = 0, wanted = 0, assured = 0;
    for (size_t i = 0; i < remaining.size(); ++i) {
      ASSERT_GE(shares[i], 0);
      ASSERT_LE(shares[i], remaining[i]);
      sum += shares[i];
      wanted += remaining[i];
      assured += std::min(remaining[i], kAssuredTokens);
    }
    ASSERT_EQ(sum, std::min(wanted, budget));
    for (size_t i = 0; i < remaining.size(); ++i) {
      const bool for_all = budget >= static_cast<int64_t>(remaining.size());
      const int64_t least = assured <= budget ? kAssuredTokens : for_all ? 1 : 0;
      ASSERT_GE(shares[i], std::min(remaining[i], least));
    }
  }
}

// Sequences that read a prompt, take steps and verify drafts, roll back, and come and go.
TEST_F(BatcherTest, RandomArrivalsGetTheBitsOfEachAlone) {
  for (double cost_ms : {0.0, 7.0}) {
    Start([&](int64_t, int64_t) { return cost_ms; });
    struct Sequence {
      KvSequence kv;
      Ids tokens;
      int left = 6;
    };
    std::vector<Sequence> sequences(30);
    size_t finished = 0;
    std::function<void(size_t)> next = [&](size_t i) {
      Sequence& s = sequences[i];
      if (s.left-- == 0) {
        ++finished;
        return;
      }
      if (!s.tokens.empty() && world_.random().Below(2) == 0) {
        s.tokens.resize(s.tokens.size() -
                        world_.random().Below(std::min<size_t>(4, s.tokens.size())));
        s.kv.Truncate(static_cast<int64_t>(s.tokens.size()));
      }
      const bool prompt = s.tokens.empty() || world_.random().Below(6) == 0;
      BatchRequest request;
      request.kv = &s.kv;
      request.tokens = Some(1 + world_.random().Below(prompt ? 120 : 9));
      const size_t count = request.tokens.size();
      request.logits_from =
          static_cast<int64_t>(prompt ? count - 1 : world_.random().Below(count + 1));
      s.tokens.insert(s.tokens.end(), request.tokens.begin(), request.tokens.end());
      const auto rows = count - static_cast<size_t>(request.logits_from);
      request.done = [&, i, rows](const Status& status, std::span<const float> logits) {
        ASSERT_TRUE(status.ok()) << status.ToString();
        const Sequence& mine = sequences[i];
        EXPECT_EQ(mine.kv.length(), static_cast<int64_t>(mine.tokens.size()));
        ASSERT_EQ(logits.size(), rows * static_cast<size_t>(model()->config().vocabulary));
        ExpectRows(*model(), mine.tokens, logits);
        executor_->PostAfter(static_cast<int64_t>(world_.random().Below(20)), [&, i] { next(i); });
      };
      ASSERT_TRUE(batcher_->Submit(std::move(request)).ok());
    };
    for (size_t i = 0; i < sequences.size(); ++i) {
      sequences[i].kv = pool_->NewSequence();
      executor_->PostAfter(static_cast<int64_t>(world_.random().Below(60)), [&, i] { next(i); });
    }
    ASSERT_TRUE(RunUntil([&] { return finished == sequences.size() || HasFailure(); }));
    const Batcher::Stats stats = batcher_->stats();
    EXPECT_EQ(stats.requests, 180);
    if (cost_ms > 0) {
      EXPECT_GT(stats.largest_batch, 3);
      EXPECT_LT(stats.passes, stats.requests);
      EXPECT_NEAR(stats.busy_ms, cost_ms * static_cast<double>(stats.passes), 1e-6);
    }
    int64_t tokens = 0;
    for (const Sequence& s : sequences) tokens += s.kv.length();
    EXPECT_GE(stats.tokens, tokens);
  }
}

TEST_F(BatcherTest, AShortRequestWaitsForOnePassAtMost) {
  Start([](int64_t, int64_t) { return 10.0; });
  std::vector<KvSequence> kvs(4);
  for (KvSequence& kv : kvs) kv = pool_->NewSequence();
  const Ids long_ids = Some(900), other_ids = Some(900);
  const auto first = Submit(&kvs[0], long_ids, 899);
  const auto second = Submit(&kvs[1], other_ids, 899);
  world_.RunFor(12);  // the second pass is under way
  const auto step = Submit(&kvs[2], {5}, 0);
  const auto verify = Submit(&kvs[3], Some(16), 0);
  ASSERT_TRUE(RunUntil([&] { return step->done && verify->done; }));
  EXPECT_EQ(step->at_ms, 30);
  EXPECT_EQ(verify->at_ms, 30);
  ASSERT_TRUE(RunUntil([&] { return first->done && second->done; }));
  EXPECT_LT(first->at_ms, second->at_ms);  // in order of arrival
  EXPECT_EQ(second->at_ms, 80);            // 1817 tokens, 256 a pass
  ExpectRows(*model(), long_ids, first->logits);
  ExpectRows(*model(), other_ids, second->logits);
  EXPECT_EQ(batcher_->stats().passes, 8);
  EXPECT_EQ(batcher_->stats().tokens, 1817);
  EXPECT_EQ(batcher_->stats().largest_batch, 4);
}

// Where a pass must not take long, slow passes become small, quick ones large, and the bits stay.
TEST_F(BatcherTest, PassesAreAsLongAsTheyMayTake) {
  struct Stepping : sys::Clock {  // each look is `step_ms` later
    int64_t NowUnixMs() const override { return 0; }
    int64_t MonotonicNs() const override { return now_ns += step_ms * 1'000'000; }
    mutable int64_t now_ns = 0;
    int64_t step_ms = 50;
  } clock;
  BatcherOptions options;
  options.executor = executor_.get();
  options.clock = &clock;
  options.pass_ms = 20;
  batcher_ = std::make_unique<Batcher>(model(), options);
  const Ids slow = Some(600), quick = Some(600);
  KvSequence first = pool_->NewSequence(), second = pool_->NewSequence();
  const auto one = Submit(&first, slow, 599);
  ASSERT_TRUE(RunUntil([&] { return one->done; }));
  EXPECT_EQ(batcher_->stats().passes, 1 + 36);  // 32 tokens, then 16 in each
  ExpectRows(*model(), slow, one->logits);
  clock.step_ms = 1;
  const auto two = Submit(&second, quick, 590);
  ASSERT_TRUE(RunUntil([&] { return two->done; }));
  EXPECT_EQ(batcher_->stats().passes, 1 + 36 + 6);  // 16, 32, 64, 128, 256, 104
  ExpectRows(*model(), quick, two->logits);
}

TEST_F(BatcherTest, CostsBelowAMillisecondAddUp) {
  Start([](int64_t tokens, int64_t sequences) {
    return 0.25 * static_cast<double>(tokens * sequences);
  });
  KvSequence kv = pool_->NewSequence();
  for (int i = 0; i < 40; ++i) {
    const auto step = Submit(&kv, {1}, 0);
    ASSERT_TRUE(RunUntil([&] { return step->done; }));
  }
  EXPECT_EQ(NowMs(), 10);
}

TEST_F(BatcherTest, WhatIsNoLongerWantedEnds) {
  Start([](int64_t, int64_t) { return 10.0; });
  KvSequence kv = pool_->NewSequence(), other = pool_->NewSequence();
  const Ids start = Some(5), beside = Some(600);
  const auto before = Submit(&kv, start, 5);
  ASSERT_TRUE(RunUntil([&] { return before->done; }));
  EXPECT_TRUE(before->logits.empty());
  bool wanted = true;
  const auto cancelled = Submit(&kv, Some(900), 0, [&] { return wanted; });
  const auto kept = Submit(&other, beside, 599, [] { return true; });
  world_.RunFor(15);
  wanted = false;
  ASSERT_TRUE(RunUntil([&] { return kept->done; }));
  EXPECT_EQ(cancelled->status.code(), Code::kCancelled);
  EXPECT_LT(cancelled->at_ms, kept->at_ms);
  EXPECT_EQ(kv.length(), 5);
  EXPECT_LT(batcher_->stats().tokens, 5 + 600 + 900);
  ExpectRows(*model(), beside, kept->logits);
  const auto again = Submit(&kv, {3, 4}, 1);
  ASSERT_TRUE(RunUntil([&] { return again->done; }));
  Ids all = start;
  all.insert(all.end(), {3, 4});
  ExpectRows(*model(), all, again->logits);
}

TEST_F(BatcherTest, MemoryUsedUpFailsOneRequestOnly) {
  const int64_t page = pool_->stats().page_bytes;
  auto small = *KvPool::Create(model()->config(), {.limit_bytes = 10 * page});
  Start();
  std::vector<KvSequence> kvs(3);
  for (KvSequence& kv : kvs) kv = small->NewSequence();
  const Ids a = Some(60), b = Some(40);
  const auto first = Submit(&kvs[0], a, 59);
  const auto large = Submit(&kvs[1], Some(200), 0);
  const auto last = Submit(&kvs[2], b, 0);
  ASSERT_TRUE(RunUntil([&] { return first->done && large->done && last->done; }));
  EXPECT_EQ(large->status.code(), Code::kOutOfMemory);
  EXPECT_THAT(large->status.message(), ::testing::HasSubstr(std::to_string(10 * page)));
  EXPECT_EQ(kvs[1].length(), 0);
  ASSERT_TRUE(first->status.ok() && last->status.ok());
  ExpectRows(*model(), a, first->logits);
  ExpectRows(*model(), b, last->logits);
}

TEST_F(BatcherTest, EveryFailedAllocationFailsTheRequestThatNeededIt) {
  int64_t failures = 0;
  for (int64_t nth = 1;; ++nth) {
    Start();
    std::vector<KvSequence> kvs(2);
    for (KvSequence& kv : kvs) kv = pool_->NewSequence();
    const Ids ids = Some(20);
    auto fail = std::make_unique<FailAllocations>(nth);
    const auto a = Submit(&kvs[0], ids, 19);
    const auto b = Submit(&kvs[1], ids, 18);
    ASSERT_TRUE(RunUntil([&] { return a->done && b->done; }));
    const bool fired = fail->fired();
    fail.reset();
    EXPECT_EQ(a->status.ok() && b->status.ok(), !fired);
    EXPECT_TRUE(a->status.ok() || b->status.ok());
    for (size_t i : {0, 1}) {
      const auto& outcome = i == 0 ? a : b;
      EXPECT_EQ(kvs[i].length(), outcome->status.ok() ? 20 : 0);
      if (outcome->status.ok()) ExpectRows(*model(), ids, outcome->logits);
    }
    if (!fired) break;
    ++failures;
  }
  EXPECT_GE(failures, 5);
}

TEST_F(BatcherTest, BadRequestsAreRefusedAtOnce) {
  Start();
  KvSequence kv = pool_->NewSequence();
  const auto submit = [&](KvSequence* sequence, Ids tokens, int64_t logits_from) {
    BatchRequest request;
    request.kv = sequence;
    request.tokens = std::move(tokens);
    request.logits_from = logits_from;
    request.done = [](const Status&, std::span<const float>) { ADD_FAILURE(); };
    return batcher_->Submit(std::move(request)).code();
  };
  EXPECT_EQ(submit(nullptr, {1}, 0), Code::kInvalidArgument);
  EXPECT_EQ(submit(&kv, {}, 0), Code::kInvalidArgument);
  EXPECT_EQ(submit(&kv, {1}, 2), Code::kInvalidArgument);
  EXPECT_EQ(submit(&kv, {1}, -1), Code::kInvalidArgument);
  EXPECT_EQ(submit(&kv, {1, 100000}, 0), Code::kInvalidArgument);
  EXPECT_EQ(submit(&kv, Some(1025), 0), Code::kLimitExceeded);
  world_.RunFor(100);
  EXPECT_EQ(batcher_->stats().passes, 0);
}

TEST_F(BatcherTest, TooManyWaitingAreRefused) {
  Start();
  std::vector<KvSequence> kvs(kMaxBatchRequests + 1);
  size_t done = 0;
  const auto submit = [&](KvSequence& kv) {
    kv = pool_->NewSequence();
    BatchRequest request;
    request.kv = &kv;
    request.tokens = {7};
    request.logits_from = 1;
    request.done = [&](const Status& status, std::span<const float>) { done += status.ok(); };
    return batcher_->Submit(std::move(request)).code();
  };
  for (size_t i = 0; i < kMaxBatchRequests; ++i) ASSERT_EQ(submit(kvs[i]), Code::kOk);
  EXPECT_EQ(submit(kvs.back()), Code::kLimitExceeded);
  ASSERT_TRUE(RunUntil([&] { return done == kMaxBatchRequests; }));
  EXPECT_EQ(batcher_->stats().passes, 4096 / kMaxBatchTokens);
  EXPECT_EQ(batcher_->stats().largest_batch, kMaxBatchTokens);
  EXPECT_EQ(submit(kvs.back()), Code::kOk);
}

TEST_F(BatcherTest, WhatWaitsAtTheEndIsDroppedWithoutACall) {
  Start([](int64_t, int64_t) { return 10.0; });
  std::vector<KvSequence> kvs(3);
  for (KvSequence& kv : kvs) kv = pool_->NewSequence();
  const auto under_way = Submit(&kvs[0], Some(10), 0);
  world_.RunFor(5);
  const auto waiting = Submit(&kvs[1], Some(10), 0);
  batcher_.reset();
  world_.RunFor(1000);
  EXPECT_FALSE(under_way->done || waiting->done);
  // From within a call.
  Start();
  int calls = 0;
  for (KvSequence& kv : kvs) {
    kv = pool_->NewSequence();
    BatchRequest request;
    request.kv = &kv;
    request.tokens = {1};
    request.done = [&](const Status&, std::span<const float>) {
      ++calls;
      batcher_.reset();
    };
    ASSERT_TRUE(batcher_->Submit(std::move(request)).ok());
  }
  world_.RunFor(1000);
  EXPECT_EQ(calls, 1);
}

TEST_F(BatcherTest, TheExecutorGoesOnWhileAPassIsComputed) {
  auto executor = sys::StartThreadExecutor("batcher");
  auto passes = sys::StartThreadExecutor("passes");
  testing::Gate gate(*passes);
  BatcherOptions options;
  options.executor = executor.get();
  options.passes = passes.get();
  options.clock = &gate;
  Batcher batcher(model(), options);
  KvSequence kv = pool_->NewSequence();
  const Ids ids = Some(20);
  std::promise<std::vector<float>> answer;
  BatchRequest request{.kv = &kv, .tokens = ids, .logits_from = 19};
  request.done = [&](const Status& status, std::span<const float> logits) {
    EXPECT_TRUE(status.ok());
    answer.set_value({logits.begin(), logits.end()});
  };
  ASSERT_TRUE(batcher.Submit(std::move(request)).ok());
  ASSERT_TRUE(gate.WaitUntilReached());
  std::promise<void> ran;
  executor->Post([&] { ran.set_value(); });
  EXPECT_EQ(ran.get_future().wait_for(std::chrono::seconds(10)), std::future_status::ready);
  gate.Open();
  ExpectRows(*model(), ids, answer.get_future().get());
}

// A pass uses a sequence that is its owner's, who may drop it once the batcher is gone.
TEST_F(BatcherTest, TheEndWaitsForThePassUnderWay) {
  auto executor = sys::StartThreadExecutor("batcher");
  auto passes = sys::StartThreadExecutor("passes");
  testing::Gate gate(*passes);
  BatcherOptions options;
  options.executor = executor.get();
  options.passes = passes.get();
  options.clock = &gate;
  auto batcher = std::make_unique<Batcher>(model(), options);
  auto kv = std::make_unique<KvSequence>(pool_->NewSequence());
  BatchRequest request{.kv = kv.get(), .tokens = Some(20)};
  request.done = [](const Status&, std::span<const float>) { ADD_FAILURE(); };
  ASSERT_TRUE(batcher->Submit(std::move(request)).ok());
  ASSERT_TRUE(gate.WaitUntilReached());
  auto gone = std::async(std::launch::async, [&] {
    batcher.reset();
    kv.reset();
  });
  EXPECT_EQ(gone.wait_for(std::chrono::milliseconds(50)), std::future_status::timeout);
  gate.Open();
  gone.get();
  passes.reset();
}

void SubmitFromThreads(const std::shared_ptr<const Model>& model, KvPool& pool, bool elsewhere) {
  auto executor = sys::StartThreadExecutor("batcher");
  auto passes = elsewhere ? sys::StartThreadExecutor("passes") : nullptr;
  auto parallel = sys::StartThreadPool(2);
  BatcherOptions options;
  options.executor = executor.get();
  options.passes = passes.get();
  options.parallel = parallel.get();
  options.pass_ms = elsewhere ? 1 : 0;
  Batcher batcher(model, options);
  std::vector<std::thread> threads;
  for (uint32_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      std::mt19937 random(t);
      KvSequence kv = pool.NewSequence();
      Ids all;
      for (int round = 0; round < 15; ++round) {
        BatchRequest request;
        request.kv = &kv;
        request.tokens.resize(1 + random() % 30);
        for (TokenId& id : request.tokens) id = static_cast<TokenId>(random() % 250);
        request.logits_from = static_cast<int64_t>(random() % request.tokens.size());
        all.insert(all.end(), request.tokens.begin(), request.tokens.end());
        std::promise<std::vector<float>> promise;
        request.done = [&](const Status& status, std::span<const float> logits) {
          EXPECT_TRUE(status.ok());
          promise.set_value({logits.begin(), logits.end()});
        };
        ASSERT_TRUE(batcher.Submit(std::move(request)).ok());
        ExpectRows(*model, all, promise.get_future().get());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(batcher.stats().requests, 60);
  passes.reset();
  executor.reset();
}

TEST_F(BatcherTest, ThreadsSubmitAtOnce) {
  SubmitFromThreads(model(), *pool_, false);
  SubmitFromThreads(model(), *pool_, true);
}

}  // namespace
}  // namespace ferry::llm
