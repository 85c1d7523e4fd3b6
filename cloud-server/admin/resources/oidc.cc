// Signing in at an issuer: whether there is one, on the way there, and back.
#include "cloud-server/admin/login/cookies.h"
#include "cloud-server/admin/login/oidc_login.h"
#include "cloud-server/admin/rights/log.h"
#include "cloud-server/admin/routes.h"

namespace ferry::server {
namespace {

constexpr size_t kMaxHostBytes = 300;

Status NoIssuer() {
  return Status(Code::kNotFound, "this server knows no issuer (ferry-server run --oidc-issuer)");
}

// What the sign-in page offers, and the sentence of a refusal that its address names.
Result<Json> GetOidc(const Call& call) {
  const std::string sentence = oidc::SentenceOf(call.Query("refused"));
  return Json{{"name", call.admin.sign_in ? Json(call.admin.sign_in->options().name) : Json()},
              {"refused", sentence.empty() ? Json() : Json(sentence)}};
}

Result<Json> GetStart(const Call& call) {
  if (!call.admin.sign_in) return NoIssuer();
  const std::string host = call.http.Header("host");
  if (host.size() > kMaxHostBytes) return Status(Code::kInvalidArgument, "Host: too long");
  const CookieSite site = CookieSiteOf(call.admin);
  const std::string session = CookieOf(call.http, site);
  FERRY_ASSIGN_OR_RETURN(
      const oidc::SignIn::Begun begun,
      call.admin.sign_in->Begin(
          {call.http.peer, call.Query("goal"),
           fmt::format("{}://{}{}", site.tls ? "https" : "http", host, kOidcReturnPath),
           session.empty() ? "" : TokenHash(session)}));
  (*call.answer)["Set-Cookie"] = SetBegunCookie(begun.browser, site);
  return Json{{"url", begun.url}};
}

HttpResponse ToConsole(oidc::Refusal refusal, const std::string& goal) {
  HttpResponse response;
  response.status = 303;
  response.content_type = "text/plain";
  response.headers["Location"] = refusal == oidc::Refusal::kNone
                                     ? "/" + goal
                                     : fmt::format("/?refused={}{}", oidc::NameOf(refusal), goal);
  return response;
}

Result<AuditEntry> EntryOfPerson(const Call& call, const oidc::Person& person) {
  AuditEntry entry;
  entry.time_ms = call.admin.clock->NowUnixMs();
  FERRY_ASSIGN_OR_RETURN(entry.user, NameOfSubject(call.admin, person.subject));
  if (entry.user.empty()) entry.user = person.name;
  entry.source = call.http.peer;
  entry.action = fmt::format("GET {}", kOidcReturnPath);
  entry.target = person.subject;
  entry.reason = "signed in by OIDC";
  return entry;
}

// Who comes back is signed in, or not, with a row of the audit log.
HttpResponse SignInPerson(const Call& call, const oidc::SignIn::Ended& ended) {
  const CookieSite site = CookieSiteOf(call.admin);
  SessionRow row;
  row.cookie = true;
  row.peer = call.http.peer;
  row.agent = call.http.Header("user-agent").substr(0, kMaxAgentBytes);
  if (ended.refusal == oidc::Refusal::kRole) {
    const Status signed_out = EndOidcSessions(call.admin, ended.person.subject);
    if (!signed_out.ok()) return ErrorResponse(signed_out);
  }
  Result<AuditEntry> entry = EntryOfPerson(call, ended.person);
  if (!entry.ok()) return ErrorResponse(entry.status());
  oidc::Refusal refusal = ended.refusal;
  Result<Login> login = ended.why.ok() ? Result<Login>(Login()) : ended.why;
  AuditScope scope(*call.admin.store, *std::move(entry));
  if (ended.why.ok())
    login = LogInByOidc(call.admin, ended.person, row, ended.session_sha256, &refusal);
  if (const Status written = scope.Finish(login.status()); !written.ok())
    return ErrorResponse(written);
  if (!login.ok() && refusal == oidc::Refusal::kNone) return ErrorResponse(login.status());
  HttpResponse response = ToConsole(refusal, ended.goal);
  response.headers["Set-Cookie"] =
      refusal == oidc::Refusal::kNone ? SetCookie(login->token, site) : ClearBegunCookie(site);
  return response;
}

HttpResponse GetReturn(const Call& call) {
  if (!call.admin.sign_in) return ErrorResponse(NoIssuer());
  // Each costs calls of the issuer: who fails often waits, as with passwords.
  if (!call.tries.Take(call.http.peer, call.admin.clock->MonotonicNs()).ok()) {
    call.refusals.Note("oidc busy", call.http.peer, "too many sign-ins failed");
    return ToConsole(oidc::Refusal::kBusy, "");
  }
  const std::string browser = BegunCookieOf(call.http, CookieSiteOf(call.admin));
  const oidc::SignIn::Ended ended = call.admin.sign_in->End(call.http.query, browser);
  if (ended.refusal != oidc::Refusal::kNone)
    call.refusals.Note(fmt::format("oidc {}", oidc::NameOf(ended.refusal)), call.http.peer,
                       fmt::format("sign-in by OIDC: {}", ended.why.ToString()));
  // Whose fault it is not, or who is known, is not counted among those who guess.
  const bool guess =
      ended.refusal == oidc::Refusal::kToken || ended.refusal == oidc::Refusal::kStale;
  if (!guess) call.tries.GiveBack(call.http.peer);
  // Strangers may call this as often as they like: no rows for them.
  return ended.known ? SignInPerson(call, ended) : ToConsole(ended.refusal, "");
}

}  // namespace

void Add_oidc(Routes& routes) {
  routes.AddOpen("GET", "/api/v1/oidc", GetOidc);
  routes.AddOpen("GET", "/api/v1/oidc/start", GetStart);
  routes.AddOpenRaw("GET", kOidcReturnPath, GetReturn);
}

}  // namespace ferry::server
