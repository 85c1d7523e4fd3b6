#include <algorithm>

#include "cloud-server/admin/interface/lists.h"
#include "cloud-server/admin/routes.h"
#include "cloud-server/admin/views.h"
#include "cloud-server/rollout/rollout.h"
#include "common/base/log.h"

namespace ferry::server {
namespace {

Result<Bytes> GetBase64(const Json& object, const char* key) {
  FERRY_ASSIGN_OR_RETURN(std::string text, GetString(object, key));
  return FromBase64(text).Context("{}", key);
}

Result<Publication> ReadPublication(const Json& body) {
  Publication publication;
  // An older server that gets targets in bins finds no "targets", and takes nothing for the whole.
  const char* top = body.contains("targets_above_bins") ? "targets_above_bins" : "targets";
  FERRY_ASSIGN_OR_RETURN(publication.targets, GetBase64(body, top));
  FERRY_ASSIGN_OR_RETURN(const Json* bins, GetObjectOrNull(body, "bins"));
  if (bins != nullptr) {
    for (const auto& [name, value] : bins->items()) {
      FERRY_ASSIGN_OR_RETURN(publication.bins[name], GetBase64(*bins, name.c_str()));
    }
  }
  FERRY_ASSIGN_OR_RETURN(std::string root, GetStringOr(body, "root", ""));
  FERRY_ASSIGN_OR_RETURN(publication.root, FromBase64(root).Context("root"));
  FERRY_ASSIGN_OR_RETURN(const Json* keys, GetArray(body, "keys"));
  for (size_t i = 0; i < keys->size(); ++i) {
    const Json& item = (*keys)[i];
    Publication::Key key;
    FERRY_ASSIGN_OR_RETURN(key.path, GetString(item, "path").Context("keys[{}]", i));
    FERRY_ASSIGN_OR_RETURN(key.wrapped.enc, GetBase64(item, "enc").Context("keys[{}]", i));
    FERRY_ASSIGN_OR_RETURN(key.wrapped.sealed, GetBase64(item, "sealed").Context("keys[{}]", i));
    publication.keys.push_back(std::move(key));
  }
  if (body.contains("absent")) {
    FERRY_ASSIGN_OR_RETURN(publication.absent, GetStrings(body, "absent"));
  }
  FERRY_ASSIGN_OR_RETURN(publication.force, GetBoolOr(body, "force", false));
  return publication;
}

Result<Json> Publish(const Call& call) {
  FERRY_ASSIGN_OR_RETURN(Publication publication, ReadPublication(call.body));
  FERRY_ASSIGN_OR_RETURN(std::vector<PackageRow> packages,
                         call.admin.registry->Publish(publication));
  FERRY_ASSIGN_OR_RETURN(MetadataRow targets, call.admin.registry->Metadata("targets", 0));
  // It is published whatever becomes of the wake-ups; devices poll as well.
  if (const Status woken = call.admin.rollout->OnPublished(); !woken.ok())
    LogWarn("admin", "waking devices after a publication: {}", woken.ToString());
  Json rows = Json::array();
  for (const PackageRow& package : packages) rows.push_back(PackageToJson(package));
  return Json{{"targets_version", targets.version}, {"packages", std::move(rows)}};
}

Result<Json> ListPackages(const Call& call) {
  FERRY_ASSIGN_OR_RETURN(const std::vector<trust::Withdrawal> withdrawn,
                         call.admin.registry->Withdrawn());
  // A version is named by both: the number of its row in that order is its key.
  static const list::Spec& spec = MakeListSpec({{"path", list::ColumnKind::kText},
                                                {"name", list::ColumnKind::kText},
                                                {"version", list::ColumnKind::kVersion},
                                                {"release_counter", list::ColumnKind::kNumber},
                                                {"plain_length", list::ColumnKind::kNumber},
                                                {"published_ms", list::ColumnKind::kNumber},
                                                {"licence", list::ColumnKind::kText},
                                                {"description", list::ColumnKind::kText},
                                                {"devices", list::ColumnKind::kNumber}},
                                               "path", "name,release_counter");
  FERRY_ASSIGN_OR_RETURN(fleet::RunningCounts devices, call.fleet.Running());
  std::vector<Json> rows;
  FERRY_TRY(call.admin.store->Read([&](Transaction& tx) -> Status {
    rows.clear();
    FERRY_ASSIGN_OR_RETURN(std::vector<PackageRow> packages, tx.packages().All());
    for (const PackageRow& package : packages) {
      const auto is_it = [&](const trust::Withdrawal& item) {
        return item.package == package.name && item.version == package.version;
      };
      if (std::any_of(withdrawn.begin(), withdrawn.end(), is_it)) continue;
      rows.push_back(PackageToJson(package));
      rows.back()["devices"] = devices[{package.name, package.version}];
      rows.back()["path"] = package.name + "/" + package.version;
    }
    return OkStatus();
  }));
  Json gone = Json::array();
  for (const trust::Withdrawal& item : withdrawn)
    gone.push_back({{"name", item.package},
                    {"version", item.version},
                    {"release_counter", item.release_counter},
                    {"reason", item.reason}});
  FERRY_ASSIGN_OR_RETURN(Json json, AnswerList(call, spec, "packages", rows));
  json["withdrawn"] = std::move(gone);
  return json;
}

// What the entry says of the repository that the package came from, if any.
void AddGit(const Json& entry, Json& package) {
  const auto custom = GetObject(entry, "custom");
  if (!custom.ok()) return;
  const auto git = GetObjectOrNull(**custom, "git");
  if (git.ok() && *git != nullptr) package["git"] = **git;
}

Result<Json> GetPackage(const Call& call) {
  Json json;
  FERRY_TRY(call.admin.store->Read([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(PackageRow package,
                           tx.packages().Get(call.arguments[0], call.arguments[1]));
    FERRY_ASSIGN_OR_RETURN(std::vector<ArtefactRow> artefacts,
                           tx.packages().Artefacts(package.name, package.version));
    json = PackageToJson(package);
    json["artefacts"] = Json::array();
    for (const ArtefactRow& row : artefacts) {
      json["artefacts"].push_back(ArtefactToJson(row));
      const Result<Json> entry = ParseJson(row.entry_json);
      if (row.kind == "full" && entry.ok()) AddGit(*entry, json);
    }
    return OkStatus();
  }));
  return json;
}

}  // namespace

void Add_packages(Routes& routes) {
  routes.Add("GET", "/api/v1/packages", ListPackages);
  routes.Add("POST", "/api/v1/packages", Publish);
  routes.Add("GET", "/api/v1/packages/{name}/{version}", GetPackage);
}

}  // namespace ferry::server
