#include "cloud-server/rollout/rollout.h"
#include "cloud-server/rollout/trial/trial.h"
#include "common/base/log.h"

namespace ferry::server {

void Rollout::StartSimulation(const std::string& release) {
  if (options_.simulations == nullptr) {
    RunSimulation(release);
    return;
  }
  options_.simulations->Post([this, release] { RunSimulation(release); });
}

namespace {

// What is to be tried, as the rows say now.
Result<Trial> LoadTrial(Transaction& tx, const std::string& release) {
  FERRY_ASSIGN_OR_RETURN(const ReleaseRow row, tx.releases().Get(release));
  Trial trial;
  trial.package = row.package;
  trial.version = row.version;
  FERRY_ASSIGN_OR_RETURN(trial.running, RunningVersion(tx, row));
  FERRY_ASSIGN_OR_RETURN(trial.machines, MachinesOf(tx, row));
  FERRY_ASSIGN_OR_RETURN(const stage::Plan plan, PlanOf(row));
  for (const stage::Stage& stage : plan.stages)
    if (stage.kind == stage::Kind::kSimulation) trial.stage = stage;
  return trial;
}

}  // namespace

// An error on the way fails the gate too: what was not seen to work is not released.
void Rollout::RunSimulation(const std::string& release) {
  Trial trial;
  Status status = options_.store->Read([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(trial, LoadTrial(tx, release));
    return OkStatus();
  });
  command::SimulationResult result;
  if (!status.ok()) {
    result.text = status.ToString();
  } else if (options_.simulator == nullptr) {
    result.text = "this server has no simulator";
  } else {
    result = RunTrial(*options_.simulator, *options_.clock, trial);
  }
  LogInfo("rollout", "simulation of {}: {}: {}", release, result.passed ? "passed" : "failed",
          result.text);
  Result<ReleaseRow> done = Do(release, result);
  // A pause or a rollback may have come first: then nobody waits for the result.
  if (!done.ok()) LogWarn("rollout", "simulation of {}: {}", release, done.status().ToString());
}

}  // namespace ferry::server
