#include "cloud-server/admin/rights/approvals.h"

#include "cloud-server/admin/rights/guard.h"
#include "cloud-server/admin/rights/log.h"
#include "cloud-server/admin/rights/users.h"
#include "common/crypto/hash.h"

namespace ferry::server {
namespace {

constexpr size_t kApprovalIdBytes = 5;

// A complete release is at rest; whatever else is in motion may be stopped at once by one person.
bool IsAtRest(const ReleaseRow& release) {
  return release.state == ReleaseState::kComplete ||
         (release.state == ReleaseState::kPaused && release.paused_from == ReleaseState::kComplete);
}

Result<bool> IsOfTwo(const Call& call, const Route& route, Transaction& tx) {
  switch (route.right.two_people) {
    case TwoPeople::kNever:
      return false;
    case TwoPeople::kAlways:
      return true;
    case TwoPeople::kIfStart:
      return GetBoolOr(call.body, "start", false);
    case TwoPeople::kIfComplete:
      break;
  }
  const Result<ReleaseRow> release = tx.releases().Get(call.arguments[0]);
  if (release.ok()) return IsAtRest(*release);
  const Result<CampaignRow> campaign = tx.campaigns().Get(call.arguments[0]);
  return campaign.ok() && campaign->state == CampaignState::kComplete;
}

Result<bool> MustWait(const Call& call, const Route& route, const std::string& package,
                      Transaction& tx) {
  FERRY_ASSIGN_OR_RETURN(const bool of_two, IsOfTwo(call, route, tx));
  if (!of_two) return false;
  Identity policy;
  FERRY_ASSIGN_OR_RETURN(const std::vector<std::string> globs, ApprovalPackages(tx));
  if (globs.empty()) return false;
  policy.packages = {globs};
  // What is of no package (the policy itself) waits whenever anything does.
  return package.empty() || policy.MayPackage(package);
}

ApprovalRow RequestOf(const Call& call, const std::string& package) {
  const int64_t now_ms = call.admin.clock->NowUnixMs();
  ApprovalRow row;
  row.id = RandomHex(call.admin, kApprovalIdBytes);
  row.account = call.who.account;
  row.method = call.http.method;
  row.path = call.http.path;
  row.body = WriteJson(call.body);
  row.body_sha256 = crypto::Sha256Hex(AsBytes(row.body));
  row.package = package;
  row.asked_ms = now_ms;
  row.expires_ms = now_ms + kApprovalLifeMs;
  return row;
}

// The open request for the same call of the same user; else the new one, stored.
Status FindOrPut(Transaction& tx, int64_t now_ms, ApprovalRow* row) {
  FERRY_ASSIGN_OR_RETURN(const std::vector<ApprovalRow> all,
                         tx.accounts().Approvals(kShownApprovals));
  size_t open = 0;
  for (const ApprovalRow& other : all) {
    if (StateOf(other, now_ms) != "open") continue;
    ++open;
    if (other.account != row->account || other.method != row->method || other.path != row->path ||
        other.body_sha256 != row->body_sha256)
      continue;
    *row = other;
    return OkStatus();
  }
  if (open >= kMaxOpenApprovals)
    return Status::Of(Code::kLimitExceeded, "{} requests wait for approval already", open);
  return tx.accounts().PutApproval(*row);
}

Status CheckOpen(const ApprovalRow& row, int64_t now_ms) {
  const std::string state = StateOf(row, now_ms);
  if (state == "open") return OkStatus();
  return Status::Of(Code::kFailedPrecondition, "request {} is {}", row.id, state);
}

Result<ApprovalRow> OpenRequest(const Call& call, const std::string& id) {
  ApprovalRow row;
  FERRY_TRY(call.admin.store->Read([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(row, tx.accounts().Approval(id));
    return OkStatus();
  }));
  FERRY_TRY(CheckOpen(row, call.admin.clock->NowUnixMs()));
  if (!call.who.MayPackage(row.package) && !row.package.empty())
    return Status::Of(Code::kPermissionDenied, "package \"{}\" is not in the scope of {}",
                      row.package, call.who.account);
  return row;
}

Result<Identity> Asker(const Call& call, const ApprovalRow& row) {
  AccountRow account;
  const Status found = call.admin.store->Read([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(account, tx.accounts().Get(row.account));
    return OkStatus();
  });
  if (found.code() == Code::kNotFound || account.disabled)
    return Status::Of(Code::kPermissionDenied, "{}, who asked, is no user any more", row.account);
  FERRY_TRY(found);
  return IdentityOf(account, fmt::format("{}, approved by {}", row.account, call.who.account));
}

}  // namespace

Result<std::vector<std::string>> ApprovalPackages(Transaction& tx) {
  FERRY_ASSIGN_OR_RETURN(const auto text, tx.access().Setting(kApprovalPolicy));
  if (!text) return std::vector<std::string>();
  FERRY_ASSIGN_OR_RETURN(const Json policy, ParseJson(*text).Context("{}", kApprovalPolicy));
  return GetStringsOr(policy, "packages");
}

std::string StateOf(const ApprovalRow& row, int64_t now_ms) {
  return row.state == "open" && row.expires_ms <= now_ms ? "expired" : row.state;
}

Result<std::optional<ApprovalRow>> AskApproval(const Call& call, const Route& route,
                                               const std::string& package) {
  if (route.right.two_people == TwoPeople::kNever) return std::optional<ApprovalRow>();
  bool wait = false;
  FERRY_TRY(call.admin.store->Read([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(wait, MustWait(call, route, package, tx));
    return OkStatus();
  }));
  if (!wait) return std::optional<ApprovalRow>();
  const ApprovalRow fresh = RequestOf(call, package);
  ApprovalRow row;
  AuditEntry entry = EntryOf(call, route);
  FillEntry(call, &entry);
  entry.package = package;
  entry.outcome = "asked";
  FERRY_TRY(call.admin.store->Write([&](Transaction& tx) -> Status {
    row = fresh;
    FERRY_TRY(FindOrPut(tx, call.admin.clock->NowUnixMs(), &row));
    entry.reason = "waits for approval " + row.id;
    return AsStatus(tx.audit().Append(entry));
  }));
  return std::optional<ApprovalRow>(std::move(row));
}

Result<Json> CarryOutApproved(const Call& approver, const std::string& id) {
  FERRY_ASSIGN_OR_RETURN(const ApprovalRow row, OpenRequest(approver, id));
  if (row.account == approver.who.account)
    return Status(Code::kPermissionDenied, "who asked cannot agree to it: another user has to");
  FERRY_ASSIGN_OR_RETURN(Identity asker, Asker(approver, row));
  Call call = approver;
  call.answer = nullptr;  // what is answered is the agreement
  call.next = nullptr;
  FERRY_ASSIGN_OR_RETURN(const Route* route,
                         approver.routes.Find(row.method, row.path, &call.arguments));
  FERRY_ASSIGN_OR_RETURN(call.body, ParseJson(row.body));
  call.by = asker.name;
  call.who = std::move(asker);
  std::string package;
  FERRY_TRY(CheckRole(call, route->right));
  FERRY_TRY(CheckTarget(call, route->right, &package));
  AuditEntry entry = EntryOf(call, *route);
  FillEntry(call, &entry);
  entry.package = package;
  entry.outcome = "done";
  entry.reason = fmt::format("approved by {} in {}", approver.who.account, row.id);
  entry.source = "approval";
  // By value: a call that writes nothing is marked done after this function.
  AuditScope::Along([id, entry, by = approver.who.account,
                     now_ms = approver.admin.clock->NowUnixMs()](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(ApprovalRow now, tx.accounts().Approval(id));
    FERRY_TRY(CheckOpen(now, now_ms));
    now.state = "done";
    now.decided_by = by;
    now.decided_ms = now_ms;
    FERRY_TRY(tx.accounts().PutApproval(now));
    return AsStatus(tx.audit().Append(entry));
  });
  Result<Json> answer = route->json(call);
  if (!answer.ok()) {
    AuditScope::Along(nullptr);
    return answer.status();
  }
  return Json{{"approval", id}, {"answer", std::move(*answer)}};
}

Status RejectApproval(const Call& call, const std::string& id, const std::string& why) {
  FERRY_TRY(AsStatus(OpenRequest(call, id)));
  return call.admin.store->Write([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(ApprovalRow row, tx.accounts().Approval(id));
    FERRY_TRY(CheckOpen(row, call.admin.clock->NowUnixMs()));
    row.state = "rejected";
    row.decided_by = call.who.account;
    row.decided_ms = call.admin.clock->NowUnixMs();
    row.reason = why.substr(0, kMaxAuditText);
    return tx.accounts().PutApproval(row);
  });
}

}  // namespace ferry::server
