#include "device-runtime/bindings/metrics.h"

#include "common/base/json.h"

#include <algorithm>
#include <cmath>

namespace ferry::bindings {

Status Metrics::Record(MetricKind kind, std::string_view name, double value) {
  if (name.empty() || name.size() > kMaxMetricName)
    return Status::Of(Code::kInvalidArgument, "a metric's name has 1 to {} bytes, not {}",
                      kMaxMetricName, name.size());
  if (!std::isfinite(value))
    return Status::Of(Code::kInvalidArgument, "metric {}: {} is no finite number", name, value);
  auto found = metrics_.find(name);
  if (found == metrics_.end()) {
    if (metrics_.size() >= kMaxMetrics)
      return Status::Of(Code::kLimitExceeded, "{} metrics are the limit", kMaxMetrics);
    found = metrics_.emplace(std::string(name), Metric{kind}).first;
  }
  Metric& metric = found->second;
  if (metric.kind != kind)
    return Status::Of(Code::kInvalidArgument, "metric {} is of another kind", name);
  metric.least = metric.count == 0 ? value : std::min(metric.least, value);
  metric.most = metric.count == 0 ? value : std::max(metric.most, value);
  metric.value = kind == MetricKind::kGauge ? value : metric.value + value;
  ++metric.count;
  return OkStatus();
}

std::vector<std::string> Metrics::Counters() const {
  std::vector<std::string> names;
  for (const auto& [name, metric] : metrics_)
    if (metric.kind == MetricKind::kCount) names.push_back(name);
  return names;
}

Json Metrics::ToJson() const {
  Json out = Json::object();
  for (const auto& [name, metric] : metrics_) {
    if (metric.kind != MetricKind::kObserve) {
      out[name] = metric.value;
      continue;
    }
    out[name] = {{"count", metric.count},
                 {"sum", metric.value},
                 {"min", metric.least},
                 {"max", metric.most}};
  }
  return out;
}

}  // namespace ferry::bindings
