#include <set>

#include "common/base/json.h"
#include "device-runtime/agent/agent_impl.h"
#include "device-runtime/task/outcome.h"
#include "device-runtime/task/task_set.h"

namespace ferry::agent {
namespace {

Json NamesOfPersonal(const Slots& slots) {
  std::set<std::string> files;
  for (const std::string& package : slots.Packages().value_or({})) {
    const auto current = slots.Read(package);
    if (!current.ok() || !*current) continue;
    const std::string directory = slots.PersonalDirectory(package, (*current)->personal);
    for (const std::string& name : slots.FilesIn(directory)) files.insert(package + "/" + name);
  }
  return files;
}

// Of installed packages, and those that lie where the first release put them.
Json ExclusiveFiles(sys::FileSystem& fs, const std::string& directory, const Slots& slots) {
  std::set<std::string> files;
  const std::string root = sys::JoinPath(directory, "exclusive");
  for (const std::string& package : fs.List(root).value_or({}))
    for (const std::string& name : slots.FilesIn(sys::JoinPath(root, package)))
      files.insert(package + "/" + name);
  for (const std::string& package : slots.Packages().value_or({})) {
    const auto current = slots.Read(package);
    if (!current.ok() || !*current) continue;
    for (const std::string& name : slots.FilesIn(slots.FilesDirectory(package, (*current)->now)))
      files.insert(package + "/" + name);
  }
  return files;
}

// `now`: what it counts now; a task whose streams run no function has no last run to tell of.
Json PackageStatus(const Tasks::Summary& summary, const Journal& journal,
                   const std::string& package, const std::optional<task::HostStats>& now) {
  task::HostStats stats = summary.stats != nullptr ? *summary.stats : task::HostStats();
  if (now) stats.streams = now->streams;
  return {
      {"version", summary.version},
      {"release", summary.release},
      {"timeline", journal.VersionsOf(package)},
      {"inferences", summary.inferences},
      {"task_errors", summary.task_errors},
      {"streams", task::StreamsToJson(stats.streams)},
      {"latency_us", {{"p50", stats.p50_latency_ns / 1000}, {"p99", stats.p99_latency_ns / 1000}}}};
}

}  // namespace

Json Agent::Impl::StatusJson() const {
  Json packages = Json::object();
  for (const auto& [package, summary] : tasks.summaries()) {
    Json one = PackageStatus(summary, journal, package, tasks.StatsNow(package));
    const auto current = slots.Read(package);
    if (current.ok() && *current) one["slot"] = (*current)->now.slot;
    one["disabled"] = false;
    packages[package] = std::move(one);
  }
  for (const std::string& package : slots.Packages().value_or({})) {
    const auto current = slots.Read(package);
    if (!current.ok() || !*current || !(*current)->disabled) continue;
    const Installed& now = (*current)->now;
    packages[package] =
        PackageStatus({now.running.version, now.release}, journal, package, std::nullopt);
    packages[package]["slot"] = now.slot;
    packages[package]["disabled"] = true;
  }
  const task::TaskSet::EventStats events = given.tasks->event_stats();
  const store::OutboxStats queue = given.outbox->stats();
  Json status = {{"device_id", identity.device_id},
                 {"tenant", identity.join.tenant},
                 {"mode", link.ready()        ? "connected"
                          : identity.enrolled ? "local_only"
                                              : "enrolling"},
                 {"push", options.push},
                 {"packages", std::move(packages)},
                 {"events",
                  {{"sent", events.sent},
                   {"waiting", events.waiting},
                   {"waiting_bytes", events.waiting_bytes},
                   {"future", events.future}}},
                 {"exclusive", ExclusiveFiles(*given.fs, options.directory, slots)},
                 {"personal", NamesOfPersonal(slots)},
                 {"outbox",
                  {{"queued", queue.waiting},
                   {"bytes", queue.waiting_bytes},
                   {"sent", queue.acked_seq},
                   {"refused", queue.refused},
                   {"withheld", queue.withheld},
                   {"wait_ms", tunnel.WaitMs(given.clock->MonotonicNs() / 1'000'000)}}}};
  status["consent"] = queue.consent;
  status["erasure"] = store::ErasureToJson(given.outbox->last_erasure());
  const auto ahead_ms = link.clock_ahead_ms();
  status["clock_ahead_ms"] = ahead_ms ? Json(*ahead_ms) : Json();
  journal.AddTo(&status);
  for (const auto& [package, why] : reconciler.held()) {
    Json& rows = status["desired"]["packages"];
    if (rows.contains(package)) rows[package]["waiting"] = why;
  }
  return status;
}

}  // namespace ferry::agent
