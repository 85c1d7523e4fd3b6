// One change of many devices, and its undoing.
#include <algorithm>

#include "cloud-server/admin/rights/users.h"
#include "cloud-server/admin/routes.h"
#include "cloud-server/core/apply.h"
#include "cloud-server/fleet/matcher.h"
#include "cloud-server/rollout/rollout.h"

namespace ferry::server {
namespace {

constexpr size_t kMaxBulkIds = 10'000;  // that a call may name; a filter may reach more
constexpr size_t kBulkAtOnce = 500;     // devices of one transaction
constexpr size_t kShownBulk = 20;
constexpr size_t kBulkIdBytes = 8;
constexpr int64_t kBulkLifeMs = 7 * int64_t{86'400'000};  // how long it can be undone

enum class BulkAction { kTag, kUntag, kBlock, kUnblock, kPoll };
constexpr std::string_view kBulkNames[] = {"tag", "untag", "block", "unblock", "poll"};

struct Bulk {
  BulkAction action = BulkAction::kPoll;
  std::string tag;
};

Result<BulkAction> BulkActionFrom(const std::string& name) {
  const auto* found = std::find(std::begin(kBulkNames), std::end(kBulkNames), name);
  if (found == std::end(kBulkNames))
    return Status::Of(Code::kInvalidArgument,
                      "action: \"{}\" is none of tag, untag, block, "
                      "unblock, poll",
                      name.substr(0, 40));
  return static_cast<BulkAction>(found - std::begin(kBulkNames));
}

BulkAction Reverse(BulkAction action) {
  switch (action) {
    case BulkAction::kTag:
      return BulkAction::kUntag;
    case BulkAction::kUntag:
      return BulkAction::kTag;
    case BulkAction::kBlock:
      return BulkAction::kUnblock;
    case BulkAction::kUnblock:
      return BulkAction::kBlock;
    case BulkAction::kPoll:
      break;
  }
  return BulkAction::kPoll;
}

// Whether the row becomes another one.
Result<bool> ChangeRow(const Bulk& bulk, DeviceRow* row) {
  std::vector<std::string>& tags = row->operator_tags;
  const bool has = std::find(tags.begin(), tags.end(), bulk.tag) != tags.end();
  switch (bulk.action) {
    case BulkAction::kTag:
      if (has) return false;
      tags.push_back(bulk.tag);
      break;
    case BulkAction::kUntag:
      if (!has) return false;
      std::erase(tags, bulk.tag);
      return true;
    case BulkAction::kBlock:
    case BulkAction::kUnblock: {
      const bool blocked = bulk.action == BulkAction::kBlock;
      if (row->blocked == blocked) return false;
      row->blocked = blocked;
      return true;
    }
    case BulkAction::kPoll:
      return false;
  }
  FERRY_ASSIGN_OR_RETURN(tags, OperatorTagsFrom(std::move(tags)));
  return true;
}

bool InScope(const Call& call, const target::Attributes& device) {
  if (!call.who.groups) return true;
  return std::any_of(device.operator_tags.begin(), device.operator_tags.end(),
                     [&](const std::string& tag) { return IsWithin(tag, *call.who.groups); });
}

struct BulkTargets {
  std::vector<std::string> devices;
  int64_t out_of_scope = 0;
  int64_t would_change = 0;
  std::vector<std::string> changing;  // the first of those
};

// The devices of "filter" or "ids" that are the caller's.
Result<BulkTargets> TargetsOf(const Call& call, const Bulk& bulk) {
  FERRY_ASSIGN_OR_RETURN(const std::string filter, GetStringOr(call.body, "filter", ""));
  FERRY_ASSIGN_OR_RETURN(const std::vector<std::string> ids, GetStringsOr(call.body, "ids"));
  if (filter.empty() == ids.empty())
    return Status(Code::kInvalidArgument,
                  "a filter or ids are needed, one of them; `all` is every "
                  "device");
  if (ids.size() > kMaxBulkIds)
    return Status::Of(Code::kLimitExceeded, "ids: {}, at most {}", ids.size(), kMaxBulkIds);
  FERRY_ASSIGN_OR_RETURN(const list::Query query,
                         list::ReadQuery({{"filter", filter}}, fleet::DeviceSpec()));
  BulkTargets out;
  const auto add = [&](const fleet::Device& device) -> Status {
    if (!InScope(call, device)) {
      ++out.out_of_scope;
      return OkStatus();
    }
    out.devices.push_back(device.device_id);
    DeviceRow row;
    row.operator_tags = device.operator_tags;
    row.blocked = device.blocked;
    FERRY_ASSIGN_OR_RETURN(bool changes, ChangeRow(bulk, &row).Context("{}", device.device_id));
    changes = changes || bulk.action == BulkAction::kPoll;
    out.would_change += changes ? 1 : 0;
    if (changes && out.changing.size() < kShownBulk) out.changing.push_back(device.device_id);
    return OkStatus();
  };
  FERRY_TRY(call.fleet.Look([&](const fleet::Devices& devices) -> Status {
    for (const std::string& id : ids) {
      const fleet::Device* device = fleet::FindDevice(devices, id);
      if (device == nullptr)
        return Status::Of(Code::kNotFound, "ids: there is no device {}", id.substr(0, 64));
      FERRY_TRY(add(*device));
    }
    if (!query.filter) return OkStatus();
    fleet::Matcher matcher(*query.filter);
    for (const auto& device : devices)
      if (matcher.Matches(*device)) FERRY_TRY(add(*device));
    return OkStatus();
  }));
  return out;
}

// Those of `devices` that it changed. Each transaction notes its own, so that what is done can be
// undone wherever it ends.
Result<std::vector<std::string>> ChangeBulkDevices(const Call& call, const Bulk& bulk,
                                                   const std::vector<std::string>& devices,
                                                   BulkRow note) {
  std::vector<std::string> changed;
  for (size_t first = 0; first < devices.size(); first += kBulkAtOnce) {
    const size_t end = std::min(first + kBulkAtOnce, devices.size());
    FERRY_TRY(call.admin.store->Write([&](Transaction& tx) -> Status {
      note.devices.clear();
      std::vector<DeviceRow> rows;
      for (size_t i = first; i < end; ++i) {
        FERRY_ASSIGN_OR_RETURN(DeviceRow row, tx.devices().Get(devices[i]));
        FERRY_ASSIGN_OR_RETURN(const bool change, ChangeRow(bulk, &row));
        if (!change) continue;
        rows.push_back(std::move(row));
        note.devices.push_back(devices[i]);
      }
      FERRY_TRY(tx.batches().PutDevices(rows));
      return note.id.empty() ? OkStatus() : tx.repeats().PutBulk(note);
    }));
    changed.insert(changed.end(), note.devices.begin(), note.devices.end());
  }
  const bool blocks = bulk.action == BulkAction::kBlock || bulk.action == BulkAction::kUnblock;
  for (const std::string& id : changed)
    blocks ? call.admin.rollout->OnBlocked(id) : call.admin.rollout->OnDeviceChanged(id);
  return changed;
}

Json BulkAnswer(size_t matched, size_t changed, int64_t out_of_scope,
                std::vector<std::string> devices, const std::string& undo) {
  if (devices.size() > kShownBulk) devices.resize(kShownBulk);
  return {{"matched", matched},
          {"changed", changed},
          {"out_of_scope", out_of_scope},
          {"devices", devices},
          {"undo", undo.empty() ? Json() : Json(undo)}};
}

Result<Bulk> ReadBulk(const Call& call) {
  Bulk bulk;
  FERRY_ASSIGN_OR_RETURN(const std::string action, GetString(call.body, "action"));
  FERRY_ASSIGN_OR_RETURN(bulk.action, BulkActionFrom(action));
  FERRY_ASSIGN_OR_RETURN(bulk.tag, GetStringOr(call.body, "tag", ""));
  const bool tags = bulk.action == BulkAction::kTag || bulk.action == BulkAction::kUntag;
  if (tags == bulk.tag.empty())
    return Status::Of(Code::kInvalidArgument, "tag: {}", tags ? "it is missing" : "not for this");
  if (tags) FERRY_TRY(AsStatus(OperatorTagsFrom({bulk.tag}).Context("tag")));
  // Who has groups gives no device away, and takes none.
  if (tags && call.who.groups && !IsWithin(bulk.tag, *call.who.groups))
    return Status::Of(Code::kPermissionDenied, "tag \"{}\" is not within a group of {}",
                      bulk.tag.substr(0, 128), call.who.account);
  return bulk;
}

Result<Json> DoBulk(const Call& call) {
  FERRY_ASSIGN_OR_RETURN(const Bulk bulk, ReadBulk(call));
  FERRY_ASSIGN_OR_RETURN(const bool dry_run, GetBoolOr(call.body, "dry_run", false));
  FERRY_ASSIGN_OR_RETURN(const BulkTargets targets, TargetsOf(call, bulk));
  if (dry_run)
    return BulkAnswer(targets.devices.size(), static_cast<size_t>(targets.would_change),
                      targets.out_of_scope, targets.changing, "");
  if (bulk.action == BulkAction::kPoll) {
    for (const std::string& id : targets.devices) call.admin.rollout->OnBlocked(id);
    return BulkAnswer(targets.devices.size(), targets.devices.size(), targets.out_of_scope,
                      targets.devices, "");
  }
  BulkRow note;
  note.id = RandomHex(call.admin, kBulkIdBytes);
  note.account = call.who.account;
  note.time_ms = call.admin.clock->NowUnixMs();
  note.action = kBulkNames[static_cast<size_t>(bulk.action)];
  note.tag = bulk.tag;
  FERRY_ASSIGN_OR_RETURN(const std::vector<std::string> changed,
                         ChangeBulkDevices(call, bulk, targets.devices, note));
  FERRY_TRY(call.admin.store->Write(
      [&](Transaction& tx) { return tx.repeats().DropBulk(note.time_ms - kBulkLifeMs); }));
  return BulkAnswer(targets.devices.size(), changed.size(), targets.out_of_scope, changed,
                    changed.empty() ? "" : note.id);
}

// Only what the change changed, and what was not changed again since.
Result<Json> UndoBulk(const Call& call) {
  BulkRow row;
  FERRY_TRY(call.admin.store->Write([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(row, tx.repeats().Bulk(call.arguments[0]));
    if (row.account != call.who.account && !call.who.May(Right::kAdmin))
      return Status::Of(Code::kPermissionDenied, "it was {} who did that", row.account);
    if (row.undone) return Status(Code::kFailedPrecondition, "it was undone before");
    BulkRow undone = row;
    undone.undone = true;
    undone.devices.clear();
    return tx.repeats().PutBulk(undone);
  }));
  FERRY_ASSIGN_OR_RETURN(const BulkAction action, BulkActionFrom(row.action));
  FERRY_ASSIGN_OR_RETURN(const std::vector<std::string> changed,
                         ChangeBulkDevices(call, {Reverse(action), row.tag}, row.devices, {}));
  return BulkAnswer(row.devices.size(), changed.size(), 0, changed, "");
}

}  // namespace

void Add_bulk(Routes& routes) {
  routes.Add("POST", "/api/v1/devices/bulk", DoBulk);
  routes.Add("POST", "/api/v1/devices/bulk/{undo}/undo", UndoBulk);
}

}  // namespace ferry::server
