// What a running server says of itself for Prometheus: text format 0.0.4 (GET /metrics).
// ---- metrics.cc
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace ferry::server {

// Upper ends of the buckets of request durations, in seconds; one without end follows.
inline constexpr std::array<double, 11> kDurationBuckets = {0.005, 0.01, 0.025, 0.05, 0.1, 0.25,
                                                            0.5,   1,    2.5,   5,    10};

// One value with its labels, such as {"state", "full"}.
struct Metric {
  std::string name;  // "ferry_releases"
  std::string help;
  bool counter = false;  // else a gauge
  std::vector<std::pair<std::string, std::string>> labels;
  double value = 0;
};

// Calls of the operators' door by route and status, with their durations. Any thread.
class CallMetrics {
 public:
  // `route`: "GET /api/v1/devices/{id}": what callers make up is none.
  void Note(const std::string& route, int status, int64_t duration_ns);
  std::string Text() const;

 private:
  struct Durations {
    std::array<int64_t, kDurationBuckets.size() + 1> counts{};
    int64_t sum_ns = 0;
  };
  mutable std::mutex mutex_;
  std::map<std::string, Durations> durations_;
  std::map<std::pair<std::string, int>, int64_t> answers_;
};

// In the order of their names; those of one name follow each other, with one HELP and TYPE.
std::string MetricsText(std::vector<Metric> metrics);
// Memory and open files of this process; what the system does not say is left out.
std::vector<Metric> ProcessMetrics();

}  // namespace ferry::server
