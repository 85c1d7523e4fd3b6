// The pseudo-random function against RFC 8439 and a plain second implementation, on every
// instruction set; the bounds that spare its logarithms.
#include "device-runtime/llm/sampler/prf.h"

#include <array>
#include <bit>
#include <cmath>
#include <random>

#include <gtest/gtest.h>
#include "device-runtime/llm/sampler/gumbel_bound.h"
#include "device-runtime/llm/sampler/prf_blocks.h"

namespace ferry::llm {
namespace {

void Quarter(std::array<uint32_t, 16>& s, int a, int b, int c, int d) {
  const auto at = [&](int i) -> uint32_t& { return s[static_cast<size_t>(i)]; };
  at(a) += at(b), at(d) = std::rotl(at(d) ^ at(a), 16);
  at(c) += at(d), at(b) = std::rotl(at(b) ^ at(c), 12);
  at(a) += at(b), at(d) = std::rotl(at(d) ^ at(a), 8);
  at(c) += at(d), at(b) = std::rotl(at(b) ^ at(c), 7);
}

uint32_t PlainWord(const PrfKey& key, uint64_t position, uint32_t token) {
  std::array<uint32_t, 16> start{0x61707865, 0x3320646e, 0x79622d32, 0x6b206574};
  for (size_t i = 0; i < 32; ++i) start[4 + i / 4] |= uint32_t{key.bytes[i]} << 8 * (i % 4);
  start[12] = token / 16;
  start[13] = static_cast<uint32_t>(position);
  start[14] = static_cast<uint32_t>(position >> 32);
  std::array<uint32_t, 16> s = start;
  for (int round = 0; round < 10; ++round) {
    Quarter(s, 0, 4, 8, 12), Quarter(s, 1, 5, 9, 13);
    Quarter(s, 2, 6, 10, 14), Quarter(s, 3, 7, 11, 15);
    Quarter(s, 0, 5, 10, 15), Quarter(s, 1, 6, 11, 12);
    Quarter(s, 2, 7, 8, 13), Quarter(s, 3, 4, 9, 14);
  }
  return s[token % 16] + start[token % 16];
}

TEST(Prf, TheBlockOfRfc8439) {
  // Section 2.3.2: counter 1, nonce 00:00:00:09:00:00:00:4a:00:00:00:00.
  PrfKey key;
  for (size_t i = 0; i < 32; ++i) key.bytes[i] = static_cast<uint8_t>(i);
  const std::vector<uint32_t> expected = {0xe4e7f110, 0x15593bd1, 0x1fdd0f50, 0xc47120a3,
                                          0xc7f4d1c7, 0x0368c033, 0x9aaa2204, 0x4e6cd4c3,
                                          0x466482d2, 0x09aa9f07, 0x05d7c214, 0xa2028bd9,
                                          0xd19c12b5, 0xb94e16de, 0xe883d0cb, 0x4e3c50a2};
  for (kernels::Isa isa : kernels::RunningIsas()) {
    std::vector<uint32_t> words(32);
    PrfWords(key, 0x4a00000009000000, words, RowKernelsOf(isa));
    EXPECT_EQ(std::vector<uint32_t>(words.begin() + 16, words.end()), expected)
        << kernels::IsaName(isa);
  }
}

TEST(Prf, EveryLengthAndInstructionSetAgreesWithPlainCode) {
  std::mt19937_64 random(1);
  for (kernels::Isa isa : kernels::RunningIsas()) {
    for (size_t count : {1, 15, 16, 17, 255, 256, 257, 1023, 1024, 1025, 8192, 10001}) {
      PrfKey key;
      for (uint8_t& byte : key.bytes) byte = static_cast<uint8_t>(random());
      const uint64_t position = random() >> (random() % 64);
      std::vector<uint32_t> words(count + 1, 7);
      PrfWords(key, position, std::span(words).first(count), RowKernelsOf(isa));
      int64_t wrong = 0;
      for (size_t t = 0; t < count; ++t) {
        wrong += words[t] != PlainWord(key, position, static_cast<uint32_t>(t));
      }
      EXPECT_EQ(wrong, 0) << kernels::IsaName(isa) << " " << count;
      EXPECT_EQ(words[count], 7u);  // not a word too many
    }
  }
}

TEST(Prf, SingleBlocksAreThoseOfTheRow) {
  const PrfKey key = PrfKey::FromSeed(5);
  const std::vector<uint32_t> counters = {0, 3, 4, 9, 17, 18, 100, 9000, 65535};
  for (kernels::Isa isa : kernels::RunningIsas()) {
    std::vector<std::array<uint32_t, kPrfBlockWords>> blocks(counters.size());
    PrfBlocks(key, 77, counters, reinterpret_cast<uint32_t(*)[kPrfBlockWords]>(blocks.data()),
              RowKernelsOf(isa));
    for (size_t i = 0; i < counters.size(); ++i) {
      for (uint32_t w = 0; w < 16; ++w) {
        ASSERT_EQ(blocks[i][w], PlainWord(key, 77, 16 * counters[i] + w));
      }
    }
  }
}

TEST(Prf, ASeedIsTheStartOfTheKey) {
  const PrfKey key = PrfKey::FromSeed(0x0807060504030201);
  for (size_t i = 0; i < 32; ++i) EXPECT_EQ(key.bytes[i], i < 8 ? i + 1 : 0);
}

TEST(Prf, GumbelNoiseIsFiniteAndRises) {
  EXPECT_DOUBLE_EQ(GumbelOfWord(0), -std::log(33 * std::log(2.0)));
  EXPECT_NEAR(GumbelOfWord(UINT32_MAX), 33 * std::log(2.0), 1e-9);
  EXPECT_LT(GumbelOfWord(UINT32_MAX), kGumbelMost);
  EXPECT_GT(GumbelOfWord(0), -4);
  double before = -10;
  for (uint64_t word = 0; word <= UINT32_MAX; word += 104729) {
    const double noise = GumbelOfWord(static_cast<uint32_t>(word));
    EXPECT_GT(noise, before);
    before = noise;
  }
}

TEST(Prf, TheBoundIsAboveTheNoiseAndNear) {
  std::mt19937 random(2);
  const auto check = [](uint32_t word) {
    const double noise = GumbelOfWord(word);
    const double above = GumbelBound(word) - noise;
    EXPECT_GT(above, -1e-4) << word;
    const bool highest = word >= UINT32_MAX - 255;
    EXPECT_LT(above, highest ? 7 : noise > 12 ? 0.8 : noise > 3 ? 0.1 : 4) << word;
  };
  for (int i = 0; i < 200000; ++i) check(static_cast<uint32_t>(random()));
  for (uint32_t i = 0; i < 100000; ++i) {
    check(i);
    check(UINT32_MAX - i);
  }
}

}  // namespace
}  // namespace ferry::llm
