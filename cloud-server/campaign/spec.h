// What an operator writes to start a campaign: several releases in order, from when to when, how
// fast and under which conditions. Pure.
#pragma once

#include <string>
#include <vector>

#include "cloud-server/rollout/new_release.h"
#include "common/base/json.h"
#include "common/base/status.h"

namespace ferry::server {

inline constexpr size_t kMaxCampaignReleases = 32;
inline constexpr size_t kMaxCampaignName = 64;
inline constexpr size_t kMaxCampaignBytes = 256 << 10;  // as JSON
inline constexpr size_t kMaxReasonBytes = 1000;

// When a release starts, seen from the one before it.
enum class After {
  kComplete,    // it is complete
  kFirstStage,  // it has left the first stage that reaches devices
};

// What becomes of the other releases when one stops.
enum class OnStop {
  kStop,         // those under way are paused, what is complete stays
  kRollbackAll,  // all go back
};

struct CampaignRelease {
  NewRelease release;
  After after = After::kComplete;
};

struct CampaignSpec {
  std::string name;
  int64_t start_ms = 0;     // Unix time; 0: at once
  int64_t deadline_ms = 0;  // from which on nothing is started, on devices neither; 0: none
  OnStop on_stop = OnStop::kStop;
  std::vector<CampaignRelease> releases;
};

// {"name":"autumn","start":"2026-12-01T02:00:00Z","deadline":"..","on_stop":"stop"|"rollback_all",
// "rate":{..},"retries":{..},"when":{..},"releases":[{"package","version","rule","stages","gate",
// "trusted_only","salt","again","after":"complete"|"first_stage","rate","retries","when"}]}.
// Rate, retries and when (policy/stage/plan.h) of the campaign are those of releases that say none
// of their own; its deadline is every release's. kMalformed, kBadRule, kInvalidArgument and
// kLimitExceeded name the member: "releases[1].rule: ..".
Result<CampaignSpec> SpecFromJson(const Json& json);
Result<CampaignSpec> SpecFromText(const std::string& text);

}  // namespace ferry::server
