// How installed packages do, for the gates of releases: a while after the first run, then as long
// as there are new runs. A version that a release brought and one that runs in place of a release
// are measured alike: the first run, which is slower than others, is in no window, and a window is
// as long for the one as for the other. Nothing of it is kept over a restart.
#include <algorithm>

#include "common/base/json.h"
#include "common/proto/envelope.h"
#include "device-runtime/agent/agent_impl.h"
#include "device-runtime/agent/pull/reports.h"
#include "device-runtime/task/outcome.h"

namespace ferry::agent {
namespace {

constexpr double kNsInMs = 1e6;

// What a script sets is a number; of what it counts, what came since `before`; of what it observes,
// the mean of that.
std::optional<double> NumberOf(const Json& metric, const Json& before, bool counts) {
  if (metric.is_number()) {
    const bool less = counts && before.is_number();
    return metric.get<double>() - (less ? before.get<double>() : 0);
  }
  const auto member = [](const Json& of, const char* name) {
    const auto found = of.is_object() ? of.find(name) : of.end();
    return of.is_object() && found != of.end() && found->is_number() ? found->get<double>() : 0;
  };
  const double count = member(metric, "count") - member(before, "count");
  if (count <= 0) return std::nullopt;
  return (member(metric, "sum") - member(before, "sum")) / count;
}

// What the runner counted and `told` has not, which it has from now on. A runner that counted less
// than was told is another one, of the same version.
TaskUse UseSince(const task::HostStats& stats, TaskUse* told) {
  if (stats.events < told->events || stats.fired < told->starts) *told = TaskUse();
  const TaskUse use = {stats.events - told->events, stats.fired - told->starts,
                       stats.errors - told->failures, stats.inferences - told->inferences};
  *told = {stats.events, stats.fired, stats.errors, stats.inferences};
  return use;
}

}  // namespace

std::map<std::string, double> Agent::Impl::MetricsOf(const Measuring& now,
                                                     const task::HostStats& stats) const {
  std::map<std::string, double> metrics;
  const auto add = [&](const std::string& name, double value) {
    if (metrics.size() < proto::kMaxMetricsInReport && proto::CheckMetric(name, value).ok())
      metrics.emplace(name, value);
  };
  add("error_rate", static_cast<double>(now.errors) / static_cast<double>(now.runs));
  if (now.runs > now.errors) {
    add("latency_ms", static_cast<double>(now.latencies.Percentile(50)) / kNsInMs);
    add("latency_p99_ms", static_cast<double>(now.latencies.Percentile(99)) / kNsInMs);
  }
  const int64_t resident_bytes = options.resident_bytes ? options.resident_bytes() : -1;
  if (resident_bytes > 0) add("memory_bytes", static_cast<double>(resident_bytes));
  for (const auto& [name, metric] : stats.metrics.items()) {
    const bool counts =
        std::find(stats.counters.begin(), stats.counters.end(), name) != stats.counters.end();
    if (const auto value = NumberOf(metric, now.before.value(name, Json()), counts))
      add(name, *value);
  }
  return metrics;
}

void Agent::Impl::NoteRun(const std::string& package, const task::EventOutcome& outcome) {
  const Tasks::Summary& summary = tasks.summaries().at(package);
  if (summary.stats == nullptr) return;
  const TaskRecord* observed = journal.Observed(package);
  const std::string& release = observed != nullptr ? observed->release : summary.release;
  Measuring& now = measuring[package];
  if (now.version != summary.version || now.release != release) {
    given.executor->Cancel(now.timer);
    const TaskUse told = now.version == summary.version ? now.told : TaskUse();
    now = Measuring();
    now.told = told;
    now.version = summary.version;
    now.release = release;
  }
  if (!now.begun) {
    now.begun = true;
    now.before = summary.stats->metrics;
  } else {
    ++now.runs;
    now.errors += !outcome.error.ok();
    if (outcome.error.ok()) now.latencies.Add(outcome.latency_ns);
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
                          found->second.version == now.version;
  if (stopped || !runs_still || now.runs == 0) return;
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
  Report report;
  report.step = Step::kMeasured;
  report.release = now.release;
  report.epoch = journal.finished_epoch();
  report.package = package;
  report.version = now.version;
  report.time_ms = given.clock->NowUnixMs();
  report.metrics = MetricsOf(now, *found->second.stats);
  report.use = UseSince(*found->second.stats, &now.told);
  now.before = found->second.stats->metrics;
  now.runs = now.errors = 0;
  now.latencies = task::Latencies(task::kLatencySamples);
  AddReport(parts, std::move(report));
  again(options.measure_ms * kMeasureAgainTimes);
}

}  // namespace ferry::agent
