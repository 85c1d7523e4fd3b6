// A device as the mass of the fleet has it: at most 256 bytes that stand for what an agent keeps on
// its disk and in memory. Keys and truths are derived from its number, see fleet.h.
#pragma once

#include <array>
#include <cstdint>
#include <type_traits>

#include "tools/fleetsim/sim.h"

namespace ferry::fleetsim {

// Steps of reports, as in wire.proto.
enum class Step : uint8_t {
  kNone,
  kWoken,
  kPulled,
  kVerified,
  kInstalled,
  kProbed,
  kConfirmed,
  kFailed,
  kRolledBack,
  kTaskFailed,
  kHealthy,
  kMeasured,
  kObserving,
};
const char* NameOf(Step step);

// A report that is not acknowledged yet.
struct WaitingReport {
  uint32_t seq = 0;
  Step step = Step::kNone;
  uint8_t version = kNoVersion;
  uint8_t release = kNoRelease;
  uint8_t previous = kNoVersion;
  int16_t error = 0;
  bool by_push = false;
  bool epoch_before = false;  // of the document before the last one
};
inline constexpr size_t kMaxWaiting = 10;

// What a device does next, beside its polls.
enum class Work : uint8_t { kNone, kAnswer, kPull, kRun, kMeasure };

struct Small {
  int64_t next_ms = INT64_MAX;  // the earlier one of the next two
  int64_t poll_ms = INT64_MAX;
  int64_t work_ms = INT64_MAX;
  int64_t run_ms = INT64_MAX;  // when the task of what runs has its first event
  int64_t finished_epoch = 0;  // carried out, well or badly
  int64_t seen_counter = 0;    // the highest that it believed
  int64_t epoch = 0;           // of the document that it works off
  int64_t epoch_before = 0;
  int64_t clock_ms = 0;  // its clock is off by this
  int64_t disk_full_until_ms = 0;
  uint32_t seq = 0;  // of its last report
  uint32_t acked = 0;
  uint32_t sent = 0;     // over this line
  int32_t attempt = -1;  // of the wish that is settled
  uint16_t profile = 0;
  int16_t reported_error = 0;  // of the wish that it tries again
  uint16_t dropped = 0;        // reports that the full journal let go
  Work work = Work::kNone;
  uint8_t line = 0;   // number of the line, modulo 256
  uint8_t tries = 0;  // in vain, one after another
  // What lies in the slots: `running` is what the name "current" leads to.
  uint8_t running = kNoVersion;
  uint8_t spare = kNoVersion;
  uint8_t spare_release = kNoRelease;  // under which the spare one ran
  uint8_t before = kNoVersion;         // what ran when the wish came
  uint8_t highest = kNoVersion;        // that ever ran
  uint8_t run_release = kNoRelease;    // that brought what runs, or that it stands under
  uint8_t told = kNoRelease;           // release of the wish that is settled
  uint8_t wish_version = kNoVersion, wish_release = kNoRelease;
  uint8_t observed = kNoRelease;
  uint8_t waiting = 0;        // reports in use
  bool running_lost = false;  // its content did not survive a power cut
  bool spare_synced = false;
  bool wish_back = false, wish_absent = false, wish_disabled = false;
  bool disabled = false;
  bool settled_back = false, settled_failed = false;
  bool woken = false;        // the next poll follows a wake-up
  bool line_broken = false;  // nothing more goes over it until the next contact
  bool silent = false;       // it fell silent
  bool told_healthy = false, told_failed = false, measured = false;
  bool told_observed = false;
  bool pull_stale = false, pull_corrupt = false;
  std::array<WaitingReport, kMaxWaiting> reports{};
};
static_assert(sizeof(Small) <= 256);
static_assert(std::is_trivially_copyable_v<Small>);

}  // namespace ferry::fleetsim
