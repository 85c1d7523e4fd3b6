// "Come back in T": what a server says that has no room for this device, or is going itself.
#include "device-runtime/agent/line/link.h"
#include "device-runtime/agent/tests/fixture.h"

namespace ferry::agent {
namespace {

constexpr int64_t kMinuteMs = 60'000;

// Answers Hello with such an error, and notes when it was asked.
struct BusyFixture : Fixture {
  explicit BusyFixture(int64_t retry_after_ms, uint64_t seed = 1) : Fixture(seed) {
    gateway.bend = [this, retry_after_ms](const proto::Envelope& request, proto::Envelope* answer) {
      if (!request.has_hello()) return false;
      asked_ms.push_back(world.clock().NowUnixMs());
      if (!busy) return false;
      answer->mutable_error()->set_code(static_cast<int>(Code::kUnavailable));
      answer->mutable_error()->set_fatal(true);
      answer->mutable_error()->set_retry_after_ms(retry_after_ms);
      return true;
    };
    EXPECT_TRUE(Start().ok());
    EXPECT_TRUE(Until([this] { return !asked_ms.empty(); }));
  }
  bool busy = true;
  std::vector<int64_t> asked_ms;
};

TEST(ComeBack, ItIsNotAskedBeforeTheTimeAndSoonAfter) {
  BusyFixture f(10 * kMinuteMs);
  ASSERT_TRUE(f.Until([&] { return f.asked_ms.size() >= 3; }, 60 * kMinuteMs));
  for (size_t i = 1; i < f.asked_ms.size(); ++i) {
    const int64_t waited_ms = f.asked_ms[i] - f.asked_ms[i - 1];
    EXPECT_GE(waited_ms, 10 * kMinuteMs);
    EXPECT_LE(waited_ms, 15 * kMinuteMs + 5'000);
  }
  f.busy = false;
  EXPECT_TRUE(f.Until([&] { return f.agent->connected(); }, 20 * kMinuteMs));
}

TEST(ComeBack, NoServerKeepsADeviceAwayForLong) {
  BusyFixture f(int64_t{1} << 60);
  EXPECT_TRUE(f.Until([&] { return f.asked_ms.size() >= 2; }, kMaxComeBackMs * 3 / 2 + 10'000));
}

TEST(ComeBack, NonsenseIsNoTime) {
  BusyFixture f(-5);
  EXPECT_TRUE(f.Until([&] { return f.asked_ms.size() >= 2; }, 2 * kMinuteMs));
}

TEST(ComeBack, ThoseWhoWereSentAwayTogetherComeApart) {
  std::set<int64_t> moments;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    BusyFixture f(10 * kMinuteMs, seed);
    ASSERT_TRUE(f.Until([&] { return f.asked_ms.size() >= 2; }, 60 * kMinuteMs));
    moments.insert((f.asked_ms[1] - f.asked_ms[0]) / 30'000);
  }
  EXPECT_GE(moments.size(), 5u);
}

// Nor does a text of the app bring it back sooner.
TEST(ComeBack, TextsOfTheAppDoNotShortenIt) {
  BusyFixture f(10 * kMinuteMs);
  f.busy = false;
  f.gateway.have_text = fmt::format("have1.{:a>24}00", "");
  ASSERT_TRUE(f.Until([&] { return f.agent->connected(); }, 20 * kMinuteMs));
  f.busy = true;
  f.network.SetReachable("server", false);
  ASSERT_TRUE(f.Until([&] { return !f.agent->connected(); }));
  f.network.SetReachable("server", true);
  const size_t before = f.asked_ms.size();
  ASSERT_TRUE(f.Until([&] { return f.asked_ms.size() > before; }));
  f.world.RunFor(kMinuteMs);
  ASSERT_TRUE(f.agent->TakeText(fmt::format("take1.0.{:a>24}", "")).ok());
  f.world.RunFor(5 * kMinuteMs);
  EXPECT_EQ(f.asked_ms.size(), before + 1);
}

}  // namespace
}  // namespace ferry::agent
