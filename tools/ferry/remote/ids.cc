#include "tools/ferry/remote/ids.h"
#include "tools/ferry/remote/list.h"

namespace ferry::cli {
namespace {

// The id among the items of `list` that GET `path` answers with.
Result<std::string> ListedId(const Api& api, const std::string& path, const char* list,
                             std::string_view kind, const std::string& text) {
  if (text.empty()) return text;
  const bool asks_some = path.find('?') != std::string::npos;
  const Result<Json> answer = asks_some ? api.Get(path) : GetList(api, path, list);
  if (!answer.ok()) return text;
  const Result<const Json*> rows = GetArray(*answer, list);
  return rows.ok() ? PickId(kind, text, **rows) : Result<std::string>(text);
}

}  // namespace

Result<std::string> PickId(std::string_view kind, const std::string& text, const Json& rows) {
  std::vector<std::string> found;
  for (const Json& row : rows) {
    const auto id = row.is_object() ? GetStringOr(row, "id", "") : Result<std::string>("");
    if (!id.ok() || !id->starts_with(text)) continue;
    if (*id == text) return text;
    found.push_back(*id);
  }
  if (found.empty()) return text;
  if (found.size() == 1) return found.front();
  std::string candidates;
  for (size_t i = 0; i < std::min(found.size(), kShownCandidates); ++i)
    candidates += (i == 0 ? "" : ", ") + found[i];
  if (found.size() > kShownCandidates) candidates += " and more";
  return Status::Of(Code::kInvalidArgument, "{} \"{}\" is the beginning of several: {}", kind, text,
                    candidates);
}

// Ids are ordered: those that begin with a text come right behind it.
Result<std::string> DeviceId(const Api& api, const std::string& text) {
  if (text.size() >= kDeviceIdLetters) return text;
  return ListedId(api,
                  fmt::format("/devices?limit={}&after={}", kShownCandidates + 1, PathPart(text)),
                  "devices", "device", text);
}

Status ToDeviceIds(const Api& api, std::vector<std::string>& texts) {
  for (std::string& text : texts) {
    FERRY_ASSIGN_OR_RETURN(text, DeviceId(api, text));
  }
  return OkStatus();
}

// Mostly the id is whole: one thing is less to ask for than all.
Result<std::string> ReleaseId(const Api& api, const std::string& text) {
  if (text.empty() || api.Get("/releases/" + PathPart(text)).ok()) return text;
  return ListedId(api, "/releases", "releases", "release", text);
}

Result<std::string> CampaignId(const Api& api, const std::string& text) {
  if (text.empty() || api.Get("/campaigns/" + PathPart(text)).ok()) return text;
  return ListedId(api, "/campaigns", "campaigns", "campaign", text);
}

Result<std::string> ApprovalId(const Api& api, const std::string& text) {
  return ListedId(api, "/approvals", "approvals", "request", text);
}

Result<std::string> WebhookId(const Api& api, const std::string& text) {
  return ListedId(api, "/webhooks", "webhooks", "webhook", text);
}

Result<std::string> TokenId(const Api& api, const std::string& user, const std::string& text) {
  return ListedId(api, "/users/" + PathPart(user) + "/tokens", "tokens", "token", text);
}

}  // namespace ferry::cli
