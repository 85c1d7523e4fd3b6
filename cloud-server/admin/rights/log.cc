#include "cloud-server/admin/rights/log.h"

namespace ferry::server {

AuditEntry EntryOf(const Call& call, const Route& route) {
  AuditEntry entry;
  entry.time_ms = call.admin.clock->NowUnixMs();
  entry.user = call.who.account;
  entry.source = call.http.peer;
  entry.action = route.method + " " + route.pattern;
  for (const std::string& argument : call.arguments)
    entry.target += (entry.target.empty() ? "" : "/") + argument;
  return entry;
}

void FillEntry(const Call& call, AuditEntry* entry) {
  const auto text = [&](const char* key) {
    const Result<std::string> value = GetStringOr(call.body, key, "");
    return value.ok() ? *value : std::string();
  };
  entry->reason = text("why");
  if (entry->user.empty()) {
    const std::string user = text("user");
    entry->user = user.empty() ? kAdminAccount : user;
  }
  // What a call makes has no name in its path.
  if (!entry->target.empty()) return;
  for (const char* key : {"name", "package", "path"})
    if (entry->target.empty()) entry->target = text(key);
  if (const std::string version = text("version"); !version.empty() && !entry->target.empty())
    entry->target += "/" + version;
}

Status WriteRefused(const AdminOptions& options, AuditEntry entry, const Status& why) {
  entry.outcome = "refused";
  entry.reason = why.ToString();
  return WriteAudit(*options.store, entry);
}

Status StatusOf(const HttpResponse& response) {
  if (response.status < 400) return OkStatus();
  const Result<Json> json = ParseJson(response.body);
  if (json.ok()) {
    const Result<const Json*> error = GetObject(*json, "error");
    const Result<int64_t> number = error.ok() ? GetInt(**error, "code") : error.status();
    const Result<std::string> text = error.ok() ? GetString(**error, "text") : error.status();
    if (number.ok() && text.ok())
      return Status(CodeFromNumber(static_cast<int>(*number)).value_or(Code::kInternal), *text);
  }
  return Status::Of(Code::kInternal, "HTTP status {}", response.status);
}

}  // namespace ferry::server
