// Files for single devices that are added after publication.
#include <algorithm>

#include "cloud-server/admin/rights/rights.h"
#include "cloud-server/admin/routes.h"
#include "cloud-server/rollout/rollout.h"

namespace ferry::server {
namespace {

constexpr size_t kMaxPersonalChange = 500;  // files in one call
constexpr int64_t kDefaultPersonalPage = 500;

Result<Json> PersonalToJson(const PersonalRow& row) {
  FERRY_ASSIGN_OR_RETURN(const Json json, ParseJson(row.entry_json));
  FERRY_ASSIGN_OR_RETURN(const trust::TargetEntry entry, trust::TargetEntryFromJson(json));
  return Json{{"device", row.device},
              {"package", row.package},
              {"name", row.name},
              {"length", entry.plain_length},
              {"sha256", ToHex(entry.plain_sha256)},
              {"added_ms", row.added_ms},
              {"added_by", row.added_by}};
}

Result<PersonalFile> FileFromJson(const Json& object, const std::string& package) {
  PersonalFile file;
  FERRY_ASSIGN_OR_RETURN(file.device, GetString(object, "device"));
  FERRY_ASSIGN_OR_RETURN(file.name, GetString(object, "name"));
  FERRY_ASSIGN_OR_RETURN(const Json* entry, GetObject(object, "entry"));
  FERRY_ASSIGN_OR_RETURN(file.entry, trust::TargetEntryFromJson(*entry).Context("entry"));
  trust::TargetEntry bare = trust::PersonalEntry(package);
  bare.length = file.entry.length;
  bare.sha256 = file.entry.sha256;
  bare.plain_length = file.entry.plain_length;
  bare.plain_sha256 = file.entry.plain_sha256;
  if (!(bare == file.entry))
    return Status::Of(Code::kInvalidArgument, "{}: its entry is no personal file of {}", file.name,
                      package);
  FERRY_ASSIGN_OR_RETURN(const std::string enc, GetString(object, "enc"));
  FERRY_ASSIGN_OR_RETURN(const std::string sealed, GetString(object, "sealed"));
  FERRY_ASSIGN_OR_RETURN(file.wrapped.enc, FromBase64(enc).Context("enc"));
  FERRY_ASSIGN_OR_RETURN(file.wrapped.sealed, FromBase64(sealed).Context("sealed"));
  return file;
}

Result<PersonalChange> ChangeFromJson(const Call& call) {
  PersonalChange change;
  change.by = call.by;
  FERRY_ASSIGN_OR_RETURN(change.package, GetString(call.body, "package"));
  if (!trust::IsName(change.package))
    return Status::Of(Code::kInvalidArgument, "\"{:.200}\" is no name of a package",
                      change.package);
  FERRY_ASSIGN_OR_RETURN(const Json* put, GetArrayOrNull(call.body, "put"));
  FERRY_ASSIGN_OR_RETURN(const Json* remove, GetArrayOrNull(call.body, "remove"));
  const size_t files =
      (put == nullptr ? 0 : put->size()) + (remove == nullptr ? 0 : remove->size());
  if (files == 0 || files > kMaxPersonalChange)
    return Status::Of(Code::kInvalidArgument, "put and remove have {} files, wanted 1 to {}", files,
                      kMaxPersonalChange);
  for (size_t i = 0; put != nullptr && i < put->size(); ++i) {
    FERRY_ASSIGN_OR_RETURN(PersonalFile file, FileFromJson((*put)[i], change.package));
    change.put.push_back(std::move(file));
  }
  for (size_t i = 0; remove != nullptr && i < remove->size(); ++i) {
    FERRY_ASSIGN_OR_RETURN(std::string device, GetString((*remove)[i], "device"));
    FERRY_ASSIGN_OR_RETURN(std::string name, GetString((*remove)[i], "name"));
    change.remove.emplace_back(std::move(device), std::move(name));
  }
  return change;
}

// Each device must be within the caller's groups, where it is limited to some.
Status CheckDevices(const Call& call, const PersonalChange& change) {
  if (!call.who.groups) return OkStatus();
  std::vector<std::string> devices;
  for (const PersonalFile& file : change.put) devices.push_back(file.device);
  for (const auto& [device, name] : change.remove) devices.push_back(device);
  return call.admin.store->Read([&](Transaction& tx) -> Status {
    for (const std::string& id : devices) {
      FERRY_ASSIGN_OR_RETURN(const DeviceRow device, tx.devices().Get(id));
      const auto& tags = device.operator_tags;
      const bool within = std::any_of(tags.begin(), tags.end(), [&](const std::string& tag) {
        return IsWithin(tag, *call.who.groups);
      });
      if (!within)
        return Status::Of(Code::kPermissionDenied, "device \"{}\" is not in the scope of {}", id,
                          call.who.account);
    }
    return OkStatus();
  });
}

Result<Json> ChangePersonal(const Call& call) {
  FERRY_ASSIGN_OR_RETURN(const PersonalChange change, ChangeFromJson(call));
  FERRY_TRY(CheckDevices(call, change));
  FERRY_ASSIGN_OR_RETURN(const Registry::PersonalChanged done,
                         call.admin.registry->ChangePersonal(change));
  for (const std::string& device : done.devices) call.admin.rollout->OnDeviceChanged(device);
  return Json{{"put", done.put}, {"removed", done.removed}, {"devices", done.devices.size()}};
}

// Those of one device, or of a package over all devices.
Result<Json> ListPersonal(const Call& call) {
  FERRY_ASSIGN_OR_RETURN(int64_t limit, call.QueryInt("limit", kDefaultPersonalPage));
  limit = std::clamp<int64_t>(limit, 1, static_cast<int64_t>(kMaxPageRows));
  const std::string package = call.Query("package"), device = call.Query("device");
  if (package.empty() && device.empty())
    return Status(Code::kInvalidArgument, "a package or a device must be named");
  const std::string after = call.Query("after");  // "DEVICE/NAME"
  const size_t slash = after.find('/');
  std::vector<PersonalRow> rows;
  FERRY_TRY(call.admin.store->Read([&](Transaction& tx) -> Status {
    if (device.empty()) {
      const std::string name = slash == std::string::npos ? "" : after.substr(slash + 1);
      FERRY_ASSIGN_OR_RETURN(rows, tx.personal().OfPackage(package, after.substr(0, slash), name,
                                                           static_cast<size_t>(limit)));
      return OkStatus();
    }
    FERRY_TRY(AsStatus(tx.devices().Get(device)));
    FERRY_ASSIGN_OR_RETURN(rows, tx.personal().OfDevice(device));
    std::erase_if(
        rows, [&](const PersonalRow& row) { return !package.empty() && row.package != package; });
    return OkStatus();
  }));
  Json files = Json::array();
  for (const PersonalRow& row : rows) {
    FERRY_ASSIGN_OR_RETURN(Json file, PersonalToJson(row));
    files.push_back(std::move(file));
  }
  const bool more = device.empty() && rows.size() == static_cast<size_t>(limit);
  return Json{{"files", std::move(files)},
              {"next", more ? Json(rows.back().device + "/" + rows.back().name) : Json()}};
}

}  // namespace

void Add_personal(Routes& routes) {
  routes.Add("GET", "/api/v1/personal", ListPersonal);
  routes.Add("POST", "/api/v1/personal", ChangePersonal);
}

}  // namespace ferry::server
