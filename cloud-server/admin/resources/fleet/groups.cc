#include <algorithm>

#include "cloud-server/admin/rights/group_checks.h"
#include "cloud-server/admin/routes.h"
#include "cloud-server/core/apply.h"
#include "cloud-server/rollout/rollout.h"
#include "policy/target/groups.h"
#include "policy/text/rule_text.h"

namespace ferry::server {
namespace {

constexpr size_t kMaxGroupChange = 10'000;  // devices in one call
constexpr int64_t kDefaultGroupPage = 500;

Result<Json> GroupToJson(Transaction& tx, const GroupRow& group) {
  Json json = {{"name", group.name},
               {"kind", group.rule.empty() ? "list" : "rule"},
               {"created_ms", group.created_ms}};
  if (!group.rule.empty()) {
    json["rule"] = group.rule;
    // A newer server wrote it: rules that name the group match nobody here.
    if (auto parsed = text::ParseRule(group.rule); !parsed.ok())
      json["error"] = parsed.status().message();
    return json;
  }
  FERRY_ASSIGN_OR_RETURN(const int64_t count, tx.groups().Count(group.name));
  json["devices_listed"] = count;
  return json;
}

Result<std::vector<std::string>> DevicesIn(const Json& body, const char* key) {
  FERRY_ASSIGN_OR_RETURN(std::vector<std::string> devices, GetStringsOr(body, key));
  if (devices.size() > kMaxGroupChange)
    return Status::Of(Code::kLimitExceeded, "{}: {} devices, at most {} in one call", key,
                      devices.size(), kMaxGroupChange);
  return devices;
}

// The devices that were not on the list before.
Result<std::vector<std::string>> AddAll(Transaction& tx, const std::string& group,
                                        const std::vector<std::string>& devices) {
  std::vector<std::string> added;
  for (const std::string& device : devices) {
    FERRY_ASSIGN_OR_RETURN(const bool fresh, tx.groups().AddDevice(group, device));
    if (fresh) added.push_back(device);
  }
  FERRY_ASSIGN_OR_RETURN(const int64_t count, tx.groups().Count(group));
  if (count <= kMaxGroupDevices) return added;
  return Status::Of(Code::kLimitExceeded, "group {} would list {} devices, at most {}", group,
                    count, kMaxGroupDevices);
}

void TellChanged(const Call& call, const std::vector<std::string>& devices) {
  for (const std::string& device : devices) call.admin.rollout->OnDeviceChanged(device);
}

Result<Json> ListGroups(const Call& call) {
  Json groups = Json::array();
  FERRY_TRY(call.admin.store->Read([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(const std::vector<GroupRow> rows, tx.groups().All());
    for (const GroupRow& row : rows) {
      FERRY_ASSIGN_OR_RETURN(Json group, GroupToJson(tx, row));
      groups.push_back(std::move(group));
    }
    return OkStatus();
  }));
  return Json{{"groups", std::move(groups)}};
}

Result<Json> CreateGroup(const Call& call) {
  GroupRow row;
  FERRY_ASSIGN_OR_RETURN(row.name, GetString(call.body, "name"));
  FERRY_TRY(target::CheckGroupName(row.name));
  FERRY_ASSIGN_OR_RETURN(row.rule, GetStringOr(call.body, "rule", ""));
  FERRY_ASSIGN_OR_RETURN(const std::vector<std::string> devices, DevicesIn(call.body, "devices"));
  if (!row.rule.empty() && !devices.empty())
    return Status(Code::kInvalidArgument, "a group has a rule or a list of devices, not both");
  row.created_ms = call.admin.clock->NowUnixMs();
  Json json;
  std::vector<std::string> added;
  FERRY_TRY(call.admin.store->Write([&](Transaction& tx) -> Status {
    if (tx.groups().Get(row.name).ok())
      return Status::Of(Code::kAlreadyExists, "there is a group {} already", row.name);
    FERRY_TRY(CheckGroupRule(tx, row.name, row.rule));
    FERRY_TRY(tx.groups().Put(row));
    FERRY_ASSIGN_OR_RETURN(added, AddAll(tx, row.name, devices));
    FERRY_ASSIGN_OR_RETURN(json, GroupToJson(tx, row));
    return OkStatus();
  }));
  TellChanged(call, added);
  return json;
}

// Those of a list; of a rule, those among the next devices of the fleet that match it.
Result<Json> GetGroup(const Call& call) {
  FERRY_ASSIGN_OR_RETURN(int64_t limit, call.QueryInt("limit", kDefaultGroupPage));
  limit = std::clamp<int64_t>(limit, 1, static_cast<int64_t>(kMaxPageRows));
  const auto page = static_cast<size_t>(limit);
  const std::string after = call.Query("after");
  Json json;
  FERRY_TRY(call.admin.store->Read([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(const GroupRow group, tx.groups().Get(call.arguments[0]));
    FERRY_ASSIGN_OR_RETURN(json, GroupToJson(tx, group));
    std::vector<std::string> seen, in;
    if (group.rule.empty()) {
      FERRY_ASSIGN_OR_RETURN(seen, tx.groups().Devices(group.name, after, page));
      in = seen;
    } else {
      FERRY_ASSIGN_OR_RETURN(const std::vector<DeviceRow> rows, tx.devices().List(after, page));
      for (const DeviceRow& row : rows) {
        seen.push_back(row.id);
        const target::Membership member = target::MembershipOf(group.name, AttributesOf(row));
        if (member.truth == target::Truth::kTrue) in.push_back(row.id);
      }
    }
    json["devices"] = in;
    json["next"] = seen.size() == page ? Json(seen.back()) : Json();
    return OkStatus();
  }));
  return json;
}

Result<Json> PutGroupRule(const Call& call) {
  FERRY_ASSIGN_OR_RETURN(const std::string rule, GetString(call.body, "rule"));
  if (rule.empty()) return Status(Code::kInvalidArgument, "the rule is empty");
  Json json;
  FERRY_TRY(call.admin.store->Write([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(GroupRow group, tx.groups().Get(call.arguments[0]));
    if (group.rule.empty())
      return Status::Of(Code::kFailedPrecondition, "group {} is a list of devices", group.name);
    FERRY_TRY(CheckGroupRule(tx, group.name, rule));
    group.rule = rule;
    FERRY_TRY(tx.groups().Put(group));
    FERRY_ASSIGN_OR_RETURN(json, GroupToJson(tx, group));
    return OkStatus();
  }));
  return json;
}

Result<Json> ChangeDevices(const Call& call) {
  FERRY_ASSIGN_OR_RETURN(const std::vector<std::string> add, DevicesIn(call.body, "add"));
  FERRY_ASSIGN_OR_RETURN(const std::vector<std::string> remove, DevicesIn(call.body, "remove"));
  Json json;
  std::vector<std::string> changed;
  FERRY_TRY(call.admin.store->Write([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(const GroupRow group, tx.groups().Get(call.arguments[0]));
    if (!group.rule.empty())
      return Status::Of(Code::kFailedPrecondition, "group {} has a rule: it decides who is in it",
                        group.name);
    FERRY_ASSIGN_OR_RETURN(changed, AddAll(tx, group.name, add));
    const size_t added = changed.size();
    for (const std::string& device : remove) {
      FERRY_ASSIGN_OR_RETURN(const bool gone, tx.groups().RemoveDevice(group.name, device));
      if (gone) changed.push_back(device);
    }
    FERRY_ASSIGN_OR_RETURN(json, GroupToJson(tx, group));
    json["added"] = added;
    json["removed"] = changed.size() - added;
    return OkStatus();
  }));
  TellChanged(call, changed);
  return json;
}

Result<Json> DeleteGroup(const Call& call) {
  FERRY_TRY(call.admin.store->Write([&](Transaction& tx) -> Status {
    FERRY_TRY(AsStatus(tx.groups().Get(call.arguments[0])));
    FERRY_TRY(CheckGroupUnused(tx, call.arguments[0]));
    return tx.groups().Remove(call.arguments[0]);
  }));
  return Json::object();
}

// Without the devices that a rule happens to match now.
Result<Json> GroupThing(const Call& call) {
  Json json;
  FERRY_TRY(call.admin.store->Read([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(const GroupRow group, tx.groups().Get(call.arguments[0]));
    FERRY_ASSIGN_OR_RETURN(json, GroupToJson(tx, group));
    return OkStatus();
  }));
  return json;
}

}  // namespace

void Add_groups(Routes& routes) {
  routes.Add("GET", "/api/v1/groups", ListGroups);
  routes.Add("POST", "/api/v1/groups", CreateGroup);
  routes.Add("GET", "/api/v1/groups/{name}", GetGroup);
  routes.Add("PUT", "/api/v1/groups/{name}", PutGroupRule);
  routes.Add("POST", "/api/v1/groups/{name}/devices", ChangeDevices);
  routes.Add("DELETE", "/api/v1/groups/{name}", DeleteGroup);
  routes.Edits("/api/v1/groups/{name}", GroupThing);
}

}  // namespace ferry::server
