#include "cloud-server/store/webhooks.h"

#include "cloud-server/store/sql/repositories.h"
#include "common/base/json.h"

namespace ferry::server {
namespace {

#define FERRY_WEBHOOK_COLUMNS \
  "id, url, events, secret, account, created_ms, cursor, tries, next_ms, error"

// What a trigger wrote, as JSON: names and values in turn, with a unit separator between them.
std::string JsonOfPairs(const std::string& text) {
  if (text.starts_with("{")) return text;
  Json json = Json::object();
  std::string_view rest = text;
  const auto next = [&] {
    const size_t end = rest.find('\x1f');
    const std::string part(rest.substr(0, end));
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
    return part;
  };
  while (!rest.empty()) {
    const std::string name = next();
    json[name] = next();
  }
  return WriteJson(json);
}

class WebhookTables : public WebhookRepository {
 public:
  explicit WebhookTables(Connection& sql) : sql_(sql) {}

  Result<WebhookRow> Get(const std::string& id) override {
    FERRY_ASSIGN_OR_RETURN(std::vector<WebhookRow> rows, All());
    for (WebhookRow& row : rows)
      if (row.id == id) return std::move(row);
    return Missing("webhook", id);
  }

  Result<std::vector<WebhookRow>> All() override {
    std::vector<WebhookRow> rows;
    FERRY_TRY(sql_.Query("SELECT " FERRY_WEBHOOK_COLUMNS " FROM webhook ORDER BY created_ms, id",
                         {}, [&](Row& row) -> Status {
                           WebhookRow& hook = rows.emplace_back();
                           hook.id = row.NextText();
                           hook.url = row.NextText();
                           FERRY_ASSIGN_OR_RETURN(hook.events, ReadTexts(row.NextText()));
                           hook.secret = row.NextText();
                           hook.account = row.NextText();
                           hook.created_ms = row.NextInt();
                           hook.cursor = row.NextInt();
                           hook.tries = row.NextInt();
                           hook.next_ms = row.NextInt();
                           hook.error = row.NextText();
                           return OkStatus();
                         }));
    return rows;
  }

  Status Add(const WebhookRow& row) override {
    const std::string events = WriteTexts(row.events);
    return sql_.Run("INSERT INTO webhook (" FERRY_WEBHOOK_COLUMNS
                    ") VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
                    {row.id, row.url, events, row.secret, row.account, row.created_ms, row.cursor,
                     row.tries, row.next_ms, row.error});
  }

  Status Remove(const std::string& id) override {
    FERRY_TRY(sql_.Run("DELETE FROM webhook WHERE id = ?1", {id}));
    if (sql_.changes() == 0) return Missing("webhook", id);
    return sql_.Run("DELETE FROM webhook_delivery WHERE webhook = ?1", {id});
  }

  Result<bool> Move(const WebhookRow& row, int64_t from) override {
    FERRY_TRY(
        sql_.Run("UPDATE webhook SET cursor = ?2, tries = ?3, next_ms = ?4, error = ?5 "
                 "WHERE id = ?1 AND cursor = ?6",
                 {row.id, row.cursor, row.tries, row.next_ms, row.error, from}));
    return sql_.changes() > 0;
  }

  Result<int64_t> Replay(const std::string& id, int64_t since_ms) override {
    FERRY_ASSIGN_OR_RETURN(const WebhookRow hook, Get(id));
    int64_t first = 0, count = 0;
    FERRY_TRY(sql_.Query(
        "SELECT COALESCE(min(seq), 0), count(*) FROM webhook_event WHERE time_ms >= ?1 AND "
        "seq <= ?2",
        {since_ms, hook.cursor}, [&](Row& row) {
          first = row.NextInt();
          count = row.NextInt();
          return OkStatus();
        }));
    if (count == 0) return 0;
    FERRY_TRY(
        sql_.Run("UPDATE webhook SET cursor = ?2, tries = 0, next_ms = 0, error = '' WHERE id = ?1",
                 {id, first - 1}));
    return count;
  }

