// Delivers what happened to the receivers that operators named, in order, on a thread of its own.
// ---- webhook.cc
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "cloud-server/store/store.h"
#include "cloud-server/webhook/post.h"
#include "common/sys/clock.h"
#include "common/sys/random.h"

namespace ferry::server {

inline constexpr int64_t kFirstRetryMs = 10'000;
inline constexpr int64_t kMostRetryMs = 3'600'000;
inline constexpr int64_t kWebhookGiveUpMs = int64_t{86'400'000};  // after the event
inline constexpr int64_t kWebhookRefusals = 5;                    // answers 4xx of one event
inline constexpr int64_t kWebhookKeepMs = 30 * int64_t{86'400'000};
inline constexpr int kWebhookLookMs = 500;    // between two looks at the queue
inline constexpr size_t kWebhookBatch = 100;  // deliveries to one receiver in one look
inline constexpr size_t kMaxWebhooks = 50;

// When a try that failed is repeated: twice as long each time, give or take a half, so that
// receivers that come back are not called by everybody at once. `tries` from 1.
int64_t RetryDelayMs(int64_t tries, sys::Random& random);

class Webhooks {
 public:
  struct Parts {
    Store* store = nullptr;  // borrowed, as all below
    sys::Clock* clock = nullptr;
    sys::Random* random = nullptr;
    bool allow_private = false;
    std::function<Result<int>(const WebhookPost&)> send = SendWebhook;
    Once* once = nullptr;  // of what one node does; null: there is one
  };
  explicit Webhooks(const Parts& parts) : parts_(parts) {}
  ~Webhooks();  // waits for the call under way

  void Start();
  // What is due now; by Start's thread, or by a test that did not call it.
  Status Pass();

 private:
  // The next event for one webhook, if it is due; false when there is none.
  Result<bool> DeliverNext(const std::string& id);
  Status Settle(WebhookRow hook, int64_t from, const WebhookEventRow& event,
                const Result<int>& answer);
  bool Stopping();

  const Parts parts_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace ferry::server
