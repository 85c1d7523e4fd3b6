// How many new devices a release may reach in a minute, and how that grows. Pure. Source: the
// exponential rollout of AWS IoT jobs (base rate, increment factor, number of succeeded things).
#pragma once

#include <cstdint>
#include <deque>
#include <utility>

#include "common/base/json_fwd.h"
#include "common/base/status.h"

namespace ferry::stage {

inline constexpr int64_t kMaxPerMinute = 1'000'000;  // and above it there is no limit
inline constexpr double kMaxRateFactor = 10;
inline constexpr int64_t kMaxRetryCount = 10;
inline constexpr int64_t kMaxBackoffMs = 7 * int64_t{86'400'000};

struct Rate {
  int64_t per_minute = 0;       // at the start; at least 1
  double factor = 1;            // times so much with each `after_succeeded` devices that went well
  int64_t after_succeeded = 0;  // 0: it does not grow
  int64_t max_per_minute = 0;   // never above
  bool operator==(const Rate&) const = default;
};

// {"per_minute":10,"factor":2,"after_succeeded":50,"max_per_minute":1000}; the last three together
// or not at all. kMalformed, kInvalidArgument name the member.
Result<Rate> RateFromJson(const Json& json);
Json RateToJson(const Rate& rate);

// What it has grown to when `succeeded` devices went well.
int64_t PerMinute(const Rate& rate, int64_t succeeded);

// Of a release that names no rate, where the fleet has more than kLargeFleet devices: a percent of
// such a fleet is many more than a gate needs to hear, and all whose line is open would have the
// version before the first of them can fail. What 5 % fail with, a minute after the switch, was
// stopped after 64 to 757 devices in 18 simulated fleets of 20,000, the median 460, by a gate that
// tolerates 1.2 %. What goes well is without a limit after 7,000 devices, in about ten minutes.
// Source: own.
inline constexpr int64_t kLargeFleet = 10'000;
Rate LargeFleetRate();

// A device that failed is tried again so often, the first time `backoff_ms` after it failed, and
// after twice as long as before each further time.
struct Retries {
  int64_t count = 0;
  int64_t backoff_ms = 600'000;
  bool operator==(const Retries&) const = default;
};
// {"count":2,"backoff_ms":600000}
Result<Retries> RetriesFromJson(const Json& json);
Json RetriesToJson(const Retries& retries);

// Who was let in of late. No 60 seconds together let more than `per_minute` in, and no ten more
// than a sixth of that (at least one), so that a bad version shows before the minute is over.
class Pace {
 public:
  static Result<Pace> FromText(std::string_view text);  // kMalformed; empty: nobody came
  std::string ToText() const;                           // JSON
  // How many may come now.
  int64_t Free(int64_t per_minute, int64_t now_ms) const;
  void Take(int64_t now_ms);

 private:
  int64_t Since(int64_t now_s, int64_t seconds) const;
  std::deque<std::pair<int64_t, int64_t>> came_;  // second, devices
};

}  // namespace ferry::stage