  Status AddEvent(int64_t time_ms, const std::string& kind, const std::string& body) override {
    return sql_.Run(
        "INSERT INTO webhook_event (time_ms, kind, body) SELECT ?1, ?2, ?3 "
        "WHERE EXISTS (SELECT 1 FROM webhook)",
        {time_ms, kind, body});
  }

  Result<std::vector<WebhookEventRow>> Events(int64_t after, size_t limit) override {
    std::vector<WebhookEventRow> rows;
    FERRY_TRY(sql_.Query(sql_.Choose("SELECT seq, time_ms, kind, body FROM webhook_event WHERE seq "
                                     "> ?1 ORDER BY seq LIMIT ?2",
                                     "SELECT seq, time_ms, kind, body FROM webhook_event WHERE seq "
                                     "> ?1 AND seq < ferry_settled(14) ORDER BY seq LIMIT ?2"),
                         {after, static_cast<int64_t>(limit)}, [&](Row& row) {
                           WebhookEventRow& event = rows.emplace_back();
                           event.seq = row.NextInt();
                           event.time_ms = row.NextInt();
                           event.kind = row.NextText();
                           event.body = JsonOfPairs(row.NextText());
                           return OkStatus();
                         }));
    return rows;
  }

  Result<int64_t> LastEvent() override {
    int64_t last = 0;
    FERRY_TRY(sql_.Query("SELECT COALESCE(max(seq), 0) FROM webhook_event", {}, [&](Row& row) {
      last = row.NextInt();
      return OkStatus();
    }));
    return last;
  }

  Status AddDelivery(const WebhookDeliveryRow& row) override {
    return sql_.Run(
        "INSERT INTO webhook_delivery (webhook, event, kind, dead, tries, status, error, time_ms) "
        "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        {row.webhook, row.event, row.kind, row.dead, row.tries, row.status, row.error,
         row.time_ms});
  }

  Result<std::vector<WebhookDeliveryRow>> Deliveries(const std::string& webhook, bool dead,
                                                     size_t limit) override {
    std::vector<WebhookDeliveryRow> rows;
    FERRY_TRY(sql_.Query(
        "SELECT webhook, event, kind, dead, tries, status, error, time_ms FROM webhook_delivery "
        "WHERE webhook = ?1 AND (dead = 1 OR ?2 = 0) ORDER BY number DESC LIMIT ?3",
        {webhook, dead, static_cast<int64_t>(limit)}, [&](Row& row) {
          WebhookDeliveryRow& delivery = rows.emplace_back();
          delivery.webhook = row.NextText();
          delivery.event = row.NextInt();
          delivery.kind = row.NextText();
          delivery.dead = row.NextBool();
          delivery.tries = row.NextInt();
          delivery.status = row.NextInt();
          delivery.error = row.NextText();
          delivery.time_ms = row.NextInt();
          return OkStatus();
        }));
    return rows;
  }

  Result<int64_t> Drop(int64_t before_ms, size_t limit) override {
    const auto most = static_cast<int64_t>(limit);
    FERRY_TRY(
        sql_.Run("DELETE FROM webhook_event WHERE seq IN (SELECT seq FROM webhook_event "
                 "WHERE time_ms < ?1 ORDER BY seq LIMIT ?2)",
                 {before_ms, most}));
    const int64_t events = sql_.changes();
    FERRY_TRY(sql_.Run(
        "DELETE FROM webhook_delivery WHERE number IN (SELECT number FROM webhook_delivery "
        "WHERE time_ms < ?1 ORDER BY number LIMIT ?2)",
        {before_ms, most}));
    return events + sql_.changes();
  }

 private:
  Connection& sql_;
};

}  // namespace

std::unique_ptr<WebhookRepository> MakeWebhookRepository(Connection& sql) {
  return std::make_unique<WebhookTables>(sql);
}

}  // namespace ferry::server
