#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "common/base/json.h"
#include "policy/target/attributes.h"
#include "policy/target/bucket.h"
#include "policy/target/version.h"

namespace ferry::target {
namespace {

// The chain of semver.org 2.0.0, section 11, with neighbours around it.
TEST(Version, Precedence) {
  const char* const ordered[] = {"0.0.1",
                                 "0.9.0",
                                 "1.0.0-0",
                                 "1.0.0-2",
                                 "1.0.0-10",
                                 "1.0.0-alpha",
                                 "1.0.0-alpha.1",
                                 "1.0.0-alpha.beta",
                                 "1.0.0-beta",
                                 "1.0.0-beta.2",
                                 "1.0.0-beta.11",
                                 "1.0.0-rc.1",
                                 "1.0.0",
                                 "1.0.1",
                                 "1.2.0",
                                 "1.10.0",
                                 "18446744073709551615.0.0"};
  for (size_t a = 0; a < std::size(ordered); ++a)
    for (size_t b = 0; b < std::size(ordered); ++b) {
      auto left = ParseVersion(ordered[a]), right = ParseVersion(ordered[b]);
      ASSERT_TRUE(left.ok() && right.ok());
      EXPECT_EQ(Compare(*left, *right), a <=> b) << ordered[a] << " " << ordered[b];
      EXPECT_EQ(PrintVersion(*left), ordered[a]);
    }
}

TEST(Version, Bad) {
  for (const char* text :
       {"", "a", "1.", "1..2", "1.2.3.4", "01.0.0", "1.0.0-", "1.0.0-01", "1.0.0-a..b", "1.0.0+",
        "1.0.0-ä", "-1.0.0", " 1.0.0", "18446744073709551616.0.0"})
    EXPECT_EQ(ParseVersion(text).code(), Code::kMalformed) << text;
  EXPECT_TRUE(ParseVersion("1.0.0-" + std::string(kMaxVersionBytes - 6, 'a')).ok());
  EXPECT_FALSE(ParseVersion("1.0.0-" + std::string(kMaxVersionBytes - 5, 'a')).ok());
}

TEST(Bucket, GrowingSharesKeepTheirDevices) {
  for (int k = 0; k < 500; ++k) {
    const std::string id = "device" + std::to_string(k);
    bool before = false;
    for (Share share = 0; share <= kWholeShare; share += kWholeShare / 40) {
      const bool now = InShare(share, "salt", id);
      EXPECT_TRUE(now || !before);
      before = now;
    }
    EXPECT_FALSE(InShare(0, "salt", id));
    EXPECT_TRUE(InShare(kWholeShare, "salt", id));
  }
  EXPECT_FALSE(InShare(kWholeShare, "salt", ""));
}

// 20 percent of 20,000 ids: the standard deviation is 56.6; five of them around 4000.
TEST(Bucket, SharesAreEvenAndIndependentOfEachOther) {
  int first = 0, both = 0;
  for (int k = 0; k < 20000; ++k) {
    const std::string id = "device-" + std::to_string(k);
    const bool a = InShare(20 * kOnePercent, "r1", id), b = InShare(20 * kOnePercent, "r2", id);
    first += a;
    both += a && b;
  }
  EXPECT_NEAR(first, 4000, 283);
  EXPECT_NEAR(both, 800, 139);
}

TEST(Bucket, ShareText) {
  for (const char* text : {"0", "20", "0.5", "12.345678", "100"}) {
    auto share = ParseShare(text);
    ASSERT_TRUE(share.ok()) << text;
    EXPECT_EQ(PrintShare(*share), text);
  }
  for (const char* text : {"", ".5", "1.", "-1", "100.000001", "1e2", "0.0000001", "1000", "1.2.3"})
    EXPECT_EQ(ParseShare(text).code(), Code::kBadRule) << text;
}

TEST(Attributes, JsonRoundTrip) {
  const std::string text =
      R"({"app_version":"1.2.3","device_class":"mid","device_id":"d1","extra":{"region":"eu"},)"
      R"("os":"android","runtime_version":"0.1.0","tags":["beta"]})";
  auto json = ParseJson(text);
  ASSERT_TRUE(json.ok());
  auto device = AttributesFromJson(*json);
  ASSERT_TRUE(device.ok());
  EXPECT_EQ(WriteJson(AttributesToJson(*device)), text);
  EXPECT_EQ(SlicesOf(*device), (std::vector<std::string>{"all", "os=android", "device_class=mid",
                                                         "app_version=1.2.3"}));
}

TEST(Attributes, BadJson) {
  for (const char* text : {"[]", R"({"os":3})", R"({"tags":"x"})", R"({"extra":{"a":1}})"}) {
    auto json = ParseJson(text);
    ASSERT_TRUE(json.ok());
    EXPECT_EQ(AttributesFromJson(*json).code(), Code::kMalformed) << text;
  }
  Json tags = Json::array();
  for (size_t k = 0; k < kMaxTags; ++k) tags.push_back("t");
  EXPECT_TRUE(AttributesFromJson({{"tags", tags}}).ok());
  tags.push_back("t");
  EXPECT_EQ(AttributesFromJson({{"tags", tags}}).code(), Code::kLimitExceeded);
  EXPECT_TRUE(AttributesFromJson({{"os", std::string(kMaxAttributeBytes, 'x')}}).ok());
  EXPECT_EQ(AttributesFromJson({{"os", std::string(kMaxAttributeBytes + 1, 'x')}}).code(),
            Code::kLimitExceeded);
}

}  // namespace
}  // namespace ferry::target
