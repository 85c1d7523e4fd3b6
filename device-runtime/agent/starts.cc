// Versions that end their process: starts are counted on the disk before a version runs, and the
// count is cleared when it ran well or long enough.
#include <algorithm>

#include "common/base/log.h"
#include "device-runtime/agent/agent_impl.h"

namespace ferry::agent {

std::string Agent::Impl::Suspect(const std::map<std::string, Current>& installed) {
  const Current* worst = nullptr;
  std::string name;
  for (const auto& [package, current] : installed) {
    if (current.trying || current.starts < kMaxStarts) continue;
    // All packages of a process count its deaths: the one that never ran well is to blame first,
    // then the one that came last.
    const bool worse = worst == nullptr || std::pair(!current.settled, current.switched_ms) >
                                               std::pair(!worst->settled, worst->switched_ms);
    if (!worse) continue;
    worst = &current;
    name = package;
  }
  return name;
}

void Agent::Impl::WriteStarts(const std::string& package, Current current, int64_t starts) {
  current.starts = starts;
  if (Status written = slots.Write(package, current); !written.ok()) {
    LogError("agent", "{}: {}", package, written.ToString());
  }
}

void Agent::Impl::Watch(const std::string& package, const std::string& version) {
  Watched& watched = watching[package];
  given.executor->Cancel(watched.timer);
  watched = Watched{version, true};
  watched.timer =
      given.executor->PostAfter(kSettleMs, alive.Guard([this, package] { Lived(package); }));
}

void Agent::Impl::WatchInstalled() {
  std::erase_if(watching, [this](const auto& item) {
    if (tasks.summaries().contains(item.first)) return false;
    given.executor->Cancel(item.second.timer);
    return true;
  });
  for (const auto& [package, summary] : tasks.summaries()) {
    const auto found = watching.find(package);
    if (found != watching.end() && found->second.version == summary.version) continue;
    Watch(package, summary.version);
  }
}

void Agent::Impl::CountBeforeEvents() {
  for (auto& [package, watched] : watching) {
    if (watched.had_event) continue;
    const auto current = slots.Read(package);
    if (!current.ok() || !*current) continue;
    if (!watched.counted) WriteStarts(package, **current, (*current)->starts + 1);
    Watch(package, watched.version);
    watched.had_event = true;
  }
}

void Agent::Impl::RanWell(const std::string& package) {
  const auto found = watching.find(package);
  if (found == watching.end() || !found->second.counted) return;
  if (++found->second.good_runs < kSettleRuns) return;
  auto current = slots.Read(package);
  if (!current.ok() || !*current) return;
  found->second.counted = false;
  (*current)->settled = true;
  WriteStarts(package, **current, 0);
}

void Agent::Impl::Lived(const std::string& package) {
  Watched& watched = watching[package];
  const auto current = slots.Read(package);
  if (!watched.counted || !current.ok() || !*current) return;
  watched.counted = false;
  // Idle time clears the start of this process only: it says nothing of a version that ends the
  // process when it runs.
  const int64_t starts = watched.had_event ? 0 : std::max<int64_t>(0, (*current)->starts - 1);
  WriteStarts(package, **current, starts);
}

void Agent::Impl::StopWatching() {
  for (auto& [package, watched] : watching) {
    given.executor->Cancel(watched.timer);
    const auto current = slots.Read(package);
    if (!watched.counted || !current.ok() || !*current) continue;
    WriteStarts(package, **current, std::max<int64_t>(0, (*current)->starts - 1));
    watched.counted = false;
  }
}

}  // namespace ferry::agent
