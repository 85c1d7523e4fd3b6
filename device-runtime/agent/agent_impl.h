// The inside of Agent, split over agent.cc (life), boot.cc (installed packages), events.cc (line,
// jobs, tunnel), measure.cc and status.cc. For this room only.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "common/base/json.h"
#include "device-runtime/agent/agent.h"
#include "device-runtime/agent/parts.h"
#include "device-runtime/agent/pull/job.h"
#include "device-runtime/agent/pull/reconciler.h"
#include "device-runtime/task/latency.h"
#include "device-runtime/task/outcome.h"
#include "pipeline/tunnel/client.h"

namespace ferry::agent {

struct Agent::Impl {
  Impl(const AgentOptions& options, const AgentParts& parts, Identity identity, Journal journal,
       TrustStore trust);

  // boot.cc
  void Boot();
  void ReportDamages();
  // Says in `report` that the file of `now` is damaged, if it is, and has it fetched again.
  void FetchDamaged(const std::string& package, const Installed& now, Report* report);
  // `current`, made whole again where it was damaged; what was done goes to `damages`.
  Result<std::optional<Current>> ReadCurrent(const std::string& package);
  void StartPackage(const std::string& package, Current current, bool suspect);
  void OnLoaded(const std::string& package, Current current,
                Result<std::shared_ptr<PackageRunner>> runner);
  void GoBack(const std::string& package, const Current& current, const Status& why);
  // The journal learns that a wish cannot be had: it is not tried again until it changes.
  void NoteFailed(const std::string& package, const Report& report);
  // A package that shall be there and is not: what is wanted is asked for again.
  void FindLost();
  void Booted();
  // starts.cc
  // The package to go back with for a process that died again and again; "" for none.
  static std::string Suspect(const std::map<std::string, Current>& installed);
  void WriteStarts(const std::string& package, Current current, int64_t starts);
  // A start of this version is counted on the disk; settles after kSettleMs.
  void Watch(const std::string& package, const std::string& version);
  // The versions that an install brought; those that run no more are let go.
  void WatchInstalled();
  void CountBeforeEvents();  // before the first event of a process reaches a version
  void RanWell(const std::string& package);
  void Lived(const std::string& package);
  void StopWatching();  // an orderly end takes the starts of this process back
  // events.cc
  LinkEvents MakeLinkEvents();
  Status OnUnknown();
  void OnReady(uint64_t epoch, uint64_t root_version);
  void OnLost(const Status& why);
  void NoteQuota(int64_t wait_ms);  // the server takes rows again after it
  void StartJob(bool by_push);
  void OnJobDone(const Status& status);
  void OnInstallEnded(const Reconciler::Ended& ended);
  void TryLater(const Status& why, Backoff& backoff);
  void WaitForRoom();
  void SchedulePoll();
  void PumpWithin(int64_t wait_ms);
  void SaveAgain();  // what a full disk did not take, once there is room
  void Pump();
  void OnOutcome(const TaskOutcome& outcome);
  void TellOnce(const TaskOutcome& result, TaskRecord* record);
  // have.cc
  Status TakeText(std::string_view text);
  void PullNow();
  // new_keys.cc
  void MakeNewKeys();    // and gives them to the server
  void TryOtherKeys();   // at the next login: the next ones, those of before, its own again
  void NoteKnownKeys();  // the login went well
  void UseKnownKeys(const DeviceKeys& keys);
  // erase.cc
  void OnAskErase(uint64_t request);
  void TellErased();
  void SendErased(const store::Erasure& last);
  // measure.cc
  void NoteRun(const std::string& package, const task::EventOutcome& outcome);
  void Measure(const std::string& package);
  struct Measuring;
  std::map<std::string, double> MetricsOf(const Measuring& now, const task::HostStats& stats) const;
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
  Backoff stale_backoff;     // of metadata that is too old
  Backoff room_backoff;      // of installs that a full disk stopped
  uint64_t room_needed = 0;  // that was not free; 0: it was, and yet the disk was full
  int64_t save_try_ns = 0;   // when the state is written again after a failure
  int64_t room_try_ns = 0;   // when an install is tried again without room
  struct Watched {
    std::string version;
    bool counted = false;  // `starts` on the disk has this process in it
    bool had_event = false;
    int good_runs = 0;
    sys::Executor::TimerId timer = 0;
  };
  std::map<std::string, Watched> watching;  // by package
  // What one measurement is about: the runs of a version since the last one, or since the first run
  // that was for this release.
  struct Measuring {
    std::string version;
    std::string release;  // that is told
    bool begun = false;
    Json before;  // the script's metrics when it began
    int64_t runs = 0;
    int64_t errors = 0;
    task::Latencies latencies{task::kLatencySamples};  // of runs that ended well
    TaskUse told;  // to the server, of what the runner of this version counted
    sys::Executor::TimerId timer = 0;
  };
  std::map<std::string, Measuring> measuring;  // by package
  std::vector<std::string> damages;            // of the state directory, until Boot reports them
  std::unique_ptr<Job> job;
  Reconciler reconciler;
  std::optional<DeviceKeys> own_keys;  // while others are tried in their place
  size_t tried_keys = 0;
  bool telling_erased = false;  // its answer is waited for
  bool again = false;           // a wake came while a job ran
  bool again_by_push = false;
  bool pull_at_line = false;  // a text of the app said so, and there was no line
  int64_t take_from_ns = 0;   // the next pull of a text begins then at the earliest
  int booting = 0;            // packages that are still being loaded
  bool stopped = false;
  sys::Executor::TimerId poll_timer = 0;
  sys::Executor::TimerId pump_timer = 0;
  int64_t pump_due_ns = INT64_MAX;        // of the timer; INT64_MAX: none waits
  sys::Executor::TimerId take_timer = 0;  // 0: no text waits for its pull
  sys::Executor::TimerId retry_timer = 0;
  sys::Executor::TimerId room_timer = 0;
  Alive alive;
};

}  // namespace ferry::agent
