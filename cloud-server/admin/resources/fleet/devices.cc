#include "cloud-server/admin/interface/lists.h"
#include "cloud-server/admin/routes.h"
#include "cloud-server/admin/views.h"
#include "cloud-server/core/desired.h"
#include "cloud-server/ingest/erase.h"
#include "cloud-server/rollout/rollout.h"

namespace ferry::server {
namespace {

constexpr size_t kShownReports = 100;
constexpr size_t kAskedAtOnce = 500;

Result<Json> ListDevices(const Call& call) {
  FERRY_ASSIGN_OR_RETURN(list::Query query, list::ReadQuery(call.http.query, fleet::DeviceSpec()));
  const bool by_id = query.by_key_only(fleet::DeviceSpec()) && !query.sort[0].descending;
  if (const std::string after = call.Query("after"); !after.empty()) {
    if (!by_id || !query.after.empty())
      return Status(Code::kInvalidArgument,
                    "after: it is an id of a list in order of ids; others have a cursor");
    query.after = {{list::Value::Kind::kText, 0, after}};
  }
  Json json = {{"devices", Json::array()}, {"next", nullptr}};
  const auto show = [&](const fleet::Devices& devices, std::optional<int64_t> all) {
    list::Page page = fleet::SelectDevices(query, devices);
    if (query.total && all) page.total = all;
    for (const size_t i : page.rows) json["devices"].push_back(fleet::ToJson(*devices[i]));
    const fleet::Device* last = page.rows.empty() ? nullptr : devices[page.rows.back()].get();
    if (page.more && by_id) json["next"] = last->device_id;
    AddPageMembers(query, fleet::DeviceSpec(), page, last, &json);
    return OkStatus();
  };
  // After a start the whole fleet is read first: who only leafs through it does not wait for that.
  if (by_id && !query.filter && !call.fleet.loaded()) {
    const std::string after = query.after.empty() ? "" : query.after[0].text;
    FERRY_TRY(call.fleet.LookInStore(after, query.limit + 1, show));
    return json;
  }
  FERRY_TRY(
      call.fleet.Look([&](const fleet::Devices& devices) { return show(devices, std::nullopt); }));
  return json;
}

// "desired": every package that it shall have; "packages": what it says it has.
Status AddDesired(Transaction& tx, const AssignmentRow& assignment, Json* json) {
  Json& desired = (*json)["desired"] = {
      {"epoch", assignment.counter}, {"settled", assignment.done}, {"packages", Json::object()}};
  FERRY_ASSIGN_OR_RETURN(const auto packages, PackagesOf(assignment));
  for (const auto& [name, package] : packages)
    desired["packages"][name] = trust::DesiredPackageToJson(package);
  (*json)["packages"] = Json::array();
  FERRY_ASSIGN_OR_RETURN(const std::vector<InstalledRow> installed,
                         tx.devices().Installed(assignment.device));
  for (const InstalledRow& row : installed)
    (*json)["packages"].push_back({{"name", row.package},
                                   {"version", row.version},
                                   {"release", row.release},
                                   {"disabled", row.disabled}});
  return OkStatus();
}

Result<Json> GetDevice(const Call& call) {
  const std::string& id = call.arguments[0];
  Json json;
  FERRY_TRY(call.admin.store->Read([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(DeviceRow row, tx.devices().Get(id));
    FERRY_ASSIGN_OR_RETURN(Json running, RunningOf(tx, id));
    FERRY_ASSIGN_OR_RETURN(AssignmentRow assignment, tx.devices().Assignment(id));
    FERRY_ASSIGN_OR_RETURN(std::vector<MemberRow> members, tx.releases().MembersOfDevice(id));
    FERRY_ASSIGN_OR_RETURN(std::vector<ReportRow> reports,
                           tx.reports().OfDevice(id, kShownReports));
    json = DeviceToJson(row, running);
    FERRY_TRY(AddDeviceState(tx, id, &json));
    // A report that waited on the device makes its clock look behind, never ahead.
    json["clock_ahead_ms"] =
        reports.empty() ? Json() : Json(reports[0].time_ms - reports[0].received_ms);
    json["assignment"] = AssignmentToJson(assignment);
    FERRY_TRY(AddDesired(tx, assignment, &json));
    json["members"] = Json::array();
    for (const MemberRow& member : members) json["members"].push_back(MemberToJson(member));
    json["reports"] = Json::array();
    for (const ReportRow& report : reports) json["reports"].push_back(ReportToJson(report));
    return OkStatus();
  }));
  return json;
}

Result<Json> GetWhy(const Call& call) {
  FERRY_ASSIGN_OR_RETURN(Rollout::Answer answer,
                         call.admin.rollout->WhyOf(call.arguments[0], call.Query("release")));
  return Json{{"release", answer.release},
              {"device", call.arguments[0]},
              {"matches_rule", answer.why.matches_rule},
              {"assigned", answer.why.assigned},
              {"text", answer.why.text}};
}

Result<Json> Block(const Call& call) {
  FERRY_ASSIGN_OR_RETURN(bool blocked, GetBool(call.body, "blocked"));
  Json json;
  FERRY_TRY(call.admin.store->Write([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(DeviceRow row, tx.devices().Get(call.arguments[0]));
    row.blocked = blocked;
    FERRY_TRY(tx.devices().Put(row));
    FERRY_ASSIGN_OR_RETURN(Json running, RunningOf(tx, row.id));
    json = DeviceToJson(row, running);
    return OkStatus();
  }));
  call.admin.rollout->OnBlocked(call.arguments[0]);
  return json;
}

Result<Json> PutTags(const Call& call) {
  FERRY_ASSIGN_OR_RETURN(std::vector<std::string> given, GetStrings(call.body, "tags"));
  FERRY_ASSIGN_OR_RETURN(std::vector<std::string> tags, OperatorTagsFrom(std::move(given)));
  Json json;
  FERRY_TRY(call.admin.store->Write([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(DeviceRow row, tx.devices().Get(call.arguments[0]));
    row.operator_tags = tags;
    FERRY_TRY(tx.devices().Put(row));
    FERRY_ASSIGN_OR_RETURN(Json running, RunningOf(tx, row.id));
    json = DeviceToJson(row, running);
    return OkStatus();
  }));
  call.admin.rollout->OnDeviceChanged(call.arguments[0]);
  return json;
}

// Those of the operator alone: what is edited does not change because the device spoke.
Result<Json> GetTags(const Call& call) {
  Json json;
  FERRY_TRY(call.admin.store->Read([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(const DeviceRow row, tx.devices().Get(call.arguments[0]));
    json = {{"tags", row.operator_tags}};
    return OkStatus();
  }));
  return json;
}

// Asks one device for new keys, or all of them; they make them as they hear of it.
Result<Json> AskForKeys(const Call& call) {
  const std::string id = call.arguments.empty() ? std::string() : call.arguments[0];
  const int64_t now_ms = call.admin.clock->NowUnixMs();
  int64_t asked = 0, waiting = 0;
  for (std::string after; id.empty();) {
    std::vector<std::string> page;
    FERRY_TRY(call.admin.store->Write([&](Transaction& tx) -> Status {
      FERRY_ASSIGN_OR_RETURN(
          page, tx.devices().AskForKeys(call.admin.tenant, after, kAskedAtOnce, now_ms));
      return OkStatus();
    }));
    asked += static_cast<int64_t>(page.size());
    for (const std::string& device : page) call.admin.rollout->OnBlocked(device);
    if (page.size() < kAskedAtOnce) break;
    after = page.back();
  }
  FERRY_TRY(call.admin.store->Write([&](Transaction& tx) -> Status {
    if (!id.empty()) {
      FERRY_ASSIGN_OR_RETURN(DeviceRow row, tx.devices().Get(id));
      row.new_keys_ms = now_ms;
      FERRY_TRY(tx.devices().Put(row));
      asked = 1;
    }
    FERRY_ASSIGN_OR_RETURN(waiting, tx.devices().CountAskedForKeys(call.admin.tenant));
    return OkStatus();
  }));
  if (!id.empty()) call.admin.rollout->OnBlocked(id);
  return Json{{"asked", asked}, {"waiting", waiting}};
}

// Here at once, and on the device when it hears of it.
Result<Json> EraseData(const Call& call) {
  const std::string& id = call.arguments[0];
  ErasureRow row;
  FERRY_TRY(call.admin.store->Write([&](Transaction& tx) -> Status {
    FERRY_TRY(tx.devices().Get(id).status());
    row.device = id;
    row.asked_by = call.by;
    row.asked_ms = call.admin.clock->NowUnixMs();
    FERRY_ASSIGN_OR_RETURN(row.id, tx.erasures().Ask(row));
    return OkStatus();
  }));
  FERRY_ASSIGN_OR_RETURN(const ErasedHere here, EraseDevice(*call.admin.store, id));
  FERRY_TRY(call.admin.store->Write([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(row, tx.erasures().Get(row.id));
    row.records += here.records;
    row.refused += here.refused;
    row.texts += here.texts;
    return tx.erasures().Put(row);
  }));
  call.admin.rollout->OnBlocked(id);  // it looks again at what it is asked
  return ErasureToJson(row);
}

Result<Json> Erasures(const Call& call) {
  Json list = Json::array();
  FERRY_TRY(call.admin.store->Read([&](Transaction& tx) -> Status {
    FERRY_TRY(tx.devices().Get(call.arguments[0]).status());
    FERRY_ASSIGN_OR_RETURN(const auto rows, tx.erasures().List(call.arguments[0], kMaxPageRows));
    for (const ErasureRow& row : rows) list.push_back(ErasureToJson(row));
    return OkStatus();
  }));
  return Json{{"erasures", std::move(list)}};
}

Result<Json> KeysAskedFor(const Call& call) {
  int64_t waiting = 0;
  FERRY_TRY(call.admin.store->Read([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(waiting, tx.devices().CountAskedForKeys(call.admin.tenant));
    return OkStatus();
  }));
  return Json{{"waiting", waiting}};
}

}  // namespace

void Add_devices(Routes& routes) {
  routes.Add("GET", "/api/v1/devices", ListDevices);
  routes.Add("GET", "/api/v1/devices/{id}", GetDevice);
  routes.Add("GET", "/api/v1/devices/{id}/why", GetWhy);
  routes.Add("POST", "/api/v1/devices/{id}/erase", EraseData);
  routes.Add("GET", "/api/v1/devices/{id}/erasures", Erasures);
  routes.Add("POST", "/api/v1/devices/{id}/block", Block);
  routes.Add("GET", "/api/v1/devices/{id}/tags", GetTags);
  routes.Add("PUT", "/api/v1/devices/{id}/tags", PutTags);
  routes.Edits("/api/v1/devices/{id}/tags", GetTags);
  routes.Add("POST", "/api/v1/devices/{id}/new-keys", AskForKeys);
  routes.Add("POST", "/api/v1/new-device-keys", AskForKeys);
  routes.Add("GET", "/api/v1/new-device-keys", KeysAskedFor);
}

}  // namespace ferry::server
