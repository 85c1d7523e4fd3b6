// Lets go of what has been kept long enough: rows of streams, reports, refused records, losses,
// history, silent outboxes' marks. In small transactions, so that devices are served between them.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "cloud-server/ingest/limits.h"
#include "cloud-server/store/store.h"
#include "common/sys/clock.h"

namespace ferry::server {

inline constexpr int64_t kDropRows = 500;     // in one transaction
inline constexpr int64_t kUseDays = 31;       // that counts of quotas are kept
inline constexpr int64_t kLeastDrop = 65536;  // bytes of a stream that is too large, in one go

// Rows that were dropped, by what they are.
struct RetentionCounts {
  int64_t records = 0;
  int64_t reports = 0;
  int64_t refused = 0;
  int64_t losses = 0;
  int64_t events = 0;
  int64_t marks = 0;
  int64_t days = 0;
  int64_t sum() const { return records + reports + refused + losses + events + marks + days; }
};

// One thread at a time. What it borrows outlives it.
class Retention {
 public:
  // Asked between two transactions; false ends the run.
  using GoOn = std::function<bool()>;
  Retention(Store& store, sys::Clock& clock, const Limits& limits, GoOn go_on = nullptr)
      : store_(store), clock_(clock), limits_(limits), go_on_(std::move(go_on)) {}

  // `by_age` false: only what is too much, nothing that is too old; for a clock that is not sure.
  // Of a stream that is too large, the device with most rows in it loses its oldest first, so that
  // who sends much does not push out who sends little. Marks do not move.
  Result<RetentionCounts> Run(bool by_age);

 private:
  using Drop = std::function<Result<int64_t>(Transaction&)>;
  // Again and again until a transaction drops fewer than kDropRows.
  Status Repeat(const Drop& drop, int64_t* count);
  Status Streams(bool by_age, RetentionCounts* counts);
  Status OldRecords(const RetentionRepository::StreamSize& size, RetentionCounts* counts);
  Status LargeStream(const std::string& stream,
                     std::vector<RetentionRepository::StreamSize> devices, RetentionCounts* counts);
  int64_t Before(Limit days, std::string_view stream = {}) const;
  bool Stopped() const { return go_on_ && !go_on_(); }

  Store& store_;
  sys::Clock& clock_;
  const Limits& limits_;
  const GoOn go_on_;
};

}  // namespace ferry::server
