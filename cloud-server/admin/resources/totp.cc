// Second factors: made, confirmed by a first code, and taken away.
#include "cloud-server/admin/login/totp.h"

#include "cloud-server/admin/rights/users.h"
#include "cloud-server/admin/routes.h"

namespace ferry::server {
namespace {

// A program's token is no user: else who steals one could shut its user out.
Status CheckSelf(const Call& call) {
  if (call.who.session.empty())
    return Status(Code::kPermissionDenied, "a second factor is its user's, not an API token's");
  if (call.arguments[0] != call.who.account)
    return Status(Code::kPermissionDenied, "only the user itself sets its second factor up");
  return OkStatus();
}

Status ChangeTotp(const Call& call, const std::function<Status(Totp&)>& change) {
  return ChangeUser(call.admin, call.arguments[0], [&](AccountRow& row) -> Status {
    FERRY_ASSIGN_OR_RETURN(Totp totp, Totp::Parse(row.totp));
    FERRY_TRY(change(totp));
    row.totp = totp.Text();
    return OkStatus();
  });
}

Status TakeTypedCode(const Call& call, Totp& totp) {
  FERRY_ASSIGN_OR_RETURN(const std::string code, GetString(call.body, "code"));
  FERRY_TRY(call.tries.Take(call.http.peer, call.admin.clock->MonotonicNs()));
  if (!totp.Take(code, call.admin.clock->NowUnixMs()))
    return Status(Code::kPermissionDenied, "code: wrong, or used before");
  call.tries.GiveBack(call.http.peer);
  return OkStatus();
}

Result<Json> PostTotp(const Call& call) {
  FERRY_TRY(CheckSelf(call));
  Totp made;
  made.secret.resize(kTotpSecretBytes);
  call.admin.random->Fill(made.secret);
  Json codes = Json::array();
  for (size_t i = 0; i < kRecoveryCodes; ++i) {
    Bytes raw(kRecoveryCodeBytes);
    call.admin.random->Fill(raw);
    const std::string code = RecoveryCode(raw);
    made.recovery_sha256.push_back(RecoveryHash(code));
    codes.push_back(code);
  }
  FERRY_TRY(ChangeTotp(call, [&](Totp& totp) -> Status {
    if (totp.confirmed)
      return Status(Code::kFailedPrecondition,
                    "there is a second factor already: take it away first");
    totp = made;
    return OkStatus();
  }));
  return Json{{"secret", Base32(made.secret)},
              {"uri", TotpUri(call.who.account, made.secret)},
              {"recovery", std::move(codes)}};
}

Result<Json> PutTotp(const Call& call) {
  FERRY_TRY(CheckSelf(call));
  FERRY_TRY(ChangeTotp(call, [&](Totp& totp) -> Status {
    if (totp.none())
      return Status(Code::kFailedPrecondition, "there is no second factor to confirm");
    FERRY_TRY(TakeTypedCode(call, totp));
    totp.confirmed = true;
    return OkStatus();
  }));
  return Json{{"confirmed", true}};
}

// Who sits before a page that somebody left must have the factor, too; an admin helps users who
// have lost theirs.
Result<Json> DeleteTotp(const Call& call) {
  const bool own = call.arguments[0] == call.who.account;
  if (own) FERRY_TRY(CheckSelf(call));
  FERRY_TRY(ChangeTotp(call, [&](Totp& totp) -> Status {
    if (own && totp.confirmed) FERRY_TRY(TakeTypedCode(call, totp));
    totp = Totp();
    return OkStatus();
  }));
  return Json(Json::object());
}

}  // namespace

void Add_totp(Routes& routes) {
  routes.Add("POST", "/api/v1/users/{name}/totp", PostTotp);
  routes.Add("PUT", "/api/v1/users/{name}/totp", PutTotp);
  routes.Add("DELETE", "/api/v1/users/{name}/totp", DeleteTotp);
}

}  // namespace ferry::server
