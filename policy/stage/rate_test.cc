#include "policy/stage/rate.h"

#include <gmock/gmock.h>

#include <vector>

#include "common/base/json.h"
#include "policy/stage/plan.h"

namespace ferry::stage {
namespace {

using testing::HasSubstr;

Rate Growing() {
  return *RateFromJson(
      *ParseJson(R"({"per_minute":10,"factor":2,"after_succeeded":50,"max_per_minute":75})"));
}

TEST(Rate, GrowsWithEachSoManyThatWentWell) {
  for (const auto& [succeeded, per_minute] : std::vector<std::pair<int64_t, int64_t>>{
           {0, 10}, {49, 10}, {50, 20}, {99, 20}, {100, 40}, {150, 75}, {int64_t{1} << 50, 75}})
    EXPECT_EQ(PerMinute(Growing(), succeeded), per_minute) << succeeded;
  EXPECT_EQ(PerMinute(*RateFromJson({{"per_minute", 3}}), 1'000'000), 3);
}

// However devices crowd, at whatever times, and over restarts in between.
TEST(Rate, NoMinutePassesIt) {
  for (const int64_t per_minute : {1, 2, 6, 7, 100}) {
    uint64_t seed = static_cast<uint64_t>(per_minute);
    Pace pace;
    std::vector<int64_t> came;
    int64_t now_ms = 1'790'000'000'000;
    for (int step = 0; step < 4'000; ++step) {
      seed = seed * 6364136223846793005u + 1442695040888963407u;
      now_ms += static_cast<int64_t>((seed >> 40) % 700);
      while (pace.Free(per_minute, now_ms) > 0) {
        pace.Take(now_ms);
        came.push_back(now_ms);
      }
      if (step % 100 == 0) pace = *Pace::FromText(pace.ToText());
    }
    ASSERT_GT(came.size(), static_cast<size_t>(per_minute * 15));
    for (size_t last = 0, first = 0; last < came.size(); ++last) {
      while (came[last] - came[first] >= 60'000) ++first;
      ASSERT_LE(static_cast<int64_t>(last - first) + 1, per_minute) << "at " << came[last];
    }
  }
}

TEST(Rate, ATenSecondsHaveASixthOfIt) {
  Pace pace;
  int64_t came = 0;
  for (; pace.Free(600, 1'000'000) > 0; ++came) pace.Take(1'000'000);
  EXPECT_EQ(came, 100);
  EXPECT_EQ(pace.Free(600, 1'009'999), 0);
  EXPECT_EQ(pace.Free(600, 1'011'000), 100);
}

TEST(Rate, AClockThatWasSetStopsNobodyForLong) {
  Pace pace;
  pace.Take(9'000'000'000);
  EXPECT_EQ(pace.Free(1, 1'000'000), 1) << "what lies in a far future is nothing of this minute";
  EXPECT_EQ(pace.Free(1, 8'999'970'000), 0);
  EXPECT_EQ(Pace::FromText("[[1]]").code(), Code::kMalformed);
}

TEST(Rate, Form) {
  const auto error = [](const char* text) {
    return RateFromJson(*ParseJson(text)).status().message();
  };
  EXPECT_THAT(error("[]"), HasSubstr("no object"));
  EXPECT_THAT(error("{}"), HasSubstr("per_minute"));
  EXPECT_THAT(error(R"({"per_minute":0})"), HasSubstr("per_minute 0 is not from 1"));
  EXPECT_THAT(error(R"({"per_minute":1,"fast":1})"), HasSubstr("no member \"fast\""));
  EXPECT_THAT(error(R"({"per_minute":2,"max_per_minute":1})"), HasSubstr("max_per_minute 1"));
  EXPECT_THAT(error(R"({"per_minute":2,"factor":1,"after_succeeded":1,"max_per_minute":9})"),
              HasSubstr("factor 1 is not above 1"));
  EXPECT_THAT(error(R"({"per_minute":2,"factor":2})"), HasSubstr("after_succeeded"));
  EXPECT_THAT(error(R"({"per_minute":2,"factor":2,"after_succeeded":5})"),
              HasSubstr("max_per_minute is missing"));
  EXPECT_EQ(*RateFromJson(RateToJson(Growing())), Growing());
  EXPECT_EQ(RetriesFromJson({{"count", 11}}).code(), Code::kInvalidArgument);
  EXPECT_EQ(RetriesFromJson({{"count", 1}, {"backoff_ms", -1}}).code(), Code::kInvalidArgument);
  const Retries retries{3, 5'000};
  EXPECT_EQ(*RetriesFromJson(RetriesToJson(retries)), retries);
}

TEST(Rate, IsAPartOfAPlan) {
  const Json json = *ParseJson(R"({"rule":"all","stages":[{"kind":"full"}],
      "rate":{"per_minute":5},"retries":{"count":2,"backoff_ms":1000},
      "when":{"charging":true,"deadline_ms":9}})");
  const auto plan = PlanFromJson(json);
  ASSERT_TRUE(plan.ok()) << plan.status().ToString();
  EXPECT_EQ(plan->rate->per_minute, 5);
  EXPECT_EQ(plan->retries.count, 2);
  EXPECT_TRUE(plan->when.charging);
  const auto again = PlanFromJson(PlanToJson(*plan));
  EXPECT_EQ(again->rate, plan->rate);
  EXPECT_EQ(again->retries, plan->retries);
  EXPECT_EQ(again->when, plan->when);
  Json broken = json;
  broken["when"]["windows"] = 3;
  EXPECT_THAT(PlanFromJson(broken).status().message(), HasSubstr("when: "));
  broken = json;
  broken["rate"]["per_minute"] = 0;
  EXPECT_THAT(PlanFromJson(broken).status().message(), HasSubstr("rate: per_minute 0"));
}

}  // namespace
}  // namespace ferry::stage
