#include "cloud-server/admin/rights/guard.h"

#include "common/base/bytes.h"

namespace ferry::server {
namespace {

const char* RolesWith(Right right) {
  switch (right) {
    case Right::kView:
      return "viewer";
    case Right::kRelease:
      return "releaser";
    case Right::kStop:
      return "releaser or approver";
    case Right::kApprove:
      return "approver";
    case Right::kRead:
      return "developer";
    case Right::kAdmin:
      break;
  }
  return "admin";
}

Status OutOfScope(const Call& call, std::string_view what, std::string_view name) {
  return Status::Of(Code::kPermissionDenied, "{} \"{}\" is not in the scope of {}", what,
                    name.substr(0, 128), call.who.account);
}

Status CheckPackage(const Call& call, const std::string& package) {
  return call.who.MayPackage(package) ? OkStatus() : OutOfScope(call, "package", package);
}

Status CheckTags(const Call& call, const std::vector<std::string>& tags) {
  if (!call.who.groups) return OkStatus();
  if (call.who.MayGroups(tags)) return OkStatus();
  return Status::Of(Code::kPermissionDenied,
                    "tags: each must lie within a group of {}, and there must be one",
                    call.who.account);
}

Status CheckRelease(const Call& call, Transaction& tx, std::string* package) {
  const std::string& id = call.arguments[0];
  const Result<ReleaseRow> release = tx.releases().Get(id);
  if (release.code() == Code::kNotFound) return OkStatus();
  FERRY_TRY(release.status());
  *package = release->package;
  FERRY_TRY(CheckPackage(call, *package));
  if (!call.who.groups) return OkStatus();
  FERRY_ASSIGN_OR_RETURN(const auto groups, tx.accounts().ReleaseGroups(id));
  return groups && call.who.MayGroups(*groups) ? OkStatus() : OutOfScope(call, "release", id);
}

// All packages must be in scope; the one that is named is the call's where there is no other.
Status CheckPackages(const Call& call, const Json& spec, std::string* package) {
  const Result<const Json*> releases = GetArray(spec, "releases");
  if (!releases.ok()) return OkStatus();  // the call itself says what is wrong
  bool several = false;
  for (const Json& release : **releases) {
    const Result<std::string> name = GetString(release, "package");
    if (!name.ok()) continue;
    FERRY_TRY(CheckPackage(call, *name));
    several = several || (!package->empty() && *package != *name);
    *package = *name;
  }
  // Of several, any may be one that two people have to agree to.
  if (several) package->clear();
  return OkStatus();
}

Status CheckCampaign(const Call& call, Transaction& tx, std::string* package) {
  const std::string& id = call.arguments[0];
  const Result<CampaignRow> campaign = tx.campaigns().Get(id);
  if (campaign.code() == Code::kNotFound) return OkStatus();
  FERRY_TRY(campaign.status());
  FERRY_ASSIGN_OR_RETURN(const Json spec, ParseJson(campaign->spec_json));
  FERRY_TRY(CheckPackages(call, spec, package));
  const bool in_groups =
      !call.who.groups || (campaign->groups && call.who.MayGroups(*campaign->groups));
  return in_groups ? OkStatus() : OutOfScope(call, "campaign", id);
}

// A device is in scope by any of the tags that operators gave it: its own words are its own.
Status CheckDevice(const Call& call, Transaction& tx) {
  if (!call.who.groups) return OkStatus();
  const Result<DeviceRow> device = tx.devices().Get(call.arguments[0]);
  if (device.code() == Code::kNotFound) return OkStatus();
  FERRY_TRY(device.status());
  for (const std::string& tag : device->operator_tags)
    if (IsWithin(tag, *call.who.groups)) return OkStatus();
  return OutOfScope(call, "device", call.arguments[0]);
}

// The new entries of one document of base64, and what it withdraws.
Status CheckEntries(const Call& call, Transaction& tx, const Result<std::string>& text,
                    std::string* package) {
  if (!text.ok()) return OkStatus();  // the call itself says what is wrong
  const Result<Bytes> document = FromBase64(*text);
  if (!document.ok()) return OkStatus();
  const Result<Json> json = ParseJson(AsText(*document));
  if (!json.ok()) return OkStatus();
  const Result<const Json*> body = GetObject(*json, "signed");
  if (!body.ok()) return OkStatus();
  const Result<const Json*> targets = GetObject(**body, "targets");
  if (!targets.ok()) return OkStatus();
  for (const auto& [path, entry] : (*targets)->items()) {
    if (tx.packages().Artefact(path).ok()) continue;
    const std::string name = path.substr(0, path.find('/'));
    if (package->empty()) *package = name;
    FERRY_TRY(CheckPackage(call, name));
  }
  const Result<const Json*> withdrawn = GetObjectOrNull(**body, "withdrawn");
  if (!withdrawn.ok() || *withdrawn == nullptr) return OkStatus();
  for (const auto& [path, item] : (*withdrawn)->items()) {
    if (!tx.packages().Artefact(path).ok()) continue;  // withdrawn before
    const std::string name = path.substr(0, path.find('/'));
    if (package->empty()) *package = name;
    FERRY_TRY(CheckPackage(call, name));
  }
  return OkStatus();
}

// The documents' signatures are checked later; here only which packages their new entries and new
// withdrawals name.
Status CheckPublication(const Call& call, Transaction& tx, std::string* package) {
  FERRY_TRY(CheckEntries(call, tx, GetString(call.body, "targets"), package));
  FERRY_TRY(CheckEntries(call, tx, GetString(call.body, "targets_above_bins"), package));
  const Result<const Json*> bins = GetObjectOrNull(call.body, "bins");
  if (!bins.ok() || *bins == nullptr) return OkStatus();
  for (const auto& [name, document] : (*bins)->items())
    FERRY_TRY(CheckEntries(call, tx, GetString(**bins, name), package));
  return OkStatus();
}

Status CheckIn(const Call& call, const RouteRight& right, Transaction& tx, std::string* package) {
  switch (right.target) {
    case Target::kNone:
      return OkStatus();
    case Target::kBodyPackage: {
      const Result<std::string> name = GetString(call.body, "package");
      if (!name.ok()) return OkStatus();
      *package = *name;
      return CheckPackage(call, *name);
    }
    case Target::kPathPackage:
      *package = call.arguments[0];
      return CheckPackage(call, *package);
    case Target::kRelease:
      return CheckRelease(call, tx, package);
    case Target::kNewCampaign:
      return CheckPackages(call, call.body, package);
    case Target::kCampaign:
      return CheckCampaign(call, tx, package);
    case Target::kDevice:
      return CheckDevice(call, tx);
    case Target::kDeviceTags:
      FERRY_TRY(CheckDevice(call, tx));
      [[fallthrough]];
    case Target::kJoinTags: {
      const auto tags = GetStringsOr(call.body, "tags");
      return CheckTags(call, tags.ok() ? *tags : std::vector<std::string>());
    }
    case Target::kPublication:
      return CheckPublication(call, tx, package);
    case Target::kOwn:
      break;
  }
  const bool own = call.arguments.empty() || call.arguments[0] == call.who.account;
  if (own || call.who.May(Right::kAdmin)) return OkStatus();
  return Status(Code::kPermissionDenied, "only admins may do this to another user");
}

}  // namespace

Status CheckRole(const Call& call, const RouteRight& right) {
  if (call.who.May(right.right)) return OkStatus();
  return Status::Of(Code::kPermissionDenied, "{} may not do this: it needs the role {}",
                    call.who.account, RolesWith(right.right));
}

Status CheckTarget(const Call& call, const RouteRight& right, std::string* package) {
  return call.admin.store->Read([&](Transaction& tx) { return CheckIn(call, right, tx, package); });
}

}  // namespace ferry::server
