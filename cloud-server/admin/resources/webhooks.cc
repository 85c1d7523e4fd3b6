// Whom the server tells what happened, and what became of it.
#include "cloud-server/admin/rights/users.h"
#include "cloud-server/admin/routes.h"
#include "cloud-server/webhook/webhook.h"

namespace ferry::server {
namespace {

constexpr size_t kHookIdBytes = 5;
constexpr size_t kMinSecretBytes = 16, kMaxSecretBytes = 256;
constexpr int64_t kShownDeliveries = 100, kMostDeliveries = 1000;

Json WebhookToJson(const WebhookRow& row) {
  return {{"id", row.id},
          {"url", row.url},
          {"events", row.events},
          {"user", row.account},
          {"created_ms", row.created_ms},
          {"cursor", row.cursor},
          {"tries", row.tries},
          {"next_ms", row.next_ms == 0 ? Json() : Json(row.next_ms)},
          {"error", row.error}};
}

Result<Json> ListWebhooks(const Call& call) {
  Json rows = Json::array();
  FERRY_TRY(call.admin.store->Read([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(const auto hooks, tx.webhooks().All());
    FERRY_ASSIGN_OR_RETURN(const int64_t last, tx.webhooks().LastEvent());
    for (const WebhookRow& hook : hooks) {
      rows.push_back(WebhookToJson(hook));
      rows.back()["waiting"] = std::max<int64_t>(0, last - hook.cursor);
    }
    return OkStatus();
  }));
  return Json{{"webhooks", std::move(rows)}};
}

Result<Json> PostWebhook(const Call& call) {
  WebhookRow row;
  FERRY_ASSIGN_OR_RETURN(row.url, GetString(call.body, "url"));
  FERRY_ASSIGN_OR_RETURN(row.secret, GetString(call.body, "secret"));
  FERRY_ASSIGN_OR_RETURN(row.events, GetStringsOr(call.body, "events"));
  FERRY_TRY(AsStatus(ParseWebhookUrl(row.url)));
  if (row.secret.size() < kMinSecretBytes || row.secret.size() > kMaxSecretBytes)
    return Status::Of(Code::kInvalidArgument, "secret: {} to {} bytes", kMinSecretBytes,
                      kMaxSecretBytes);
  if (row.events.empty()) row.events = {"*"};
  FERRY_TRY(CheckScope(row.events, {}).Context("events"));
  row.id = RandomHex(call.admin, kHookIdBytes);
  row.account = call.who.account;
  row.created_ms = call.admin.clock->NowUnixMs();
  FERRY_TRY(call.admin.store->Write([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(const auto hooks, tx.webhooks().All());
    if (hooks.size() >= kMaxWebhooks)
      return Status::Of(Code::kLimitExceeded, "there are {} webhooks already", kMaxWebhooks);
    FERRY_ASSIGN_OR_RETURN(row.cursor, tx.webhooks().LastEvent());
    return tx.webhooks().Add(row);
  }));
  return WebhookToJson(row);
}

Result<Json> RemoveWebhook(const Call& call) {
  FERRY_TRY(call.admin.store->Write(
      [&](Transaction& tx) { return tx.webhooks().Remove(call.arguments[0]); }));
  return Json(Json::object());
}

Result<Json> ListDeliveries(const Call& call) {
  FERRY_ASSIGN_OR_RETURN(int64_t limit, call.QueryInt("limit", kShownDeliveries));
  limit = std::clamp<int64_t>(limit, 1, kMostDeliveries);
  Json rows = Json::array();
  FERRY_TRY(call.admin.store->Read([&](Transaction& tx) -> Status {
    FERRY_TRY(AsStatus(tx.webhooks().Get(call.arguments[0])));
    FERRY_ASSIGN_OR_RETURN(const auto found,
                           tx.webhooks().Deliveries(call.arguments[0], call.Query("dead") == "1",
                                                    static_cast<size_t>(limit)));
    for (const WebhookDeliveryRow& row : found)
      rows.push_back({{"event", row.event},
                      {"kind", row.kind},
                      {"dead", row.dead},
                      {"tries", row.tries},
                      {"status", row.status},
                      {"error", row.error},
                      {"time_ms", row.time_ms}});
    return OkStatus();
  }));
  return Json{{"deliveries", std::move(rows)}};
}

Result<Json> PostReplay(const Call& call) {
  FERRY_ASSIGN_OR_RETURN(const int64_t since_ms, GetInt(call.body, "since_ms"));
  int64_t count = 0;
  FERRY_TRY(call.admin.store->Write([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(count, tx.webhooks().Replay(call.arguments[0], since_ms));
    return OkStatus();
  }));
  return Json{{"events", count}};
}

}  // namespace

void Add_webhooks(Routes& routes) {
  routes.Add("GET", "/api/v1/webhooks", ListWebhooks);
  routes.Add("POST", "/api/v1/webhooks", PostWebhook);
  routes.Add("DELETE", "/api/v1/webhooks/{id}", RemoveWebhook);
  routes.Add("GET", "/api/v1/webhooks/{id}/deliveries", ListDeliveries);
  routes.Add("POST", "/api/v1/webhooks/{id}/replay", PostReplay);
}

}  // namespace ferry::server
