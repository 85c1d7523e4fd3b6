// Tasks that were made of git repositories: what is published of each, and what became of it.
#include <algorithm>
#include <map>

#include "cloud-server/admin/routes.h"
#include "cloud-server/core/tally.h"

namespace ferry::server {
namespace {

// The newest first.
bool IsNewer(const Json& a, const Json& b) {
  return a["release_counter"].get<int64_t>() > b["release_counter"].get<int64_t>();
}

Result<Json> ListTasks(const Call& call) {
  FERRY_ASSIGN_OR_RETURN(const trust::Targets targets, call.admin.registry->Signed());
  std::map<std::string, std::map<std::string, std::vector<Json>>> scenarios;
  for (const auto& [path, entry] : targets.entries) {
    if (!entry.git) continue;
    scenarios[entry.git->scenario][entry.git->task].push_back(
        {{"version", entry.version},
         {"release_counter", entry.release_counter},
         {"tag", entry.git->tag},
         {"commit", entry.git->commit}});
  }
  Json list = Json::array();
  for (auto& [scenario, found] : scenarios) {
    Json tasks = Json::array();
    for (auto& [task, versions] : found) {
      std::sort(versions.begin(), versions.end(), IsNewer);
      tasks.push_back({{"task", task}, {"versions", std::move(versions)}});
    }
    list.push_back({{"scenario", scenario}, {"tasks", std::move(tasks)}});
  }
  return Json{{"scenarios", std::move(list)}};
}

// The versions of one package, as signed and as withdrawn.
std::vector<Json> VersionsOf(const trust::Targets& targets, const std::string& package) {
  std::vector<Json> rows;
  for (const auto& [path, entry] : targets.entries) {
    if (entry.package != package || entry.kind != trust::ArtefactKind::kFull) continue;
    Json& row = rows.emplace_back(
        Json{{"version", entry.version}, {"release_counter", entry.release_counter}});
    row["git"] = entry.git ? trust::GitOriginToJson(*entry.git) : Json();
  }
  for (const auto& [path, item] : targets.withdrawn) {
    if (item.package != package) continue;
    rows.push_back({{"version", item.version},
                    {"release_counter", item.release_counter},
                    {"git", nullptr},
                    {"withdrawn", item.reason}});
  }
  std::sort(rows.begin(), rows.end(), IsNewer);
  return rows;
}

// The releases of one package by version, the newest first.
Result<std::map<std::string, Json>> ReleasesOf(Transaction& tx, const std::string& package) {
  std::map<std::string, Json> out;
  FERRY_ASSIGN_OR_RETURN(const std::vector<ReleaseRow> releases, tx.releases().All());
  for (const ReleaseRow& release : releases) {
    if (release.package != package) continue;
    FERRY_ASSIGN_OR_RETURN(const Tallies tallies, tx.releases().TalliesOf(release.id));
    const Counts counts = TotalOf(tallies);
    out.try_emplace(release.version, Json::array())
        .first->second.push_back({{"id", release.id},
                                  {"state", NameOf(release.state)},
                                  {"created_ms", release.created_ms},
                                  {"devices", counts.members()},
                                  {"confirmed", counts.healthy},
                                  {"failed", counts.failed},
                                  {"back", counts.told_back}});
  }
  return out;
}

Result<Json> TaskLog(const Call& call) {
  const std::string& package = call.arguments[0];
  FERRY_ASSIGN_OR_RETURN(const trust::Targets targets, call.admin.registry->Signed());
  std::vector<Json> rows = VersionsOf(targets, package);
  if (rows.empty()) return Status::Of(Code::kNotFound, "package {} was never published", package);
  const bool more = rows.size() > kMaxPageRows;
  if (more) rows.resize(kMaxPageRows);
  FERRY_TRY(call.admin.store->Read([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(auto releases, ReleasesOf(tx, package));
    for (Json& row : rows) {
      const auto version = row["version"].get<std::string>();
      const auto stored = tx.packages().Get(package, version);
      if (!stored.ok() && stored.code() != Code::kNotFound) return stored.status();
      row["published_ms"] = stored.ok() ? Json(stored->published_ms) : Json();
      const auto found = releases.find(version);
      row["releases"] = found == releases.end() ? Json::array() : std::move(found->second);
    }
    return OkStatus();
  }));
  return Json{{"package", package}, {"log", std::move(rows)}, {"more", more}};
}

}  // namespace

void Add_tasks(Routes& routes) {
  routes.Add("GET", "/api/v1/tasks", ListTasks);
  routes.Add("GET", "/api/v1/tasks/{package}/log", TaskLog);
}

}  // namespace ferry::server
