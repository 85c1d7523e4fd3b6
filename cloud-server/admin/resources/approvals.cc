// Requests that wait for a second person, and which packages take two.
#include "cloud-server/admin/rights/approvals.h"

#include "cloud-server/admin/interface/lists.h"

namespace ferry::server {
namespace {

Json ApprovalToJson(const ApprovalRow& row, int64_t now_ms) {
  const Result<Json> body = ParseJson(row.body);
  return {{"id", row.id},
          {"user", row.account},
          {"method", row.method},
          {"path", row.path},
          {"body", body.ok() ? *body : Json()},
          {"body_sha256", row.body_sha256},
          {"package", row.package},
          {"asked_ms", row.asked_ms},
          {"expires_ms", row.expires_ms},
          {"state", StateOf(row, now_ms)},
          {"decided_by", row.decided_by},
          {"decided_ms", row.decided_ms == 0 ? Json() : Json(row.decided_ms)},
          {"reason", row.reason}};
}

Result<Json> ListApprovals(const Call& call) {
  // Ids are random: the newest first is by time.
  static const list::Spec& spec = MakeListSpec({{"id", list::ColumnKind::kText},
                                                {"user", list::ColumnKind::kText},
                                                {"method", list::ColumnKind::kText},
                                                {"path", list::ColumnKind::kText},
                                                {"package", list::ColumnKind::kText},
                                                {"state", list::ColumnKind::kText},
                                                {"decided_by", list::ColumnKind::kText},
                                                {"reason", list::ColumnKind::kText},
                                                {"asked_ms", list::ColumnKind::kNumber},
                                                {"expires_ms", list::ColumnKind::kNumber}},
                                               "id", "-asked_ms");
  std::vector<Json> rows;
  Json packages;
  FERRY_TRY(call.admin.store->Read([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(const auto all, tx.accounts().Approvals(kShownApprovals));
    for (const ApprovalRow& row : all)
      rows.push_back(ApprovalToJson(row, call.admin.clock->NowUnixMs()));
    FERRY_ASSIGN_OR_RETURN(packages, ApprovalPackages(tx));
    return OkStatus();
  }));
  FERRY_ASSIGN_OR_RETURN(Json json, AnswerList(call, spec, "approvals", rows));
  json["policy"] = {{"packages", std::move(packages)}};
  return json;
}

Result<Json> GetApproval(const Call& call) {
  Json json;
  FERRY_TRY(call.admin.store->Read([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(const ApprovalRow row, tx.accounts().Approval(call.arguments[0]));
    json = ApprovalToJson(row, call.admin.clock->NowUnixMs());
    return OkStatus();
  }));
  return json;
}

Result<Json> Reject(const Call& call) {
  FERRY_ASSIGN_OR_RETURN(const std::string why, GetStringOr(call.body, "why", ""));
  FERRY_TRY(RejectApproval(call, call.arguments[0], why));
  return GetApproval(call);
}

Result<Json> PutPolicy(const Call& call) {
  FERRY_ASSIGN_OR_RETURN(const auto packages, GetStrings(call.body, "packages"));
  if (!packages.empty()) FERRY_TRY(CheckScope(packages, {}));
  const Json policy = {{"packages", packages}};
  FERRY_TRY(call.admin.store->Write(
      [&](Transaction& tx) { return tx.access().PutSetting(kApprovalPolicy, WriteJson(policy)); }));
  return policy;
}

Result<Json> GetPolicy(const Call& call) {
  std::vector<std::string> packages;
  FERRY_TRY(call.admin.store->Read([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(packages, ApprovalPackages(tx));
    return OkStatus();
  }));
  return Json{{"packages", packages}};
}

}  // namespace

void Add_approvals(Routes& routes) {
  routes.Add("GET", "/api/v1/approvals", ListApprovals);
  routes.Add("GET", "/api/v1/approval-policy", GetPolicy);
  routes.Add("PUT", "/api/v1/approval-policy", PutPolicy);
  routes.Edits("/api/v1/approval-policy", GetPolicy);
  routes.Add("GET", "/api/v1/approvals/{id}", GetApproval);
  routes.Add("POST", "/api/v1/approvals/{id}/approve",
             [](const Call& call) { return CarryOutApproved(call, call.arguments[0]); });
  routes.Add("POST", "/api/v1/approvals/{id}/reject", Reject);
}

}  // namespace ferry::server
