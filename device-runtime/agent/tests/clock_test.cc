// A device whose clock is wrong says so, and believes nothing more for it.
#include "common/base/json.h"
#include "device-runtime/agent/parts.h"
#include "device-runtime/agent/tests/fixture.h"

namespace ferry::agent {
namespace {

constexpr int64_t kTwoDaysMs = 2 * int64_t{86'400'000};

struct WrongClock : testing::Test {
  // The server's clock is `off_ms` from this device's; its metadata has expired by the latter.
  void Release(int64_t off_ms) {
    f.gateway.clock_off_ms = off_ms;
    ASSERT_TRUE(f.Start().ok());
    ASSERT_TRUE(f.Until([&] { return f.agent->connected(); }));
    f.gateway.Publish("1.0.0", 1, "good");
    f.gateway.Sign(-3'600'000);
    f.gateway.Assign("1.0.0");
    ASSERT_TRUE(f.Until([&] { return f.gateway.Failure() != nullptr; }));
    f.world.RunFor(60'000);
  }
  Fixture f;
};

TEST_F(WrongClock, ThatIsAheadIsTheCauseOfAnExpiry) {
  Release(-kTwoDaysMs);
  EXPECT_EQ(f.gateway.Failure()->error_code(), static_cast<int>(Code::kClockSkew));
  EXPECT_NE(f.gateway.Failure()->error_text().find("172800 s ahead"), std::string::npos);
  EXPECT_NEAR(f.agent->StatusJson()["clock_ahead_ms"].get<double>(), kTwoDaysMs, 500);
  EXPECT_EQ(f.LastErrorName(), "clock_skew");
  // Whatever a server says of the time, what has expired is not taken.
  EXPECT_EQ(f.Version(), "");
  EXPECT_EQ(f.gateway.bytes_served, 0u);
  f.gateway.Sign();
  f.gateway.Wake();
  ASSERT_TRUE(f.UntilStep(Step::kConfirmed, "1.0.0"));
}

TEST_F(WrongClock, WithinTheLimitOrBehindIsNot) {
  Release(-kMaxClockSkewMs + 1'000);
  EXPECT_EQ(f.gateway.Failure()->error_code(), static_cast<int>(Code::kExpired));
}

TEST_F(WrongClock, ThatIsBehindIsNot) {
  Release(kTwoDaysMs);
  EXPECT_EQ(f.gateway.Failure()->error_code(), static_cast<int>(Code::kExpired));
  EXPECT_NEAR(f.agent->StatusJson()["clock_ahead_ms"].get<double>(), -kTwoDaysMs, 500);
}

TEST_F(WrongClock, NonsenseOfAServerIsNoTime) {
  Release(INT64_MAX / 2);
  EXPECT_EQ(f.gateway.Failure()->error_code(), static_cast<int>(Code::kExpired));
  EXPECT_TRUE(f.agent->StatusJson()["clock_ahead_ms"].is_null());
}

}  // namespace
}  // namespace ferry::agent
