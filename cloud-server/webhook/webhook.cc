#include "cloud-server/webhook/webhook.h"

#include <fnmatch.h>

#include <algorithm>

#include "common/base/json.h"
#include "common/base/log.h"

namespace ferry::server {
namespace {

constexpr size_t kEventsInOneRead = 100;
constexpr size_t kDropped = 500;
constexpr size_t kMaxErrorText = 200;

bool IsWanted(const WebhookRow& hook, const std::string& kind) {
  return std::any_of(hook.events.begin(), hook.events.end(), [&](const std::string& glob) {
    return ::fnmatch(glob.c_str(), kind.c_str(), FNM_NOESCAPE) == 0;
  });
}

// Asking again changes nothing, unless the receiver was only busy.
bool IsRefusal(int status) {
  return status >= 400 && status < 500 && status != 408 && status != 425 && status != 429;
}

std::string BodyOf(const WebhookEventRow& event) {
  const Result<Json> data = ParseJson(event.body);
  return WriteJson({{"id", event.seq},
                    {"kind", event.kind},
                    {"time_ms", event.time_ms},
                    {"data", data.ok() ? *data : Json::object()}});
}

}  // namespace

int64_t RetryDelayMs(int64_t tries, sys::Random& random) {
  const int64_t doubled = kFirstRetryMs << std::clamp<int64_t>(tries - 1, 0, 20);
  const int64_t base = std::min(doubled, kMostRetryMs);
  return base / 2 + static_cast<int64_t>(random.Below(static_cast<uint64_t>(base) + 1));
}

Webhooks::~Webhooks() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
}

bool Webhooks::Stopping() {
  const std::lock_guard lock(mutex_);
  return stopping_;
}

void Webhooks::Start() {
  thread_ = std::thread([this] {
    std::unique_lock lock(mutex_);
    while (!stopping_) {
      lock.unlock();
      if (const Status passed = RunOnce(parts_.once, [this] { return Pass(); }); !passed.ok())
        LogWarn("webhook", "the queue: {}", passed.ToString());
      lock.lock();
      wake_.wait_for(lock, std::chrono::milliseconds(kWebhookLookMs), [&] { return stopping_; });
    }
  });
}

Status Webhooks::Pass() {
  std::vector<WebhookRow> hooks;
  int64_t oldest_ms = INT64_MAX;
  FERRY_TRY(parts_.store->Read([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(hooks, tx.webhooks().All());
    FERRY_ASSIGN_OR_RETURN(const auto first, tx.webhooks().Events(0, 1));
    if (!first.empty()) oldest_ms = first[0].time_ms;
    return OkStatus();
  }));
  for (const WebhookRow& hook : hooks) {
    for (size_t i = 0; i < kWebhookBatch && !Stopping(); ++i) {
      FERRY_ASSIGN_OR_RETURN(const bool more, DeliverNext(hook.id));
      if (!more) break;
    }
  }
  const int64_t before_ms = parts_.clock->NowUnixMs() - kWebhookKeepMs;
  if (oldest_ms >= before_ms) return OkStatus();
  return parts_.store->Write(
      [&](Transaction& tx) { return AsStatus(tx.webhooks().Drop(before_ms, kDropped)); });
}

Result<bool> Webhooks::DeliverNext(const std::string& id) {
  WebhookRow hook;
  std::vector<WebhookEventRow> events;
  const Status read = parts_.store->Read([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(hook, tx.webhooks().Get(id));
    FERRY_ASSIGN_OR_RETURN(events, tx.webhooks().Events(hook.cursor, kEventsInOneRead));
    return OkStatus();
  });
  if (read.code() == Code::kNotFound) return false;  // taken away meanwhile
  FERRY_TRY(read);
  if (events.empty() || hook.next_ms > parts_.clock->NowUnixMs()) return false;
  const int64_t from = hook.cursor;
  const auto wanted = std::find_if(events.begin(), events.end(),
                                   [&](const auto& event) { return IsWanted(hook, event.kind); });
  if (wanted == events.end()) {
    hook.cursor = events.back().seq;
    FERRY_TRY(parts_.store->Write(
        [&](Transaction& tx) { return AsStatus(tx.webhooks().Move(hook, from)); }));
    return true;
  }
  WebhookPost post;
  post.url = hook.url;
  post.secret = hook.secret;
  post.kind = wanted->kind;
  post.delivery = fmt::format("{}-{}", hook.id, wanted->seq);
  post.body = BodyOf(*wanted);
  post.time_ms = parts_.clock->NowUnixMs();
  post.allow_private = parts_.allow_private;
  const Result<int> answer = parts_.send(post);
  FERRY_TRY(Settle(std::move(hook), from, *wanted, answer));
  return true;
}

Status Webhooks::Settle(WebhookRow hook, int64_t from, const WebhookEventRow& event,
                        const Result<int>& answer) {
  const int64_t now_ms = parts_.clock->NowUnixMs();
  WebhookDeliveryRow row;
  row.webhook = hook.id;
  row.event = event.seq;
  row.kind = event.kind;
  row.tries = hook.tries + 1;
  row.status = answer.ok() ? *answer : 0;
  row.time_ms = now_ms;
  const bool taken = answer.ok() && *answer >= 200 && *answer < 300;
  if (!taken)
    row.error = (answer.ok() ? fmt::format("HTTP status {}", *answer) : answer.status().ToString())
                    .substr(0, kMaxErrorText);
  const bool refused = answer.ok() && IsRefusal(*answer) && row.tries >= kWebhookRefusals;
  row.dead = !taken && (refused || now_ms - event.time_ms >= kWebhookGiveUpMs);
  hook.error = row.error;
  if (taken || row.dead) {
    hook.cursor = event.seq;
    hook.tries = 0;
    hook.next_ms = 0;
  } else {
    hook.tries = row.tries;
    hook.next_ms = now_ms + RetryDelayMs(row.tries, *parts_.random);
  }
  if (row.dead)
    LogWarn("webhook", "{}: event {} ({}) is given up: {}", hook.id, event.seq, event.kind,
            row.error);
  return parts_.store->Write([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(const bool moved, tx.webhooks().Move(hook, from));
    // Set back meanwhile: it will be told again, and that try counts.
    if (!moved || !(taken || row.dead)) return OkStatus();
    return tx.webhooks().AddDelivery(row);
  });
}

}  // namespace ferry::server
