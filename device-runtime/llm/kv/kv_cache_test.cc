// The paged cache against a naive model: what a position holds is a function of all tokens up to
// it, so that a wrong page, a missing copy or a false prefix shows.
#include "device-runtime/llm/kv/kv_cache.h"

#include <random>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include "common/base/memory.h"
#include "device-runtime/kernels/attention/page.h"
#include "device-runtime/llm/kv/recurrent_state.h"

namespace ferry::llm {
namespace {

constexpr int64_t kPage = kernels::kPagePositions;
using Tokens = std::vector<TokenId>;

constexpr int64_t kLayers = 2;
constexpr int64_t kHeads = 3;
constexpr int64_t kDim = 4;

ModelConfig Config(int64_t window = 0) {
  ModelConfig config;
  config.kv.assign(kLayers, {kHeads, kDim, kDim});
  config.kv.back().window = window;
  config.context = 1024;
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
  int64_t window = 0;  // of the last layer; 0: none
};

// The first position that a row behind `pair` reads of a layer.
int64_t FirstRead(const Pair& pair, int64_t layer) {
  const bool windowed = pair.window > 0 && layer == kLayers - 1;
  return windowed ? std::max<int64_t>(0, pair.kv.length() - pair.window + 1) : 0;
}

// Appends as a forward pass does; on an error nothing has changed.
Status Append(Pair& pair, const Tokens& more) {
  FERRY_TRY(pair.kv.Reserve(static_cast<int64_t>(more.size())));
  const auto from = static_cast<int64_t>(pair.tokens.size());
  pair.tokens.insert(pair.tokens.end(), more.begin(), more.end());
  const std::vector<float> marks = Marks(pair.tokens);
  for (auto p = from; p < static_cast<int64_t>(marks.size()); ++p) {
    for (int64_t layer = 0; layer < kLayers; ++layer) {
      const kernels::KvLayout& layout = pair.kv.layout(layer);
      for (int64_t h = 0; h < kHeads; ++h) {
        float key[kDim];
        float value[kDim];
        for (int64_t d = 0; d < kDim; ++d) {
          key[d] = marks[static_cast<size_t>(p)] + static_cast<float>(layer + h + d);
          value[d] = -key[d];
        }
        kernels::StoreKv(layout.keys, h, p % kPage, key, pair.kv.page(layer, p));
        kernels::StoreKv(layout.values, h, p % kPage, value, pair.kv.page(layer, p));
      }
    }
  }
  pair.kv.Advance(static_cast<int64_t>(more.size()));
  for (int64_t layer = 0; layer < kLayers; ++layer) pair.kv.LeaveLayer(layer);
  return OkStatus();
}

// Reads as attention does.
void ExpectIntact(const Pair& pair) {
  ASSERT_EQ(pair.kv.length(), static_cast<int64_t>(pair.tokens.size()));
  const std::vector<float> marks = Marks(pair.tokens);
  int64_t wrong = 0;
  for (int64_t layer = 0; layer < kLayers; ++layer) {
    const uint8_t* const* pages = pair.kv.pages(layer);
    const kernels::KvLayout& layout = pair.kv.layout(layer);
    for (int64_t p = FirstRead(pair, layer); p < pair.kv.length(); ++p) {
      for (int64_t h = 0; h < kHeads; ++h) {
        float key[kDim];
        float value[kDim];
        kernels::ReadKv(layout.keys, h, p % kPage, pages[p / kPage], key);
        kernels::ReadKv(layout.values, h, p % kPage, pages[p / kPage], value);
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
void Operate(std::mt19937& random, KvPool& pool, std::vector<Pair>& pairs, size_t most,
             int64_t window) {
  const size_t i = pairs.empty() ? 0 : random() % pairs.size();
  const auto operation = random() % 16;
  if (pairs.empty() || (operation == 0 && pairs.size() < most)) {
    pairs.push_back({pool.NewSequence(), {}, window});
  } else if (operation <= 2 && pairs.size() < most) {
    // What another sequence holds, and some more.
    Tokens tokens = pairs[i].tokens;
    const Tokens more = Some(random, 5);
    tokens.insert(tokens.end(), more.begin(), more.end());
    Pair fresh{pool.NewSequence(tokens), tokens, window};
    ASSERT_LT(fresh.kv.length(), static_cast<int64_t>(tokens.size()));
    fresh.tokens.resize(static_cast<size_t>(fresh.kv.length()));
    pairs.push_back(std::move(fresh));
  } else if (operation == 3 && pairs.size() < most) {
    const auto length = random() % (pairs[i].tokens.size() + 1);
    Result<KvSequence> fork = pairs[i].kv.Fork(static_cast<int64_t>(length));
    ASSERT_TRUE(fork.ok());
    // A window that has moved on is not made again: nothing is kept, unless a little is forgotten.
    const auto kept = static_cast<size_t>(fork->length());
    ASSERT_TRUE(kept == length || (kept == 0 && window > 0));
    pairs.push_back({std::move(*fork), pairs[i].tokens, window});
    pairs.back().tokens.resize(kept);
  } else if (operation == 4) {
    std::swap(pairs[i], pairs.back());
    pairs.pop_back();
  } else if (operation <= 6) {
    pool.Offer(pairs[i].kv, pairs[i].tokens);
  } else if (operation <= 8) {
    const auto length = random() % (pairs[i].tokens.size() + 1);
    pairs[i].kv.Truncate(static_cast<int64_t>(length));
    ASSERT_TRUE(pairs[i].kv.length() == static_cast<int64_t>(length) ||
                (pairs[i].kv.length() == 0 && window > 0));
    pairs[i].tokens.resize(static_cast<size_t>(pairs[i].kv.length()));
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
    const int64_t window = seed % 4 < 2 ? 0 : static_cast<int64_t>(1 + random() % 60);
    const std::string spill = seed % 5 == 0 ? ::testing::TempDir() : std::string();
    auto pool = *KvPool::Create(Config(window), {.limit_bytes = limit, .spill_folder = spill});
    std::vector<Pair> pairs;
    for (int step = 0; step < 1000; ++step) {
      Operate(random, *pool, pairs, seed % 3 == 0 ? 50 : 6, window);
      if (step % 5 == 0) {
        for (const Pair& pair : pairs) ExpectIntact(pair);
      }
      const KvPool::Stats stats = pool->stats();
      ASSERT_LE(stats.used_bytes + stats.kept_bytes, stats.limit_bytes);
      ASSERT_LE(stats.used_bytes + stats.kept_bytes - stats.spilled_bytes, limit);
      if (HasFatalFailure() || HasNonfatalFailure()) return;
    }
    if (window == 0) {
      EXPECT_GT(pool->stats().prefix_hits, 0);
    }
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

// A layer with a window keeps the window and what forgetting a little needs, whatever the length.
TEST(KvCache, WhatAWindowHasPassedIsGivenBack) {
  constexpr int64_t kWindow = 32;
  auto pool = *KvPool::Create(Config(kWindow));
  Pair pair{pool->NewSequence(), {}, kWindow};
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(Append(pair, Tokens(10, static_cast<TokenId>(i))).ok());
    ExpectIntact(pair);
  }
  const int64_t half = PageBytes() / 2;  // of one of the two layers
  const int64_t kept = (kWindow + kStateReach + 10) / kPage + 2;
  EXPECT_LE(pool->stats().used_bytes, 63 * half + kept * half);
  EXPECT_EQ(pair.kv.pages(kLayers - 1)[0], nullptr);
  pair.kv.Truncate(1000 - kStateReach);
  pair.tokens.resize(static_cast<size_t>(pair.kv.length()));
  EXPECT_EQ(pair.kv.length(), 1000 - kStateReach);
  ExpectIntact(pair);
  pair.kv.Truncate(100);
  EXPECT_EQ(pair.kv.length(), 0);
  EXPECT_EQ(pool->stats().used_bytes, 0);
}

// Offered pages keep their window's part while there is room: a prefix is found whose last pages
// have it.
TEST(KvCache, APrefixNeedsItsWindow) {
  constexpr int64_t kWindow = 20;
  auto pool = *KvPool::Create(Config(kWindow), {.limit_bytes = 30 * PageBytes()});
  Tokens tokens;
  for (TokenId i = 0; i < 320; ++i) tokens.push_back(i);
  {
    Pair pair{pool->NewSequence(), {}, kWindow};
    for (size_t at = 0; at < tokens.size(); at += 16) {
      ASSERT_TRUE(Append(pair, Tokens(tokens.begin() + static_cast<ptrdiff_t>(at),
                                      tokens.begin() + static_cast<ptrdiff_t>(at) + 16))
                      .ok());
      pool->Offer(pair.kv, pair.tokens);
    }
    EXPECT_GT(pool->stats().kept_bytes, 0);
    Pair found{pool->NewSequence(std::span(tokens).first(100)), {}, kWindow};
    EXPECT_EQ(found.kv.length(), 96);
    found.tokens.assign(tokens.begin(), tokens.begin() + 96);
    ExpectIntact(found);
    // Room for another takes what nobody needs: the first prefix is not found any more.
    Pair other{pool->NewSequence(), {}, kWindow};
    ASSERT_TRUE(Append(other, Tokens(9 * kPage, 7)).ok());
    EXPECT_LE(pool->stats().used_bytes + pool->stats().kept_bytes, 30 * PageBytes());
    found.kv = KvSequence();
    for (TokenId i = 0; i < 17; ++i) ASSERT_TRUE(Append(other, Tokens(kPage, i)).ok());
    EXPECT_EQ(pool->NewSequence(std::span(tokens).first(100)).length(), 0);
    ExpectIntact(pair);
    ExpectIntact(other);
  }
  EXPECT_EQ(pool->stats().used_bytes, 0);
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
  auto pool = *KvPool::Create(Config(), {.limit_bytes = 3 * PageBytes()});
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
  auto pool = *KvPool::Create(Config(), {.limit_bytes = 3 * PageBytes()});
  Pair pair{pool->NewSequence(), {}};
  ASSERT_TRUE(Append(pair, Tokens(48, 1)).ok());
  pool->Offer(pair.kv, pair.tokens);
  pair.kv = KvSequence();
  Pair other{pool->NewSequence(), {}};
  ASSERT_TRUE(Append(other, Tokens(16, 2)).ok());
  EXPECT_EQ(pool->NewSequence(Tokens(49, 1)).length(), 32);
}

TEST(KvCache, TheLimitIsNamedAndTheSequenceUnharmed) {
  auto pool = *KvPool::Create(Config(), {.limit_bytes = 4 * PageBytes() + 5});
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
  auto pool = *KvPool::Create(Config(), {.limit_bytes = 3 * PageBytes()});
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
  const auto pool = KvPool::Create(Config(), {.limit_bytes = PageBytes() - 1});
  ASSERT_FALSE(pool.ok());
  EXPECT_EQ(pool.code(), Code::kInvalidArgument);
  EXPECT_THAT(pool.status().message(), ::testing::HasSubstr(std::to_string(PageBytes())));
  ModelConfig vast = Config();
  vast.kv[0].key_dim = INT64_MAX / 4;
  EXPECT_EQ(KvPool::Create(vast, {.limit_bytes = INT64_MAX}).code(), Code::kInvalidArgument);
}

// Three quarters of four pages lie in memory; a layer of the others, half a page each, may take the
// last.
TEST(KvCache, WhatMemoryDoesNotHoldLiesInAFile) {
  auto pool = *KvPool::Create(
      Config(), {.limit_bytes = 4 * PageBytes(), .spill_folder = ::testing::TempDir()});
  EXPECT_EQ(pool->stats().limit_bytes, 5 * PageBytes());
  Pair a{pool->NewSequence(), {}};
  ASSERT_TRUE(Append(a, Tokens(48, 1)).ok());
  EXPECT_EQ(pool->stats().spilled_bytes, 0);
  const Status status = Append(a, Tokens(20, 2));
  if (!status.ok()) GTEST_SKIP() << status.ToString();
  EXPECT_EQ(pool->stats().spilled_bytes, 2 * PageBytes());
  ExpectIntact(a);
  EXPECT_EQ(Append(a, Tokens(20, 3)).code(), Code::kOutOfMemory);
  const Pair fork{*a.kv.Fork(50), Tokens(a.tokens.begin(), a.tokens.begin() + 50)};
  a.kv.Truncate(0);
  a.tokens.clear();
  EXPECT_EQ(pool->stats().spilled_bytes, PageBytes());
  ExpectIntact(fork);
}

TEST(KvCache, AFolderThatCannotHoldTheFileIsNamed) {
  auto pool =
      *KvPool::Create(Config(), {.limit_bytes = 4 * PageBytes(), .spill_folder = "/nowhere"});
  Pair a{pool->NewSequence(), {}};
  const Status status = Append(a, Tokens(64, 1));
  EXPECT_EQ(status.code(), Code::kOutOfMemory);
  EXPECT_THAT(status.message(), ::testing::HasSubstr("/nowhere"));
  ASSERT_TRUE(Append(a, Tokens(48, 1)).ok());
  ExpectIntact(a);
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
  auto pool = *KvPool::Create(Config(), {.limit_bytes = 60 * PageBytes()});
  std::vector<std::thread> threads;
  for (uint32_t t = 0; t < 4; ++t) {
    threads.emplace_back([&pool, t] {
      std::mt19937 random(t);
      std::vector<Pair> pairs;
      for (int step = 0; step < 1500; ++step) {
        Operate(random, *pool, pairs, 5, 0);
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
