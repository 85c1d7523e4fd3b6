#include "common/base/json.h"
#include "device-runtime/agent/agent_impl.h"
#include "device-runtime/task/outcome.h"

namespace ferry::agent {
namespace {

Json ExclusiveFiles(sys::FileSystem& fs, const std::string& directory) {
  Json files = Json::array();
  const std::string root = sys::JoinPath(directory, "exclusive");
  for (const std::string& package : fs.List(root).value_or({})) {
    for (const std::string& name : fs.List(sys::JoinPath(root, package)).value_or({})) {
      if (name.front() != '.') files.push_back(package + "/" + name);
    }
  }
  return files;
}

Json PackageStatus(const Tasks::Summary& summary, const Journal& journal,
                   const std::string& package) {
  const task::HostStats none;
  const task::HostStats& stats = summary.stats != nullptr ? *summary.stats : none;
  return {
      {"version", summary.version},
      {"release", summary.release},
      {"timeline", journal.VersionsOf(package)},
      {"inferences", summary.inferences},
      {"task_errors", summary.task_errors},
      {"latency_us", {{"p50", stats.p50_latency_ns / 1000}, {"p99", stats.p99_latency_ns / 1000}}}};
}

}  // namespace

Json Agent::Impl::StatusJson() const {
  Json packages = Json::object();
  for (const auto& [package, summary] : tasks.summaries()) {
    Json one = PackageStatus(summary, journal, package);
    const auto current = slots.Read(package);
    if (current.ok() && *current) one["slot"] = (*current)->now.slot;
    packages[package] = std::move(one);
  }
  const store::OutboxStats queue = given.outbox->stats();
  Json status = {
      {"device_id", identity.device_id},
      {"tenant", identity.join.tenant},
      {"mode", link.ready()        ? "connected"
               : identity.enrolled ? "local_only"
                                   : "enrolling"},
      {"push", options.push},
      {"packages", std::move(packages)},
      {"exclusive", ExclusiveFiles(*given.fs, options.directory)},
      {"outbox",
       {{"queued", queue.waiting}, {"sent", queue.acked_seq}, {"refused", queue.refused}}}};
  journal.AddTo(&status);
  return status;
}

}  // namespace ferry::agent
