// What an operator may say about the gates of a release. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/base/json_fwd.h"
#include "common/base/status.h"
#include "policy/gate/eprocess.h"

namespace ferry::gate {

// A number that devices report once a window.
struct MetricRule {
  std::string name;  // "latency_ms", "memory_bytes", or what a script gave to ferry.metrics
  bool lower_is_worse = false;
  std::optional<double> limit;   // a fixed bound; without one the control cohort's median
  double tolerated_rate = 0.05;  // with a limit: share of devices that may be past it
};

struct Settings {
  double tolerated_rate = kToleratedRate;
  double alpha = kAlpha;
  int64_t window_ms = 0;  // 0: WindowMs takes the stage's times
  double max_failed_percent = 25;
  int64_t max_failed_min_devices = 50;  // the percentage says nothing of fewer
  bool stop_slices_alone = false;
  std::vector<MetricRule> metrics;
};

inline constexpr size_t kMaxMetricRules = 16;
inline constexpr size_t kMaxMetricNameBytes = 128;
inline constexpr int64_t kMaxWindowMs = int64_t{365} * 24 * 3600 * 1000;
inline constexpr int64_t kMaxMinDevices = 1'000'000'000;

// {"tolerated_rate":0.012, "alpha":0.01, "window_ms":60000, "max_failed_percent":25,
// "max_failed_min_devices":50, "stop_slices_alone":false, "metrics":[{"name":"latency_ms",
// "worse":"higher", "limit":200, "tolerated_rate":0.05}]}; missing members take the defaults.
// kMalformed for a wrong type, kInvalidArgument for a value out of range, kLimitExceeded for more
// than kMaxMetricRules.
Result<Settings> SettingsFromJson(const Json& json);
// Members that have their default are left out, but for the rates.
Json SettingsToJson(const Settings& settings);

// How long each device of a stage is watched: the settings' window, else the longer of the stage's
// report time-out and its least healthy time. Without a report time-out at least kUsualWindowMs:
// such a window holds nothing up, and a short one would miss failures.
inline constexpr int64_t kUsualWindowMs = 3'600'000;
int64_t WindowMs(const Settings& settings, int64_t min_healthy_ms, int64_t report_timeout_ms);

}  // namespace ferry::gate
