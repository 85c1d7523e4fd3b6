// How installed packages do, for the gates of releases: a while after the first run, then while
// there are new runs. Nothing of it is kept over a restart.
#include <algorithm>

#include "common/base/json.h"
#include "common/proto/envelope.h"
#include "device-runtime/agent/agent_impl.h"
#include "device-runtime/agent/pull/reports.h"
#include "device-runtime/task/outcome.h"

namespace ferry::agent {
namespace {

constexpr double kNsInMs = 1e6;

// What a script counts or sets is a number; of what it observes, the mean is taken.
std::optional<double> NumberOf(const Json& metric) {
  if (metric.is_number()) return metric.get<double>();
  if (!metric.is_object()) return std::nullopt;
  const auto count = metric.find("count"), sum = metric.find("sum");
  const bool observed = count != metric.end() && sum != metric.end() && count->is_number() &&
                        sum->is_number() && count->get<double>() > 0;
  if (!observed) return std::nullopt;
  return sum->get<double>() / count->get<double>();
}

std::map<std::string, double> MetricsOf(const task::HostStats& stats, int64_t resident_bytes) {
  std::map<std::string, double> metrics;
  const auto add = [&](const std::string& name, double value) {
    if (metrics.size() < proto::kMaxMetricsInReport && proto::CheckMetric(name, value).ok())
      metrics.emplace(name, value);
  };
  if (stats.fired > 0)
    add("error_rate", static_cast<double>(stats.errors) / static_cast<double>(stats.fired));
  if (stats.fired > stats.errors) {  // latencies are of runs that ended well
    add("latency_ms", static_cast<double>(stats.p50_latency_ns) / kNsInMs);
    add("latency_p99_ms", static_cast<double>(stats.p99_latency_ns) / kNsInMs);
  }
  if (resident_bytes > 0) add("memory_bytes", static_cast<double>(resident_bytes));
  for (const auto& [name, metric] : stats.metrics.items())
    if (const auto value = NumberOf(metric)) add(name, *value);
  return metrics;
}

}  // namespace

void Agent::Impl::NoteRun(const std::string& package) {
  const Tasks::Summary& summary = tasks.summaries().at(package);
  Measuring& now = measuring[package];
  if (now.version != summary.version || now.release != summary.release) {
    given.executor->Cancel(now.timer);
    now = {summary.version, summary.release, 0, 0};
  }
  if (now.timer != 0 || stopped) return;
  now.timer = given.executor->PostAfter(options.measure_ms,
                                        alive.Guard([this, package] { Measure(package); }));
}

void Agent::Impl::Measure(const std::string& package) {
  Measuring& now = measuring[package];
  now.timer = 0;
  const auto found = tasks.summaries().find(package);
  const bool runs_still = found != tasks.summaries().end() && found->second.stats != nullptr &&
                          found->second.version == now.version &&
                          found->second.release == now.release;
  if (stopped || !runs_still || found->second.stats->fired == now.fired) return;
  const auto again = [&](int64_t wait_ms) {
    now.timer =
        given.executor->PostAfter(wait_ms, alive.Guard([this, package] { Measure(package); }));
  };
  // It is about now: without a line, or with the last one still on its way, a later one is better
  // than two.
  const bool waits =
      std::any_of(journal.waiting().begin(), journal.waiting().end(), [&](const Report& report) {
        return report.step == Step::kMeasured && report.package == package;
      });
  if (!link.ready() || waits) return again(options.measure_ms);
  const task::HostStats& stats = *found->second.stats;
  now.fired = stats.fired;
  Report report;
  report.step = Step::kMeasured;
  report.release = now.release;
  report.epoch = journal.finished_epoch();
  report.package = package;
  report.version = now.version;
  report.time_ms = given.clock->NowUnixMs();
  report.metrics = MetricsOf(stats, options.resident_bytes ? options.resident_bytes() : -1);
  AddReport(parts, std::move(report));
  again(options.measure_ms * kMeasureAgainTimes);
}

}  // namespace ferry::agent
