// Numbers that a task counts about itself.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/json_fwd.h"
#include "common/base/status.h"

namespace ferry::bindings {

enum class MetricKind { kCount, kGauge, kObserve };

inline constexpr size_t kMaxMetrics = 256;     // names of one task
inline constexpr size_t kMaxMetricName = 128;  // bytes

// One thread at a time.
class Metrics {
 public:
  // kLimitExceeded past kMaxMetrics names; kInvalidArgument for a bad name, a value that is no
  // finite number, or a name that was of another kind.
  Status Record(MetricKind kind, std::string_view name, double value);
  // {name: number}, or {"count","sum","min","max"} for what was observed.
  Json ToJson() const;
  // Names of those that only add up.
  std::vector<std::string> Counters() const;

 private:
  struct Metric {
    MetricKind kind;
    int64_t count = 0;
    double value = 0, least = 0, most = 0;
  };
  std::map<std::string, Metric, std::less<>> metrics_;
};

}  // namespace ferry::bindings
