// ferry.metrics: metrics.count(name, by=1) adds up, metrics.gauge(name, value) keeps the last,
// metrics.observe(name, value) keeps count, sum, least and most. They are the task's, read by the
// app with its statistics.
#include "device-runtime/bindings/modules.h"

namespace ferry::bindings {
namespace {

using vm::CallContext;
using vm::Value;

Result<Value> Record(CallContext& c, MetricKind kind, bool has_default) {
  static constexpr const char* kNames[] = {"name", "value"};
  static constexpr const char* kCountNames[] = {"name", "by"};
  Value args[2];
  FERRY_TRY(c.Bind(has_default ? kCountNames : kNames, has_default ? 1 : 2, args));
  FERRY_ASSIGN_OR_RETURN(const std::string_view name, c.AsString(args[0], "the name of a metric"));
  double value = 1;
  if (!args[1].empty()) {
    FERRY_ASSIGN_OR_RETURN(value, c.AsNumber(args[1], "the value of a metric"));
  }
  FERRY_TRY(HostOf(c).Metric(kind, name, value));
  return Value::None();
}

Result<Value> Count(CallContext& c) {
  return Record(c, MetricKind::kCount, true);
}
Result<Value> Gauge(CallContext& c) {
  return Record(c, MetricKind::kGauge, false);
}
Result<Value> Observe(CallContext& c) {
  return Record(c, MetricKind::kObserve, false);
}

constexpr vm::NativeFunction kMetricsFunctions[] = {
    {"count", Count}, {"gauge", Gauge}, {"observe", Observe}};

}  // namespace

const vm::NativeModule& MetricsModule() {
  static const vm::NativeModule kModule = {"ferry.metrics", kMetricsFunctions};
  return kModule;
}

}  // namespace ferry::bindings
