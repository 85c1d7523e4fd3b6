// What goes wrong between whole agents and the server: they come through it.
#include <gtest/gtest.h>

#include "common/base/log.h"
#include "tools/fleetsim/sim.h"
#include "tools/fleetsim/world/backend.h"

namespace ferry::fleetsim {
namespace {

constexpr int64_t kAgents = 12;

struct FaultyLine : testing::Test {
  // A fleet of nothing but agents, and one release to all.
  FaultyLine() {
    SetLogLevel(LogLevel::kOff);
    options.faults = FaultLevel::kNone;
    options.scenario = DefaultScenario();
    options.scenario.devices = options.scenario.agents = kAgents;
    options.scenario.hours = 60;
    options.scenario.faults_end_hours = 40;
    options.scenario.releases.resize(1);
  }
  // Of the agents' reports about the release, those whose text says `text`.
  static int64_t Said(Sim& sim, const std::string& text) {
    int64_t count = 0;
    const Status read = sim.backend().store->Read([&](server::Transaction& tx) -> Status {
      FERRY_ASSIGN_OR_RETURN(const std::vector<server::ReportRow> rows,
                             tx.reports().OfRelease(sim.releases().front().id, 1'000));
      for (const server::ReportRow& row : rows)
        count += row.error_text.find(text) != std::string::npos ? 1 : 0;
      return OkStatus();
    });
    EXPECT_TRUE(read.ok()) << read.ToString();
    return count;
  }
  static void AllConfirmed(Sim& sim) {
    const Outcome outcome = sim.TakeOutcome();
    EXPECT_TRUE(outcome.violations.empty()) << OutcomeToText(outcome);
    EXPECT_EQ(outcome.releases.front().confirmed, kAgents);
    EXPECT_EQ(outcome.releases.front().failed, 0);
  }
  Options options;
};

TEST_F(FaultyLine, AMirrorThatGivesOtherBytesIsNamedAndPassedOver) {
  for (const char* fault : {"stale_content", "corrupt_content"}) {
    SCOPED_TRACE(fault);
    options.scenario.faults = {{fault, 1.0}};
    Sim sim(options);
    ASSERT_TRUE(sim.Run().ok());
    // Until the release is over: with it the faults end.
    const int64_t struck = sim.outcome().faults[fault];
    EXPECT_GT(struck, 2);
    EXPECT_EQ(Said(sim, "mirror https://mirror gave wrong bytes"), struck);
    AllConfirmed(sim);
  }
}

TEST_F(FaultyLine, MessagesThatAreLostOrLateComeInTheEnd) {
  options.scenario.faults = {{"loss", 0.2}, {"delay", 0.3}};
  Sim sim(options);
  ASSERT_TRUE(sim.Run().ok());
  EXPECT_GT(sim.outcome().faults["loss"], kAgents);
  EXPECT_GT(sim.outcome().faults["delay"], kAgents);
  AllConfirmed(sim);
}

}  // namespace
}  // namespace ferry::fleetsim
