// The paged cache against a naive model: what a position holds is a function of all tokens up to
// it, so that a wrong page, a missing copy or a false prefix shows.
#include "device-runtime/llm/kv/kv_cache.h"

#include <random>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include "common/base/memory.h"
#include "device-runtime/kernels/attention/page.h"

namespace ferry::llm {
namespace {

constexpr int64_t kPage = kernels::kPagePositions;
using Tokens = std::vector<TokenId>;

constexpr int64_t kLayers = 2;
constexpr int64_t kHeads = 3;
constexpr int64_t kDim = 4;

ModelConfig Config() {
  ModelConfig config;
  config.kv.assign(kLayers, {kHeads, kDim, kDim});
  return config;
}

int64_t PageBytes() {
  return 2 * kPage * kLayers * kHeads * kDim * static_cast<int64_t>(sizeof(float));
}

// What each position holds after these tokens: exact in float.
std::vector<float> Marks(const Tokens& tokens) {
  std::vector<float> marks;
  uint32_t hash = 1;
  for (TokenId token : tokens) {
    hash = (hash ^ static_cast<uint32_t>(token)) * 0x9e3779b1u;
    hash ^= hash >> 15;
    marks.push_back(static_cast<float>(hash >> 10));
  }
  return marks;
}

struct Pair {
  KvSequence kv;
  Tokens tokens;
};

// Appends as a forward pass does; on an error nothing has changed.
Status Append(Pair& pair, const Tokens& more) {
  FERRY_TRY(pair.kv.Reserve(static_cast<int64_t>(more.size())));
  const auto from = static_cast<int64_t>(pair.tokens.size());
  pair.tokens.insert(pair.tokens.end(), more.begin(), more.end());
  const std::vector<float> marks = Marks(pair.tokens);
  for (auto p = from; p < static_cast<int64_t>(marks.size()); ++p) {
    for (int64_t layer = 0; layer < kLayers; ++layer) {
      for (int64_t h = 0; h < kHeads; ++h) {
        for (int64_t d = 0; d < kDim; ++d) {
          const float mark = marks[static_cast<size_t>(p)] + static_cast<float>(layer + h + d);
          pair.kv.key(layer, p)[h * kPage * kDim + d] = mark;
          pair.kv.value(layer, p)[h * kPage * kDim + d] = -mark;
        }
      }
    }
  }
  pair.kv.Advance(static_cast<int64_t>(more.size()));
  return OkStatus();
}

// Reads as attention does.
void ExpectIntact(const Pair& pair) {
  ASSERT_EQ(pair.kv.length(), static_cast<int64_t>(pair.tokens.size()));
  const std::vector<float> marks = Marks(pair.tokens);
  int64_t wrong = 0;
  for (int64_t layer = 0; layer < kLayers; ++layer) {
    const float* const* pages = pair.kv.pages(layer);
    for (int64_t p = 0; p < pair.kv.length(); ++p) {
      for (int64_t h = 0; h < kHeads; ++h) {
        const float* key = pages[p / kPage] + (h * kPage + p % kPage) * kDim;
        const float* value = key + kHeads * kPage * kDim;
        for (int64_t d = 0; d < kDim; ++d) {
          const float mark = marks[static_cast<size_t>(p)] + static_cast<float>(layer + h + d);
          wrong += key[d] != mark || value[d] != -mark;
        }
      }
    }
  }
  EXPECT_EQ(wrong, 0);
}

Tokens Some(std::mt19937& random, size_t most) {
  Tokens tokens(1 + random() % most);
  for (TokenId& token : tokens) token = static_cast<TokenId>(random() % 2);  // prefixes collide
  return tokens;
}

// One random operation on one of the sequences.
void Operate(std::mt19937& random, KvPool& pool, std::vector<Pair>& pairs, size_t most) {
  const size_t i = pairs.empty() ? 0 : random() % pairs.size();
  const auto operation = random() % 16;
  if (pairs.empty() || (operation == 0 && pairs.size() < most)) {
    pairs.push_back({pool.NewSequence(), {}});
  } else if (operation <= 2 && pairs.size() < most) {
    // What another sequence holds, and some more.
    Tokens tokens = pairs[i].tokens;
    const Tokens more = Some(random, 5);
    tokens.insert(tokens.end(), more.begin(), more.end());
    Pair fresh{pool.NewSequence(tokens), tokens};
    ASSERT_LT(fresh.kv.length(), static_cast<int64_t>(tokens.size()));
    fresh.tokens.resize(static_cast<size_t>(fresh.kv.length()));
    pairs.push_back(std::move(fresh));
  } else if (operation == 3 && pairs.size() < most) {
    const auto length = random() % (pairs[i].tokens.size() + 1);
    Result<KvSequence> fork = pairs[i].kv.Fork(static_cast<int64_t>(length));
    ASSERT_TRUE(fork.ok());
    pairs.push_back({std::move(*fork), pairs[i].tokens});
    pairs.back().tokens.resize(length);
  } else if (operation == 4) {
    std::swap(pairs[i], pairs.back());
    pairs.pop_back();
  } else if (operation <= 6) {
    pool.Offer(pairs[i].kv, pairs[i].tokens);
  } else if (operation <= 8) {
    const auto length = random() % (pairs[i].tokens.size() + 1);
    pairs[i].kv.Truncate(static_cast<int64_t>(length));
    pairs[i].tokens.resize(length);
  } else {
    const Status status = Append(pairs[i], Some(random, 40));
    ASSERT_TRUE(status.ok() || status.code() == Code::kOutOfMemory);
  }
}

TEST(KvCache, RandomOperationsAgreeWithPlainVectors) {
  const int64_t blocks = CurrentMemoryUse().blocks;
  for (uint32_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const int64_t limit = PageBytes() * (seed % 2 == 0 ? 12 : 400);
    auto pool = *KvPool::Create(Config(), limit);
    std::vector<Pair> pairs;
    for (int step = 0; step < 1000; ++step) {
      Operate(random, *pool, pairs, seed % 3 == 0 ? 50 : 6);
      if (step % 5 == 0) {
        for (const Pair& pair : pairs) ExpectIntact(pair);
      }
      const KvPool::Stats stats = pool->stats();
      ASSERT_LE(stats.used_bytes + stats.kept_bytes, limit);
      if (HasFatalFailure() || HasNonfatalFailure()) return;
    }
    EXPECT_GT(pool->stats().prefix_hits, 0);
    pairs.clear();
    EXPECT_EQ(pool->stats().used_bytes, 0);
  }
  EXPECT_EQ(CurrentMemoryUse().blocks, blocks);
}

TEST(KvCache, NothingOfferedNothingKept) {
  auto pool = *KvPool::Create(Config());
  Pair pair{pool->NewSequence(), {}};
  ASSERT_TRUE(Append(pair, Tokens(100, 7)).ok());
  EXPECT_EQ(pool->stats().used_bytes, 7 * PageBytes());
  pair.kv.Truncate(17);
  EXPECT_EQ(pool->stats().used_bytes, 2 * PageBytes());
  pair.kv = KvSequence();
  EXPECT_EQ(pool->stats().used_bytes, 0);
  EXPECT_EQ(pool->stats().kept_bytes, 0);
}

TEST(KvCache, AForkSharesUntilOneWrites) {
  auto pool = *KvPool::Create(Config());
  Pair pair{pool->NewSequence(), {}};
  ASSERT_TRUE(Append(pair, Tokens(40, 7)).ok());
  Pair fork{*pair.kv.Fork(40), pair.tokens};
  EXPECT_EQ(pool->stats().used_bytes, 3 * PageBytes());
  ASSERT_TRUE(Append(fork, {1}).ok());
  EXPECT_EQ(pool->stats().used_bytes, 4 * PageBytes());
  ASSERT_TRUE(Append(pair, {2}).ok());  // alone with its page now
  EXPECT_EQ(pool->stats().used_bytes, 4 * PageBytes());
  ExpectIntact(pair);
  ExpectIntact(fork);
}

TEST(KvCache, APrefixIsFoundByContentAndEqualPagesBecomeOne) {
  auto pool = *KvPool::Create(Config());
  Tokens tokens(50);
  for (size_t i = 0; i < tokens.size(); ++i) tokens[i] = static_cast<TokenId>(i);
  Pair a{pool->NewSequence(), {}}, b{pool->NewSequence(), {}};
  ASSERT_TRUE(Append(a, tokens).ok());
  ASSERT_TRUE(Append(b, tokens).ok());
  EXPECT_EQ(pool->NewSequence(tokens).length(), 0);  // nothing offered yet
  pool->Offer(a.kv, a.tokens);
  pool->Offer(b.kv, b.tokens);
  EXPECT_EQ(pool->stats().used_bytes, 5 * PageBytes());  // three shared, two open ones
  ExpectIntact(b);
  EXPECT_EQ(pool->NewSequence(tokens).length(), 48);
  const auto first = [&](size_t count) { return std::span<const TokenId>(tokens).first(count); };
  EXPECT_EQ(pool->NewSequence(first(48)).length(), 32);  // one token is left to be computed
  EXPECT_EQ(pool->NewSequence(first(49)).length(), 48);
  tokens[20] = 99;
  EXPECT_EQ(pool->NewSequence(tokens).length(), 16);
  EXPECT_EQ(pool->stats().prefix_hits, 48 + 32 + 48 + 16);
}

// Else the time to a first token would tell one tenant what another has said.
TEST(KvCache, PrefixesAreFoundInTheirScopeOnly) {
  auto pool = *KvPool::Create(Config());
  const PrefixScope one = PrefixScope::Of("one"), two = PrefixScope::Of("two");
  EXPECT_NE(one, two);
  EXPECT_NE(PrefixScope::Of(""), PrefixScope());
  const Tokens tokens(50, 7);
  for (const PrefixScope& scope : {one, two}) {
    Pair pair{pool->NewSequence(tokens, scope), {}};
    EXPECT_EQ(pair.kv.length(), 0);
    ASSERT_TRUE(Append(pair, tokens).ok());
    pool->Offer(pair.kv, pair.tokens, scope);
    EXPECT_EQ(pool->NewSequence(tokens, scope).length(), 48);
    EXPECT_EQ(pool->NewSequence(tokens).length(), 0);
  }
  EXPECT_EQ(pool->stats().kept_bytes, 6 * PageBytes());  // each scope has its own
}

// Pages behind a page that was written anew hold another prefix.
TEST(KvCache, ARewrittenPageHidesWhatWasOfferedBehindIt) {
  auto pool = *KvPool::Create(Config());
  Pair pair{pool->NewSequence(), {}};
  ASSERT_TRUE(Append(pair, Tokens(64, 1)).ok());
  pool->Offer(pair.kv, pair.tokens);
  pair.kv.Truncate(8);
  pair.tokens.resize(8);
  ASSERT_TRUE(Append(pair, Tokens(8, 2)).ok());
  pool->Offer(pair.kv, pair.tokens);
  Tokens wanted = pair.tokens;
  wanted.resize(64, 1);
  EXPECT_EQ(pool->NewSequence(wanted).length(), 16);
  EXPECT_EQ(pool->NewSequence(Tokens(64, 1)).length(), 0);
}

TEST(KvCache, TheLongestUnusedGoesFirst) {
  auto pool = *KvPool::Create(Config(), 3 * PageBytes());
  const auto offer = [&](TokenId token) {
    Pair pair{pool->NewSequence(), {}};
    ASSERT_TRUE(Append(pair, Tokens(16, token)).ok());
    pool->Offer(pair.kv, pair.tokens);
  };
  const auto has = [&](TokenId token) {
    return pool->NewSequence(Tokens(17, token)).length() == 16;
  };
  for (TokenId token : {1, 2, 3}) offer(token);
  EXPECT_EQ(pool->stats().kept_bytes, 3 * PageBytes());
  EXPECT_TRUE(has(1));  // used just now
  offer(4);
  EXPECT_FALSE(has(2));
  EXPECT_TRUE(has(3) && has(1) && has(4));
}

TEST(KvCache, TheEndOfAPrefixGoesBeforeItsStart) {
  auto pool = *KvPool::Create(Config(), 3 * PageBytes());
  Pair pair{pool->NewSequence(), {}};
  ASSERT_TRUE(Append(pair, Tokens(48, 1)).ok());
  pool->Offer(pair.kv, pair.tokens);
  pair.kv = KvSequence();
  Pair other{pool->NewSequence(), {}};
  ASSERT_TRUE(Append(other, Tokens(16, 2)).ok());
  EXPECT_EQ(pool->NewSequence(Tokens(49, 1)).length(), 32);
}

TEST(KvCache, TheLimitIsNamedAndTheSequenceUnharmed) {
  auto pool = *KvPool::Create(Config(), 4 * PageBytes() + 5);
  Pair a{pool->NewSequence(), {}}, b{pool->NewSequence(), {}};
  ASSERT_TRUE(Append(a, Tokens(40, 1)).ok());
  ASSERT_TRUE(Append(b, Tokens(10, 2)).ok());
  const Status status = Append(b, Tokens(10, 2));
  EXPECT_EQ(status.code(), Code::kOutOfMemory);
  EXPECT_THAT(status.message(), ::testing::HasSubstr(std::to_string(4 * PageBytes() + 5)));
  EXPECT_THAT(status.message(), ::testing::HasSubstr(std::to_string(4 * PageBytes())));
  ExpectIntact(b);
  a.kv.Truncate(32);
  ASSERT_TRUE(Append(b, Tokens(10, 2)).ok());
  ExpectIntact(b);
}

TEST(KvCache, ADemandThatCannotBeMetGivesNothingUp) {
  auto pool = *KvPool::Create(Config(), 3 * PageBytes());
  {
    Pair pair{pool->NewSequence(), {}};
    ASSERT_TRUE(Append(pair, Tokens(32, 1)).ok());
    pool->Offer(pair.kv, pair.tokens);
  }
  KvSequence large = pool->NewSequence();
  EXPECT_EQ(large.Reserve(64).code(), Code::kOutOfMemory);
  EXPECT_EQ(pool->stats().kept_bytes, 2 * PageBytes());
}

TEST(KvCache, ALimitBelowOnePageIsRefused) {
  const auto pool = KvPool::Create(Config(), PageBytes() - 1);
  ASSERT_FALSE(pool.ok());
  EXPECT_EQ(pool.code(), Code::kInvalidArgument);
  EXPECT_THAT(pool.status().message(), ::testing::HasSubstr(std::to_string(PageBytes())));
  ModelConfig vast = Config();
  vast.kv[0].key_dim = INT64_MAX / 4;
  EXPECT_EQ(KvPool::Create(vast, INT64_MAX).code(), Code::kInvalidArgument);
}

TEST(KvCache, ASequenceOfNoPoolSaysSo) {
  KvSequence none;
  EXPECT_EQ(none.length(), 0);
  EXPECT_EQ(none.Reserve(1).code(), Code::kFailedPrecondition);
  EXPECT_EQ(none.Fork(0).code(), Code::kFailedPrecondition);
  none.Truncate(0);
}

TEST(KvCache, EveryFailedAllocationLeavesItUnharmed) {
  for (bool sticky : {false, true}) {
    int64_t failures = 0;
    for (int64_t nth = 1;; ++nth) {
      auto pool = *KvPool::Create(Config());
      Pair a{pool->NewSequence(), {}};
      ASSERT_TRUE(Append(a, Tokens(24, 1)).ok());
      Pair b{*a.kv.Fork(20), Tokens(20, 1)};
      const int64_t used = pool->stats().used_bytes;
      Status status;
      bool fired;
      {
        FailAllocations fail(nth, sticky);
        status = Append(b, Tokens(40, 3));  // a copy and two pages
        fired = fail.fired();
      }
      EXPECT_EQ(status.ok(), !fired);
      if (!fired) break;
      ++failures;
      EXPECT_EQ(status.code(), Code::kOutOfMemory);
      EXPECT_EQ(pool->stats().used_bytes, used);
      ExpectIntact(a);
      ExpectIntact(b);
      ASSERT_TRUE(Append(b, Tokens(40, 3)).ok());
      ExpectIntact(a);
      ExpectIntact(b);
    }
    EXPECT_EQ(failures, 3);
  }
}

TEST(KvCache, WhatIsKeptMakesRoomWhenTheMachineHasNoMore) {
  auto pool = *KvPool::Create(Config());
  {
    Pair pair{pool->NewSequence(), {}};
    ASSERT_TRUE(Append(pair, Tokens(32, 1)).ok());
    pool->Offer(pair.kv, pair.tokens);
  }
  Pair fresh{pool->NewSequence(), {}};
  FailAllocations fail(1);
  EXPECT_TRUE(Append(fresh, Tokens(16, 2)).ok());
  EXPECT_TRUE(fail.fired());
  EXPECT_EQ(pool->stats().kept_bytes, PageBytes());
}

TEST(KvCache, SequencesOfOnePoolOnManyThreads) {
  auto pool = *KvPool::Create(Config(), 60 * PageBytes());
  std::vector<std::thread> threads;
  for (uint32_t t = 0; t < 4; ++t) {
    threads.emplace_back([&pool, t] {
      std::mt19937 random(t);
      std::vector<Pair> pairs;
      for (int step = 0; step < 1500; ++step) {
        Operate(random, *pool, pairs, 5);
        if (step % 10 == 0) {
          for (const Pair& pair : pairs) ExpectIntact(pair);
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(pool->stats().used_bytes, 0);
  EXPECT_LE(pool->stats().kept_bytes, 60 * PageBytes());
}

}  // namespace
}  // namespace ferry::llm
