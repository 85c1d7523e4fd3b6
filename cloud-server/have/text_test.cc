#include "cloud-server/have/text.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "common/proto/have_text.h"
#include "common/sys/random.h"

namespace ferry::server {
namespace {

constexpr int64_t kNowMs = 1'790'000'000'000;
constexpr int64_t kDay = 86'400'000;
const std::string kDevice = "00112233445566778899aabbccddeeff";

struct HaveTextTest : testing::Test {
  sys::SeededRandom random{3};
  crypto::Secret32 secret = crypto::Secret32::Generate(random);
};

TEST_F(HaveTextTest, IsReadByWhoMadeIt) {
  const Have have{kDevice, 42};
  const std::string text = SealHave(secret, have, kNowMs, random);
  EXPECT_LE(text.size(), proto::kMaxHaveTextBytes);
  EXPECT_EQ(proto::HaveNameOf(text).size(), proto::kHaveNameLetters);
  EXPECT_EQ(OpenHave(secret, text, kNowMs), have);
  // The clock of another node may be behind.
  EXPECT_EQ(OpenHave(secret, text, kNowMs - kDay), have);
  EXPECT_EQ(OpenHave(secret, text, kNowMs + kHaveTextDays * kDay), have);
}

TEST_F(HaveTextTest, IsReadByNobodyElse) {
  const std::string text = SealHave(secret, {kDevice, 42}, kNowMs, random);
  EXPECT_EQ(OpenHave(crypto::Secret32::Generate(random), text, kNowMs), std::nullopt);
  EXPECT_EQ(OpenHave(secret, text, kNowMs - 2 * kDay), std::nullopt);
  EXPECT_EQ(OpenHave(secret, text, kNowMs + (kHaveTextDays + 1) * kDay), std::nullopt);
}

TEST_F(HaveTextTest, SaysNothingOfTheDeviceAndIsAnotherEachTime) {
  std::set<std::string> seen;
  for (int i = 0; i < 1'000; ++i) {
    const std::string text = SealHave(secret, {kDevice, 42}, kNowMs, random);
    EXPECT_EQ(text.find(kDevice.substr(0, 8)), std::string::npos);
    EXPECT_TRUE(seen.insert(std::string(proto::HaveNameOf(text))).second);
  }
}

TEST_F(HaveTextTest, EveryChangedLetterIsNoticed) {
  const std::string good = SealHave(secret, {kDevice, 42}, kNowMs, random);
  for (size_t at = 0; at < good.size(); ++at) {
    for (const char letter : {'0', '7', 'f', '.', 'F', '\n'}) {
      if (good[at] == letter) continue;
      std::string text = good;
      text[at] = letter;
      EXPECT_EQ(OpenHave(secret, text, kNowMs), std::nullopt) << at << letter;
    }
    EXPECT_EQ(OpenHave(secret, good.substr(0, at), kNowMs), std::nullopt) << at;
  }
  EXPECT_EQ(OpenHave(secret, good + "00", kNowMs), std::nullopt);
}

TEST_F(HaveTextTest, RandomDevicesComeBackAsTheyWere) {
  std::mt19937_64 draw(11);
  for (int i = 0; i < 1'000; ++i) {
    Bytes id(16);
    random.Fill(id);
    const Have have{ToHex(id), static_cast<int64_t>(draw() >> 1)};
    const int64_t now_ms = static_cast<int64_t>(draw() % (1ULL << 42));
    EXPECT_EQ(OpenHave(secret, SealHave(secret, have, now_ms, random), now_ms), have);
  }
}

TEST_F(HaveTextTest, ADeviceOfAnotherNameHasNone) {
  for (const char* device : {"", "d1", "00112233445566778899AABBCCDDEEFF", "0011"})
    EXPECT_EQ(SealHave(secret, {device, 1}, kNowMs, random), "") << device;
}

}  // namespace
}  // namespace ferry::server
