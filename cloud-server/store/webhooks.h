// Webhooks: whom the server tells what happened, and how far each was told. Triggers of the schema
// queue release events and rows of the audit log while there is any webhook, in the transaction of
// the change itself.
#pragma once

#include <string>
#include <vector>

#include "common/base/status.h"

namespace ferry::server {

struct WebhookRow {
  std::string id;
  std::string url;
  std::vector<std::string> events;  // globs of kinds: "release.*"
  std::string secret;               // signs; the receiver has it too, so it cannot be hashed
  std::string account;              // who made it
  int64_t created_ms = 0;
  int64_t cursor = 0;   // events up to this one are delivered, dead or of no interest
  int64_t tries = 0;    // of the next one
  int64_t next_ms = 0;  // when it is tried again
  std::string error;    // of the last try; empty: it went well
  bool operator==(const WebhookRow&) const = default;
};

struct WebhookEventRow {
  int64_t seq = 0;  // grows, never used again
  int64_t time_ms = 0;
  std::string kind;  // "release.paused", "package.published", "user.changed"
  std::string body;  // JSON object
};

struct WebhookDeliveryRow {
  std::string webhook;
  int64_t event = 0;
  std::string kind;
  bool dead = false;  // given up
  int64_t tries = 0;
  int64_t status = 0;  // HTTP; 0: no answer
  std::string error;
  int64_t time_ms = 0;
};

class WebhookRepository {
 public:
  virtual ~WebhookRepository() = default;
  virtual Result<WebhookRow> Get(const std::string& id) = 0;
  virtual Result<std::vector<WebhookRow>> All() = 0;
  virtual Status Add(const WebhookRow& row) = 0;
  virtual Status Remove(const std::string& id) = 0;
  // False, and nothing is written, when the cursor is not `from` any more: it was set back.
  virtual Result<bool> Move(const WebhookRow& row, int64_t from) = 0;
  // Tells everything from `since_ms` on once more; how many events that are.
  virtual Result<int64_t> Replay(const std::string& id, int64_t since_ms) = 0;
  virtual Status AddEvent(int64_t time_ms, const std::string& kind, const std::string& body) = 0;
  virtual Result<std::vector<WebhookEventRow>> Events(int64_t after, size_t limit) = 0;
  virtual Result<int64_t> LastEvent() = 0;  // 0: none yet
  virtual Status AddDelivery(const WebhookDeliveryRow& row) = 0;
  virtual Result<std::vector<WebhookDeliveryRow>> Deliveries(const std::string& webhook, bool dead,
                                                             size_t limit) = 0;  // newest first
  // Events and deliveries from before; how many went.
  virtual Result<int64_t> Drop(int64_t before_ms, size_t limit) = 0;
};

}  // namespace ferry::server
