// The inside of Agent, split over agent.cc (life), boot.cc (installed packages), events.cc (line,
// jobs, tunnel) and status.cc. For this room only.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "device-runtime/agent/agent.h"
#include "device-runtime/agent/parts.h"
#include "device-runtime/agent/pull/job.h"
#include "pipeline/tunnel/client.h"

namespace ferry::agent {

struct Agent::Impl {
  Impl(const AgentOptions& options, const AgentParts& parts, Identity identity, Journal journal,
       TrustStore trust);

  // boot.cc
  void Boot();
  void ReportDamages();
  // `current`, made whole again where it was damaged; what was done goes to `damages`.
  Result<std::optional<Current>> ReadCurrent(const std::string& package);
  void StartPackage(const std::string& package);
  void OnLoaded(const std::string& package, Current current,
                Result<std::shared_ptr<PackageRunner>> runner);
  void GoBack(const std::string& package, const Current& current, const Status& why);
  void Booted();
  // events.cc
  LinkEvents MakeLinkEvents();
  void OnReady(uint64_t epoch);
  void OnLost(const Status& why);
  void StartJob(bool by_push);
  void OnJobDone(const Status& status);
  void SchedulePoll();
  void SchedulePump();
  void Pump();
  void OnOutcome(const TaskOutcome& outcome);
  // status.cc
  Json StatusJson() const;

  AgentOptions options;
  AgentParts given;
  Identity identity;
  Journal journal;
  TrustStore trust;
  Slots slots;
  Tasks tasks;
  tunnel::Client tunnel;
  Link link;
  Parts parts;  // of the members above
  Backoff job_backoff;
  std::vector<std::string> damages;  // of the state directory, until Boot reports them
  std::unique_ptr<Job> job;
  bool again = false;  // a wake came while a job ran
  bool again_by_push = false;
  int booting = 0;  // packages that are still being loaded
  bool stopped = false;
  sys::Executor::TimerId poll_timer = 0;
  sys::Executor::TimerId pump_timer = 0;
  sys::Executor::TimerId retry_timer = 0;
  Alive alive;
};

}  // namespace ferry::agent
