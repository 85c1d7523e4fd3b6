#include <array>

#include "cloud-server/core/rows.h"
#include "common/base/check.h"
#include "common/base/status.h"

namespace ferry::server {
namespace {

struct StateName {
  ReleaseState state;
  std::string_view name;
};
constexpr std::array kStates = {
    StateName{ReleaseState::kDraft, "draft"},
    StateName{ReleaseState::kSimulating, "simulating"},
    StateName{ReleaseState::kBeta, "beta"},
    StateName{ReleaseState::kGray, "gray"},
    StateName{ReleaseState::kFull, "full"},
    StateName{ReleaseState::kComplete, "complete"},
    StateName{ReleaseState::kPaused, "paused"},
    StateName{ReleaseState::kRollingBack, "rolling_back"},
    StateName{ReleaseState::kRolledBack, "rolled_back"},
    StateName{ReleaseState::kStopped, "stopped"},
    StateName{ReleaseState::kFailedSimulation, "failed_simulation"},
    StateName{ReleaseState::kSuperseded, "superseded"},
    StateName{ReleaseState::kKilled, "killed"},
};
constexpr std::array<std::string_view, 4> kOutcomes = {"open", "healthy", "failed", "device_cause"};
constexpr std::array kDeviceCauses = {Code::kExpired, Code::kDiskFull, Code::kIo,
                                      Code::kUntrustedServer, Code::kClockSkew,
                                      // Its conditions did not hold before the deadline.
                                      Code::kDeadlineExceeded};

}  // namespace

std::string_view NameOf(ReleaseState state) {
  for (const StateName& row : kStates)
    if (row.state == state) return row.name;
  CHECK(false) << "state " << static_cast<int>(state);
}

Result<ReleaseState> ReleaseStateFromName(std::string_view name) {
  for (const StateName& row : kStates)
    if (row.name == name) return row.state;
  return Status::Of(Code::kMalformed, "no release state is called {}", name);
}

bool TakesDevices(ReleaseState state) {
  return state == ReleaseState::kBeta || state == ReleaseState::kGray ||
         state == ReleaseState::kFull || state == ReleaseState::kComplete;
}

bool IsCompared(ReleaseState state) {
  return state == ReleaseState::kPaused ||
         (TakesDevices(state) && state != ReleaseState::kComplete);
}

bool IsFinal(ReleaseState state) {
  return state == ReleaseState::kRolledBack || state == ReleaseState::kStopped ||
         state == ReleaseState::kFailedSimulation || state == ReleaseState::kSuperseded;
}

bool IsDeviceCause(int64_t error_code) {
  for (const Code code : kDeviceCauses)
    if (static_cast<int64_t>(code) == error_code) return true;
  return false;
}

std::string_view NameOf(Outcome outcome) {
  return kOutcomes[static_cast<size_t>(outcome)];
}

Result<Outcome> OutcomeFromName(std::string_view name) {
  for (size_t i = 0; i < kOutcomes.size(); ++i)
    if (kOutcomes[i] == name) return static_cast<Outcome>(i);
  return Status::Of(Code::kMalformed, "no outcome is called {}", name);
}

void Counts::Add(const Counts& more) {
  pending += more.pending;
  healthy += more.healthy;
  failed += more.failed;
  overdue += more.overdue;
  device_cause += more.device_cause;
  told_back += more.told_back;
  returned += more.returned;
  closed += more.closed;
  closed_failed += more.closed_failed;
  if (first_ms == 0 || (more.first_ms != 0 && more.first_ms < first_ms)) first_ms = more.first_ms;
}

bool Counts::counts_nobody() const {
  Counts nobody;
  nobody.first_ms = first_ms;
  return *this == nobody;
}

}  // namespace ferry::server
