#include "common/package/delta/delta.h"

#include <bit>
#include <cmath>
#include <cstring>

#include "common/package/delta/difference_model.h"
#include "common/package/delta/format.h"
#include "common/package/delta/numbers.h"
#include "common/package/test_fixture.h"

namespace ferry::package {
namespace {

using delta::Mode;

constexpr uint64_t kMostNew = 64 << 20;

Bytes Make(ByteView base, ByteView target) {
  Bytes out;
  const Status made = MakeTensorDelta(base, target, [&](ByteView piece) {
    out.insert(out.end(), piece.begin(), piece.end());
    return OkStatus();
  });
  EXPECT_TRUE(made.ok()) << made.ToString();
  return out;
}

Result<Bytes> Patch(ByteView base, ByteView delta, uint64_t most = kMostNew, size_t piece = 0) {
  Bytes out;
  TensorPatcher patcher(base, most, [&](ByteView bytes) {
    EXPECT_LE(out.size() + bytes.size(), most);
    out.insert(out.end(), bytes.begin(), bytes.end());
    return OkStatus();
  });
  if (piece == 0) piece = std::max<size_t>(delta.size(), 1);
  for (size_t at = 0; at < delta.size(); at += piece)
    FERRY_TRY(patcher.Write(delta.subspan(at, std::min(piece, delta.size() - at))));
  FERRY_TRY(patcher.Finish());
  return out;
}

// Weights around zero, as numbers of one mode.
Bytes Weights(Mode mode, size_t count, uint64_t seed) {
  sys::SeededRandom random(seed);
  Bytes out(count * WidthOf(mode));
  for (size_t i = 0; i < count; ++i) {
    Bytes raw(8);
    random.Fill(raw);
    uint32_t bits = GetU32(raw.data());
    if (IsFloat(mode)) {
      // A mean of four uniform numbers is near enough to a bell.
      float value = 0;
      for (int j = 0; j < 4; ++j)
        value += static_cast<float>(raw[static_cast<size_t>(j)]) / 512 - 0.25F;
      bits = std::bit_cast<uint32_t>(value);
      if (mode == Mode::kBf16) bits >>= 16;
      if (mode == Mode::kF16) {
        const uint32_t exponent = bits >> 23 & 255;
        bits = exponent < 113
                   ? 0
                   : (bits >> 16 & 0x8000) | (exponent - 112) << 10 | (bits >> 13 & 1023);
      }
    }
    delta::WriteNumber(&out[i * WidthOf(mode)], WidthOf(mode), bits);
  }
  return out;
}

// Small steps on some of them.
Bytes Tuned(Mode mode, Bytes bytes, int largest, uint64_t seed) {
  sys::SeededRandom random(seed);
  const unsigned width = WidthOf(mode);
  for (size_t at = 0; at + width <= bytes.size(); at += width) {
    uint8_t raw[2];
    random.Fill(raw);
    const int step = raw[0] % 3 == 0 ? raw[1] % (2 * largest + 1) - largest : 0;
    delta::WriteNumber(&bytes[at], width,
                       delta::Apply(mode, delta::ReadNumber(&bytes[at], width), step));
  }
  return bytes;
}

double ValueOfF16(uint32_t bits) {
  const int exponent = static_cast<int>(bits >> 10 & 31);
  const double size = exponent == 0 ? (bits & 1023) * 0x1p-24
                                    : (1024 + (bits & 1023)) * std::ldexp(1.0, exponent - 25);
  return (bits & 0x8000) != 0 ? -size : size;
}

TEST(DeltaNumbersTest, OrderIsThatOfTheFloats) {
  // Every finite f16, from the least to the largest: the order counts up by one.
  for (uint32_t i = 0x0400; i < 0xFBFF; ++i) {
    const uint32_t bits = delta::FromOrdered(i, 16);
    EXPECT_EQ(delta::ToOrdered(bits, 16), i);
    EXPECT_LE(ValueOfF16(bits), ValueOfF16(delta::FromOrdered(i + 1, 16))) << i;
  }
}

TEST(DeltaNumbersTest, ApplyIsTheInverseOfDifference) {
  sys::SeededRandom random(3);
  for (uint8_t i = static_cast<uint8_t>(Mode::kInt8); i < delta::kModes; ++i) {
    const auto mode = static_cast<Mode>(i);
    const uint32_t mask = WidthOf(mode) == 4 ? ~0U : (1U << (8 * WidthOf(mode))) - 1;
    for (int round = 0; round < 20000; ++round) {
      uint8_t raw[8];
      random.Fill(raw);
      const uint32_t base = GetU32(raw) & mask, target = GetU32(raw + 4) & mask;
      EXPECT_EQ(delta::Apply(mode, base, delta::DifferenceOf(mode, base, target)), target);
      EXPECT_LE(delta::ScaleOf(mode, base), delta::kMaxScale);
    }
  }
}

// Differences of every size come out as they went in, whatever came before.
TEST(DifferenceModelTest, RoundTripsAnyDifferences) {
  for (uint8_t i = static_cast<uint8_t>(Mode::kInt8); i < delta::kModes; ++i) {
    const auto mode = static_cast<Mode>(i);
    const unsigned bits = 8 * WidthOf(mode);
    sys::SeededRandom random(i);
    std::vector<std::pair<uint32_t, int32_t>> numbers;
    for (int round = 0; round < 20000; ++round) {
      uint8_t raw[9];
      random.Fill(raw);
      const unsigned kept = raw[8] % bits + 1;
      const auto difference = static_cast<int32_t>(GetU32(raw) << (32 - kept)) >> (32 - kept);
      numbers.emplace_back(GetU32(raw + 4) >> (32 - bits), difference);
    }
    numbers.emplace_back(0, static_cast<int32_t>(uint32_t{1} << 31) >> (32 - bits));
    for (const uint32_t stride : {1U, 37U, delta::kMaxStride}) {
      Bytes coded;
      delta::RangeEncoder encoder(coded);
      delta::DifferenceModel writing(mode), reading(mode);
      writing.Begin(stride);
      reading.Begin(stride);
      for (const auto& [base, difference] : numbers) (void)writing.Code(encoder, base, difference);
      encoder.Finish();
      delta::RangeDecoder decoder(coded);
      for (const auto& [base, difference] : numbers)
        ASSERT_EQ(reading.Code(decoder, base, 0), difference);
      EXPECT_TRUE(decoder.exact());
    }
  }
}

TEST(TensorDeltaTest, RoundTripsTunedWeightsOfEveryType) {
  for (uint8_t i = static_cast<uint8_t>(Mode::kInt8); i < delta::kModes; ++i) {
    const auto mode = static_cast<Mode>(i);
    for (const size_t count : {1U, 3U, 511U, 40000U}) {
      const Bytes base = Weights(mode, count, i);
      const Bytes target = Tuned(mode, base, 2, i + 100U);
      const Bytes made = Make(base, target);
      EXPECT_EQ(*Patch(base, made), target) << int{i} << " " << count;
      if (count < 40000) continue;
      // A third of the numbers moves, by five steps that are as likely: 1.7 bits a number.
      EXPECT_LT(made.size(), count * 2 / 8 + 2000) << int{i};
      EXPECT_LT(made.size(), MakeDelta(base, target)->size()) << int{i};
    }
  }
}

TEST(TensorDeltaTest, MovedMixedAndNewRegions) {
  Bytes base, target;
  const auto add = [](Bytes& to, const Bytes& from) {
    to.insert(to.end(), from.begin(), from.end());
  };
  const Bytes half = Weights(Mode::kF16, 60000, 1), small = Weights(Mode::kInt8, 50000, 2);
  const Bytes wide = Weights(Mode::kF32, 30000, 3), fresh = TestWeights(70000, 4);
  add(base, ToBytes("{\"header\": 1, \"version\": \"1.0.0\"}"));
  add(base, half), add(base, small), add(base, wide);
  add(target, ToBytes("{\"a longer header\": 2, \"version\": \"2.0.0\"}"));
  add(target, Tuned(Mode::kF32, wide, 500, 5)), add(target, fresh);
  add(target, Tuned(Mode::kInt8, small, 1, 6)), add(target, half);
  const Bytes made = Make(base, target);
  EXPECT_EQ(*Patch(base, made), target);
  EXPECT_LT(made.size(), fresh.size() + 80000u);
  for (const size_t piece : {1u, 7u, 1000u}) EXPECT_EQ(*Patch(base, made, kMostNew, piece), target);
}

TEST(TensorDeltaTest, AnyTwoFiles) {
  const Bytes some = TestWeights(5000, 1);
  for (const auto& [base, target] :
       std::vector<std::pair<Bytes, Bytes>>{{some, {}},
                                            {{}, some},
                                            {some, some},
                                            {{}, {}},
                                            {some, TestWeights(9001, 2)},
                                            {TestWeights(3, 3), TestWeights(2, 4)},
                                            {Bytes(100000, 0), Bytes(99999, 1)}}) {
    EXPECT_EQ(*Patch(base, Make(base, target)), target) << base.size() << " " << target.size();
  }
  EXPECT_LT(Make(some, some).size(), 100u);
}

TEST(TensorDeltaTest, MoreThanOneChunk) {
  const Bytes base = Weights(Mode::kInt8, 5'000'001, 1);
  Bytes target = base;
  for (size_t i = 0; i < target.size(); i += 4096) target[i] ^= 1;
  const Bytes made = Make(base, target);
  EXPECT_EQ(*Patch(base, made), target);
  EXPECT_LT(made.size(), 20000u);
}

TEST(TensorDeltaTest, DamagedOnesAreRefusedOrGiveBoundedBytes) {
  const Bytes base = Weights(Mode::kF16, 1000, 1);
  Bytes target = Tuned(Mode::kF16, base, 3, 2);
  const Bytes fresh = TestWeights(300, 3);
  target.insert(target.end(), fresh.begin(), fresh.end());
  const Bytes made = Make(base, target);
  for (size_t size = 0; size < made.size(); ++size)
    ASSERT_EQ(Patch(base, ByteView(made).first(size)).code(), Code::kTruncatedContent) << size;
  Bytes longer = made;
  longer.push_back(0);
  EXPECT_EQ(Patch(base, longer).code(), Code::kBadDelta);
  for (size_t at = 0; at < made.size(); ++at) {
    for (const int bit : {0, 3, 7}) {
      Bytes bad = made;
      bad[at] ^= static_cast<uint8_t>(1 << bit);
      const auto out = Patch(base, bad, target.size());
      if (out.ok()) {
        EXPECT_EQ(out->size(), target.size());
      } else {
        EXPECT_TRUE(out.code() == Code::kBadDelta || out.code() == Code::kTruncatedContent ||
                    out.code() == Code::kLimitExceeded)
            << out.status().ToString();
      }
    }
  }
  EXPECT_EQ(Patch(base, made, target.size() - 1).code(), Code::kLimitExceeded);
  EXPECT_EQ(Patch(ByteView(base).first(100), made).code(), Code::kBadDelta);
}

// The bytes of one delta, so that a later reader is known to read what was published.
TEST(TensorDeltaTest, GoldenBytes) {
  Bytes base(2048), target;
  for (size_t i = 0; i < base.size(); ++i) base[i] = static_cast<uint8_t>(i * i >> 3);
  target = base;
  for (size_t i = 0; i < 1024; i += 100) target[i] += 1 + i % 2;
  const Bytes text = ToBytes("text that is not in the base");
  target.insert(target.end(), text.begin(), text.end());
  const Bytes golden = *FromHex(
      "464454311c0800000000000000080000000000001c0800000200000008000000250000000000000000000000"
      "000800000400000000080000190000000000000000000000010000001c000000010000000000000000000000"
      "fe4d624968b2cf1728b52ffd0010e10000746578742074686174206973206e6f7420696e2074686520626173"
      "65");
  EXPECT_EQ(*Patch(base, golden), target);
}

}  // namespace
}  // namespace ferry::package
