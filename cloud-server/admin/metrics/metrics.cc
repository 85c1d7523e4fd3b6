#include "cloud-server/admin/metrics/metrics.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace ferry::server {
namespace {

constexpr double kNsPerSecond = 1e9;

std::string Escaped(const std::string& text, bool quotes) {
  std::string out;
  for (const char c : text) {
    if (c == '\\')
      out += "\\\\";
    else if (c == '\n')
      out += "\\n";
    else if (c == '"' && quotes)
      out += "\\\"";
    else
      out += c;
  }
  return out;
}

std::string Labels(const std::vector<std::pair<std::string, std::string>>& labels) {
  std::string text;
  for (const auto& [key, value] : labels)
    text += fmt::format("{}{}=\"{}\"", text.empty() ? "" : ",", key, Escaped(value, true));
  return text.empty() ? "" : "{" + text + "}";
}

std::string Head(const std::string& name, const std::string& help, const char* type) {
  return fmt::format("# HELP {} {}\n# TYPE {} {}\n", name, Escaped(help, false), name, type);
}

}  // namespace

void CallMetrics::Note(const std::string& route, int status, int64_t duration_ns) {
  const double seconds = static_cast<double>(duration_ns) / kNsPerSecond;
  const size_t bucket = static_cast<size_t>(
      std::lower_bound(kDurationBuckets.begin(), kDurationBuckets.end(), seconds) -
      kDurationBuckets.begin());
  const std::lock_guard lock(mutex_);
  Durations& durations = durations_[route];
  ++durations.counts[bucket];
  durations.sum_ns += duration_ns;
  ++answers_[{route, status}];
}

std::string CallMetrics::Text() const {
  const std::lock_guard lock(mutex_);
  const std::string calls = "ferry_admin_calls_total", took = "ferry_admin_call_seconds";
  std::string text = Head(calls, "Calls of the operators' door by route and status", "counter");
  for (const auto& [key, count] : answers_)
    text +=
        fmt::format("{}{} {}\n", calls,
                    Labels({{"route", key.first}, {"status", std::to_string(key.second)}}), count);
  text += Head(took, "How long calls of the operators' door took", "histogram");
  for (const auto& [route, durations] : durations_) {
    int64_t sum = 0;
    for (size_t i = 0; i < durations.counts.size(); ++i) {
      sum += durations.counts[i];
      const bool last = i == kDurationBuckets.size();
      const std::string end = last ? "+Inf" : fmt::format("{}", kDurationBuckets[i]);
      text += fmt::format("{}_bucket{} {}\n", took, Labels({{"route", route}, {"le", end}}), sum);
    }
    text += fmt::format("{}_sum{} {}\n", took, Labels({{"route", route}}),
                        static_cast<double>(durations.sum_ns) / kNsPerSecond);
    text += fmt::format("{}_count{} {}\n", took, Labels({{"route", route}}), sum);
  }
  return text;
}

std::string MetricsText(std::vector<Metric> metrics) {
  std::stable_sort(metrics.begin(), metrics.end(),
                   [](const Metric& a, const Metric& b) { return a.name < b.name; });
  std::string text;
  for (size_t i = 0; i < metrics.size(); ++i) {
    const Metric& metric = metrics[i];
    if (i == 0 || metrics[i - 1].name != metric.name)
      text += Head(metric.name, metric.help, metric.counter ? "counter" : "gauge");
    text += fmt::format("{}{} {}\n", metric.name, Labels(metric.labels), metric.value);
  }
  return text;
}

std::vector<Metric> ProcessMetrics() {
  std::vector<Metric> metrics;
  std::ifstream statm("/proc/self/statm");
  int64_t pages = 0, resident = 0;
  if (statm >> pages >> resident)
    metrics.push_back({"process_resident_memory_bytes",
                       "Memory that the process has",
                       false,
                       {},
                       static_cast<double>(resident * ::sysconf(_SC_PAGESIZE))});
  std::error_code error;
  int64_t files = 0;
  for (std::filesystem::directory_iterator at("/proc/self/fd", error), end; !error && at != end;
       at.increment(error))
    ++files;
  if (!error)
    metrics.push_back({"process_open_fds",
                       "Files and sockets that are open",
                       false,
                       {},
                       static_cast<double>(files)});
  return metrics;
}

}  // namespace ferry::server
