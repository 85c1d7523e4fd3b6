// Counters as JSON, for the status of an app and of a device.
#include "device-runtime/task/latency.h"
#include "device-runtime/task/outcome.h"

namespace ferry::task {

Json StatsToJson(const HostStats& stats) {
  return {{"events", stats.events},
          {"fired", stats.fired},
          {"errors", stats.errors},
          {"inferences", stats.inferences},
          {"rows_uploaded", stats.rows_uploaded},
          {"rows_refused", stats.rows_refused},
          {"table_errors", stats.table_errors},
          {"last_error", stats.last_error},
          {"metrics", stats.metrics},
          {"p50_ms", static_cast<double>(stats.p50_latency_ns) / static_cast<double>(kNsPerMs)},
          {"p99_ms", static_cast<double>(stats.p99_latency_ns) / static_cast<double>(kNsPerMs)},
          {"streams", StreamsToJson(stats.streams)},
          {"rules", stats.rules}};
}

Json StreamsToJson(const std::vector<graph::StreamStats>& streams) {
  Json out = Json::object();
  for (const graph::StreamStats& one : streams)
    out[one.stream] = {{"rows_in", one.rows_in},
                       {"rows_out", one.rows_out},
                       {"late", one.late},
                       {"refused", one.refused},
                       {"errors", one.errors},
                       {"last_error", one.last_error},
                       {"future", one.future},
                       {"missing_exits", one.missing_exits},
                       {"missing_enters", one.missing_enters},
                       {"small", one.small},
                       {"state_reset", one.state_reset}};
  return out;
}

Json RulesToJson(const flow::OwnerStats& stats) {
  Json out = Json::object();
  for (const flow::RuleCounts& one : stats.rules)
    out[one.rule] = {{"matches", one.stats.matches},
                     {"runs", one.stats.runs},
                     {"keys", one.stats.keys},
                     {"dropped_runs", one.stats.dropped_runs},
                     {"dropped_keys", one.stats.dropped_keys},
                     {"state_reset", one.stats.state_reset}};
  return out;
}

void AddFlowStats(const flow::OwnerStats& flow, HostStats* out) {
  out->streams = flow.streams;
  out->rules = RulesToJson(flow);
  out->table_errors = flow.table_errors;
  if (!flow.last_error.empty()) out->last_error = flow.last_error;
}

}  // namespace ferry::task
