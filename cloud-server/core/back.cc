#include "cloud-server/core/tally.h"
#include "cloud-server/core/work.h"
#include "common/base/json.h"

namespace ferry::server {

// Members go back when they ask: LookAt sends each to what the releases below say.
void BeginRollback(Work& work, const std::string& kind, const std::string& why, Json numbers) {
  work.release.state = ReleaseState::kRollingBack;
  work.release.reason = why;
  work.look = true;
  work.taken_back = true;
  StageRow& stage = work.stages[static_cast<size_t>(work.release.stage)];
  if (stage.entered_ms != 0 && stage.left_ms == 0) stage.left_ms = work.now_ms;
  work.AddEvent(kind, why, std::move(numbers));
  const bool has_fallback = !work.release.fallback_version.empty() && work.rows.has_fallback;
  const std::string what = fmt::format("{} {}", work.release.package, work.release.version);
  work.AddEvent("rolling_back",
                has_fallback
                    ? fmt::format("every device that was offered {} goes back to what it had, at "
                                  "the latest to {}",
                                  what, work.release.fallback_version)
                    : fmt::format("no older version was signed as the fallback of {}: devices go "
                                  "back to nothing where nothing was, others keep it",
                                  what),
                {{"fallback", work.release.fallback_version},
                 {"devices", TotalOf(work.TalliesNow()).members()}});
}

void FinishRollback(Work& work) {
  if (work.rows.waits_for_devices) return;
  const Counts total = TotalOf(work.TalliesNow());
  const int64_t away = total.members() - total.returned;
  work.release.state = ReleaseState::kRolledBack;
  work.AddEvent("rolled_back",
                fmt::format("{} devices answered that they went back{}", total.returned,
                            away > 0 ? fmt::format("; {} are blocked or were not heard of: they go "
                                                   "back when they come",
                                                   away)
                                     : std::string()),
                {{"devices", total.returned}, {"away", away}});
}

}  // namespace ferry::server
