// Releases in motion: loads rows, lets core decide, stores the changes in one transaction, wakes
// devices, runs simulations.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "cloud-server/bus/bus.h"
#include "cloud-server/core/apply.h"
#include "cloud-server/registry/registry.h"
#include "cloud-server/store/store.h"
#include "common/base/json_fwd.h"
#include "common/base/status.h"
#include "common/sys/clock.h"
#include "common/sys/executor.h"

namespace ferry::server {

class Simulator;
struct Effects;
struct NewRelease;

// Whom a plan would reach now.
struct Preview {
  std::string salt;  // of the percentages shown: a release reaches these devices only under it
  struct Stage {
    std::string name;
    std::string kind;
    std::vector<std::string> adds;  // devices that this stage is the first to take
  };
  std::vector<std::string> devices;  // all that the rule matches and some stage takes
  std::vector<Stage> stages;
  struct Outside {
    std::string device;
    std::string why;
  };
  std::vector<Outside> outside;
};

inline constexpr int64_t kTickMs = 500;
// Between two looks at the releases: a longer pause is a suspension, and a clock that went further
// from monotonic time was set. After both, as after a start, devices get time to speak.
inline constexpr int64_t kMaxTickGapMs = 30'000;
inline constexpr int64_t kMaxClockStepMs = 2'000;
inline constexpr int64_t kAssignmentLifeMs = 7 * int64_t{86'400'000};

// Any thread.
class Rollout {
 public:
  struct Options {
    std::string tenant = "default";  // whose devices releases and previews take
    Store* store = nullptr;          // borrowed, as all below
    Registry* registry = nullptr;
    Bus* bus = nullptr;
    sys::Clock* clock = nullptr;
    sys::Random* random = nullptr;
    const OnlineSecrets* secrets = nullptr;
    Simulator* simulator = nullptr;   // null: releases with a simulation stage fail there
    sys::Executor* ticker = nullptr;  // runs Tick every tick_ms; null: the caller does
    sys::Executor* simulations =
        nullptr;  // runs child processes; null: within the call that starts
    int64_t tick_ms = kTickMs;
  };
  explicit Rollout(const Options& options);
  ~Rollout();
  // Starts the ticker, and simulations that a stop of the server cut off.
  Status Start();

  // kNotFound (package version), kBadRule, kInvalidArgument; kFailedPrecondition while another
  // release of the package is under way, for a version below one that was released, and for one
  // that was taken back from devices, unless NewRelease.again.
  Result<ReleaseRow> Create(const NewRelease& release);
  // Start, Pause, Resume, Rollback of core. kNotFound, kFailedPrecondition.
  Result<ReleaseRow> Do(const std::string& release, const Command& command);
  // An empty salt is drawn as Create draws one; give Preview.salt to the release.
  Result<Preview> PreviewOf(const Json& plan, const std::string& salt);
  // Why a device has a release's package or not; `release` empty: the newest one.
  struct Answer {
    std::string release;
    Why why;
  };
  Result<Answer> WhyOf(const std::string& device, const std::string& release);

  // One report of a device: stored once by (device, seq), then decided on. True when it was new.
  // A report about a release that the device is no member of is stored and changes nothing.
  Result<bool> OnReport(const ReportRow& report);
  // A device joined or its profile changed: releases look at it at the next tick.
  void OnDeviceChanged(const std::string& device);
  // Everything that is due now. kIo and the like are logged by the ticker.
  Status Tick();

  // The assignment counter of a device, 0 when it never had one.
  Result<int64_t> Epoch(const std::string& device);
  // The director-signed assignment; empty when the device has seen `have_epoch` already.
  Result<Bytes> SignedAssignment(const std::string& device, int64_t have_epoch);

  // Grows with every stored change; Wait returns when it is above `seen`, or after `timeout_ms`.
  uint64_t change_count();
  uint64_t WaitForChange(uint64_t seen, int64_t timeout_ms);
  // Something outside of releases changed (a device, a package): wakes the waiting ones.
  void NoteChange();

 private:
  // Loads the release, applies the command, stores the changes.
  Status Change(const std::string& release, const Command& command, Effects* effects);
  void AfterCommit(const Effects& effects);
  void StartSimulation(const std::string& release);
  void RunSimulation(const std::string& release);
  void ScheduleTick();
  std::string DrawSalt();
  // Since when devices could have spoken without a break, looked at once a tick.
  int64_t HearingSince();

  Options options_;
  std::mutex mutex_;  // of the members below; never held while the store is called
  std::condition_variable changed_;
  uint64_t change_count_ = 1;
  bool stopping_ = false;
  int64_t hearing_since_ms_ = 0;     // 0: no tick yet
  int64_t last_tick_ms_ = 0;         // by the clock
  int64_t last_tick_steady_ms_ = 0;  // monotonic
  std::set<std::string> settled_;    // stopped releases whose open offers were taken back
  sys::Executor::TimerId timer_ = 0;
};

}  // namespace ferry::server
