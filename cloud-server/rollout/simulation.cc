#include "cloud-server/rollout/rollout.h"
#include "cloud-server/rollout/simulator.h"
#include "common/base/log.h"

namespace ferry::server {

void Rollout::StartSimulation(const std::string& release) {
  if (options_.simulations == nullptr) {
    RunSimulation(release);
    return;
  }
  options_.simulations->Post([this, release] { RunSimulation(release); });
}

// An error of the run itself fails the gate too: what was not seen to work is not released.
void Rollout::RunSimulation(const std::string& release) {
  ReleaseRow row;
  Status status = options_.store->Read([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(row, tx.releases().Get(release));
    return OkStatus();
  });
  if (!status.ok()) {
    LogError("rollout", "simulation of {}: {}", release, status.ToString());
    return;
  }
  command::SimulationResult result;
  if (options_.simulator == nullptr) {
    result.text = "this server has no simulator";
  } else {
    Result<SimulationOutcome> outcome = options_.simulator->Run(row.package, row.version);
    result.passed = outcome.ok() && outcome->passed;
    result.text = outcome.ok() ? outcome->text : outcome.status().ToString();
    if (outcome.ok()) result.numbers_json = outcome->numbers_json;
  }
  LogInfo("rollout", "simulation of {}: {}: {}", release, result.passed ? "passed" : "failed",
          result.text);
  Result<ReleaseRow> done = Do(release, result);
  // A pause or a rollback may have come first: then nobody waits for the result.
  if (!done.ok()) LogWarn("rollout", "simulation of {}: {}", release, done.status().ToString());
}

}  // namespace ferry::server
