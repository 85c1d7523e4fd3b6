// Texts that the app carries: what the server gave, and pulls that come of what it answered.
#include "common/proto/have_text.h"

#include "device-runtime/agent/tests/fixture.h"

namespace ferry::agent {
namespace {

constexpr int64_t kHourMs = 3'600'000;

std::string HaveOf(char letter) {
  return fmt::format("{}{}00ff", proto::kHaveMark, std::string(proto::kHaveNameLetters, letter));
}

std::string Take(const std::string& have, int64_t within_s) {
  return proto::ToText({std::string(proto::HaveNameOf(have)), within_s});
}

// A device that hears of nothing by itself for a long time.
struct HaveFixture : Fixture {
  HaveFixture() {
    options.push = false;
    options.poll_ms = 1'000 * kHourMs;
    gateway.have_text = HaveOf('a');
    EXPECT_TRUE(Start().ok());
    EXPECT_TRUE(Until([&] { return agent->connected(); }));
    gateway.Publish("1.0.0", 1, "good");
    gateway.Sign();
    gateway.Assign("1.0.0");
    world.RunFor(kHourMs);
    EXPECT_EQ(Version(), "");
  }
};

TEST(Have, ATextBringsTheReleaseWithinItsTime) {
  HaveFixture f;
  EXPECT_EQ(f.agent->have_text(), HaveOf('a'));
  ASSERT_TRUE(f.agent->TakeText(Take(HaveOf('a'), 60)).ok());
  EXPECT_TRUE(f.UntilStep(Step::kConfirmed, "1.0.0", 90'000));
  EXPECT_TRUE(f.gateway.reports.front().by_push());
}

TEST(Have, WhatIsNotForThisAnswerDoesNothing) {
  HaveFixture f;
  const int polls = f.gateway.polls;
  EXPECT_TRUE(f.agent->TakeText("").ok());
  EXPECT_TRUE(f.agent->TakeText(Take(HaveOf('b'), 1)).ok());
  EXPECT_EQ(f.agent->TakeText("take1.1.").code(), Code::kMalformed);
  EXPECT_EQ(f.agent->TakeText(std::string(1 << 16, 'x')).code(), Code::kMalformed);
  f.world.RunFor(kHourMs);
  EXPECT_EQ(f.gateway.polls, polls);
}

TEST(Have, EachAnswerOfTheServerEndsTheTextBefore) {
  HaveFixture f;
  f.gateway.have_text = HaveOf('c');
  ASSERT_TRUE(f.agent->TakeText(Take(HaveOf('a'), 0)).ok());
  ASSERT_TRUE(f.UntilStep(Step::kConfirmed, "1.0.0", 60'000));
  EXPECT_EQ(f.agent->have_text(), HaveOf('c'));
  const int polls = f.gateway.polls;
  ASSERT_TRUE(f.agent->TakeText(Take(HaveOf('a'), 0)).ok());
  f.world.RunFor(kHourMs);
  EXPECT_EQ(f.gateway.polls, polls);
}

// Whoever may change the app's answers can have it pull, and no more often than that.
TEST(Have, PullsOfTextsAreRare) {
  HaveFixture f;
  const int polls = f.gateway.polls;
  for (int i = 0; i < 6'000; ++i) {
    ASSERT_TRUE(f.agent->TakeText(Take(HaveOf('a'), 0)).ok());
    f.world.RunFor(100);
  }
  EXPECT_GE(f.gateway.polls - polls, 10);
  EXPECT_LE(f.gateway.polls - polls, 600'000 / kTakeEveryMs + 1);
}

TEST(Have, ManyDevicesDoNotPullAtOneMoment) {
  std::set<int64_t> moments;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    Fixture f(seed);
    f.options.poll_ms = 1'000 * kHourMs;
    f.gateway.have_text = HaveOf('a');
    ASSERT_TRUE(f.Start().ok());
    ASSERT_TRUE(f.Until([&] { return f.agent->connected(); }));
    f.world.RunFor(10'000);
    const int polls = f.gateway.polls;
    const int64_t from_ms = f.world.clock().NowUnixMs();
    ASSERT_TRUE(f.agent->TakeText(Take(HaveOf('a'), 600)).ok());
    ASSERT_TRUE(f.Until([&] { return f.gateway.polls > polls; }, 601'000));
    moments.insert((f.world.clock().NowUnixMs() - from_ms) / 60'000);
  }
  EXPECT_GE(moments.size(), 5u);
}

TEST(Have, WithoutALineItIsDialledAtOnce) {
  HaveFixture f;
  f.options.backoff = {.base_ms = 100 * kHourMs, .cap_ms = 100 * kHourMs};
  f.Kill();
  ASSERT_TRUE(f.Start().ok());
  ASSERT_TRUE(f.Until([&] { return f.agent->connected(); }));
  f.world.RunFor(kHourMs);
  ASSERT_TRUE(f.UntilStep(Step::kConfirmed, "1.0.0", 60'000));  // a login looks at the epoch
  f.network.SetReachable("server", false);
  ASSERT_TRUE(f.Until([&] { return !f.agent->connected(); }));
  f.gateway.Publish("2.0.0", 2, "good");
  f.gateway.Sign();
  f.gateway.Assign("2.0.0");
  f.world.RunFor(60'000);
  f.network.SetReachable("server", true);
  f.world.RunFor(60'000);
  ASSERT_FALSE(f.agent->connected());
  EXPECT_EQ(f.agent->have_text(), HaveOf('a'));
  ASSERT_TRUE(f.agent->TakeText(Take(HaveOf('a'), 1)).ok());
  EXPECT_TRUE(f.UntilStep(Step::kConfirmed, "2.0.0", 60'000));
}

// It goes into headers of the app's requests.
TEST(Have, AServersTextOfAnotherFormIsNotKept) {
  Fixture f;
  f.gateway.have_text = "have1.a\r\nX-Admin: 1";
  ASSERT_TRUE(f.Start().ok());
  ASSERT_TRUE(f.Until([&] { return f.agent->connected(); }));
  EXPECT_EQ(f.agent->have_text(), "");
}

}  // namespace
}  // namespace ferry::agent
