// A small device stands for an agent: given the same releases, both say the same.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "common/base/json.h"
#include "common/base/log.h"
#include "tools/fleetsim/agents/agents.h"
#include "tools/fleetsim/sim.h"
#include "tools/fleetsim/small/fleet.h"
#include "tools/fleetsim/world/backend.h"

namespace ferry::fleetsim {
namespace {

// By release: what devices said of it, one text for each way that it went.
using Stories = std::map<std::string, std::set<std::string>>;

void AddStories(Sim& sim, const std::string& device, Stories* stories) {
  std::vector<server::ReportRow> rows;
  ASSERT_TRUE(sim.backend()
                  .store
                  ->Read([&](server::Transaction& tx) -> Status {
                    FERRY_ASSIGN_OR_RETURN(rows, tx.reports().OfDevice(device, 10'000));
                    return OkStatus();
                  })
                  .ok());
  std::sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.seq < b.seq; });
  std::map<std::string, std::string> of;
  for (const server::ReportRow& row : rows) {
    if (row.step == "measured") continue;  // by what the machine measures
    of[row.release] += fmt::format("{} {} {} from {} push {} error {}; ", row.step, row.package,
                                   row.version, row.previous_version, row.by_push, row.error_code);
  }
  for (const auto& [release, story] : of) (*stories)[release].insert(story);
}

struct Case {
  const char* name;
  bool push;
  double fails;
  Act::Kind act;
  bool acts;
};

class AlikeTest : public testing::TestWithParam<Case> {};

TEST_P(AlikeTest, ASmallDeviceSaysWhatAnAgentSays) {
  SetLogLevel(LogLevel::kOff);
  Options options;
  options.faults = FaultLevel::kNone;
  Scenario& scenario = options.scenario;
  scenario.devices = 24;
  scenario.agents = 12;
  scenario.hours = 30;
  Profile profile;
  profile.share = 1;
  profile.push = GetParam().push;
  profile.poll_minutes = 30;
  scenario.profiles = {profile};
  ReleasePlan first;
  first.version = "1.0.0";
  first.at_ms = 5 * kMinuteMs;
  first.plan = {{"stages", {{{"kind", "full"}, {"min_healthy_ms", 3'600'000}}}}};
  ReleasePlan second = first;
  second.version = "2.0.0";
  second.fallback = "1.0.0";
  second.at_ms = 4 * kHourMs;
  if (GetParam().acts) second.acts = {{6 * kHourMs, GetParam().act}};
  scenario.releases = {first, second};
  scenario.truths = {{"2.0.0", "all", GetParam().fails, 0, 60'000, 0}};
  Sim sim(options);
  ASSERT_TRUE(sim.Run().ok());
  const Outcome outcome = sim.TakeOutcome();
  EXPECT_TRUE(outcome.violations.empty()) << OutcomeToText(outcome);
  Stories small, whole;
  for (int64_t d = 0; d < sim.small().size(); ++d) AddStories(sim, sim.small().IdOf(d), &small);
  for (const auto& agent : sim.agents().all()) AddStories(sim, agent->id(), &whole);
  EXPECT_EQ(whole.size(), 2u);
  EXPECT_EQ(small, whole);
  if (GetParam().acts) return;
  for (const ReleaseOutcome& release : outcome.releases) {
    EXPECT_EQ(release.pulled, scenario.devices) << release.version;
    EXPECT_EQ(release.confirmed, scenario.devices) << release.version;
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, AlikeTest,
    testing::Values(Case{"PollsGood", false, 0, {}, false}, Case{"PushGood", true, 0, {}, false},
                    Case{"PollsTakenBack", false, 0, Act::Kind::kRollback, true},
                    Case{"PushTakenBack", true, 0, Act::Kind::kRollback, true},
                    Case{"PushKilled", true, 0, Act::Kind::kKill, true}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace ferry::fleetsim
