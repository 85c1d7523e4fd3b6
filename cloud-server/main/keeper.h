// Keeps a running server's size and age in hand: lets go of what was kept long enough, and says
// before metadata and certificates expire.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "cloud-server/ingest/retention.h"
#include "cloud-server/main/gated_executor.h"
#include "cloud-server/registry/registry.h"
#include "common/base/json.h"

namespace ferry::server {

inline constexpr int64_t kKeepEveryMs = 60'000;
inline constexpr int64_t kReviewEveryMs = 3'600'000;  // of the content
// So long the clock must have gone on without a step before anything is too old: a clock that is
// wrong at the start would take everything away.
inline constexpr int64_t kSettledMs = 3'600'000;
inline constexpr int64_t kStepMs = 2'000;
inline constexpr int64_t kSoonMs = 30 * int64_t{86'400'000};  // before the expiry: shown and logged
inline constexpr int64_t kUrgentMs = 7 * int64_t{86'400'000};
inline constexpr int64_t kWarnEveryMs = int64_t{86'400'000};
inline constexpr int64_t kShrinkBytes = 16 << 20;  // given back to the disk in one pass

// One thing with an end. `life_ms` 0: people renew it; otherwise the server does, when half of its
// life is left, so that it is late only with less than a quarter.
struct Expiring {
  std::string what;  // "metadata targets", "certificate of the server"
  int64_t expires_ms = 0;
  int64_t life_ms = 0;
};
// "ok", "soon", "urgent" or "expired".
const char* ExpiryState(const Expiring& thing, int64_t now_ms);

class Keeper {
 public:
  struct Parts {
    Store* store = nullptr;  // borrowed, as all below
    Registry* registry = nullptr;
    sys::Clock* clock = nullptr;
    const Limits* limits = nullptr;
    std::vector<Expiring> certificates;
    Once* once = nullptr;  // of what one node does; null: there is one
  };
  explicit Keeper(const Parts& parts);
  ~Keeper();  // waits for the transaction under way

  void Start();
  // What is done every kKeepEveryMs; any thread.
  void Pass();
  // {"content":{"blobs","bytes","unused_blobs","unused_bytes"} or null before the first look,
  // "dropped":{kind:rows} since the start,"expires":[{"what","expires_ms","state"}]}. Any thread.
  Json View();
  // A pass at once; any thread. What is too old goes whatever the clock did: a person asked.
  Result<Json> Collect(bool dry_run);

 private:
  void Schedule(int64_t delay_ms);
  bool ClockSettled();
  Result<std::vector<Expiring>> Things();
  void WarnOfExpiry();
  Status Keep(bool by_age);
  Status CutAudit();
  Status Review(bool dry_run, ContentReview* review);
  bool GoOn();

  const Parts parts_;
  std::mutex mutex_;  // of the members below
  std::condition_variable wake_;
  bool stopping_ = false;
  RetentionCounts dropped_;
  ContentReview content_;
  bool reviewed_ = false;
  std::mutex pass_;  // one pass at a time; before mutex_
  int64_t review_at_ns_ = 0;
  int64_t warn_at_ns_ = 0;
  int64_t settled_from_ns_ = -1;
  int64_t step_base_ms_ = 0;          // wall clock less monotonic
  GatedExecutor executor_{"keeper"};  // last: its thread ends before the rest goes
};

}  // namespace ferry::server
