// What comes of an event in a task, and what a task counts.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common/base/json.h"
#include "pipeline/flow/flow.h"

namespace ferry::task {

// A row that a script gave to the streams with this source.
struct EmittedRow {
  std::string source;
  event::Row row;
};

// What one start of a function led to.
struct EventOutcome {
  bool fired = false;   // a function ran, or something goes to the app
  Json result;          // what it returned; null when it did not run or failed
  Status error;         // the script's failure; kScript... names line and exception
  Status stream_error;  // a stream or the outbox could not take a row; the script itself went well
  int64_t latency_ns = 0;  // of the script, when it ran
  bool again = false;      // ran before the process was killed: this is what was kept of it
  bool unknown = false;    // so, and its outcome was too large to keep: nobody is told
  // The run did not come to its end (the set closes, the disk failed): it is done again after the
  // next start of a set that has an outbox.
  bool undone = false;
  std::vector<EmittedRow> emitted;       // of a run that ended well
  std::shared_ptr<table::Batch> tables;  // what it changed there; null: nothing
  std::vector<graph::Output> rows;       // with HostOptions::collect_rows
};

struct HostStats {
  int64_t events = 0;         // while the task was there, wanted or not
  int64_t fired = 0;          // script runs
  int64_t errors = 0;         // script runs that failed
  int64_t inferences = 0;     // model runs inside scripts that ended
  int64_t rows_uploaded = 0;  // rows that the outbox took
  int64_t rows_refused = 0;   // rows that the outbox could not take
  int64_t table_errors = 0;   // rows that a table could not take
  std::string last_error;
  Json metrics = Json::object();      // what the script counts with ferry.metrics
  std::vector<std::string> counters;  // those of them that only add up
  int64_t p50_latency_ns = 0;         // of the last kLatencySamples script runs that ended well
  int64_t p99_latency_ns = 0;
  std::vector<graph::StreamStats> streams;  // in the order of task.json
  Json rules = Json::object();              // {NAME: {"matches","runs","keys","dropped_runs",
                                            // "dropped_keys","state_reset"}}
};
inline constexpr size_t kLatencySamples = 4096;
Json StatsToJson(const HostStats& stats);
// {NAME: {"rows_in","rows_out","late","refused","errors","last_error","future","missing_exits",
// "missing_enters","small","state_reset"}}.
Json StreamsToJson(const std::vector<graph::StreamStats>& streams);

// {NAME: {..}}, as HostStats::rules.
Json RulesToJson(const flow::OwnerStats& stats);
// Streams, rules and tables of a task.
void AddFlowStats(const flow::OwnerStats& flow, HostStats* out);

// What one event led to in one task.
struct TaskOutcome {
  std::string package;
  std::string version;
  std::string release;
  EventOutcome outcome;
  uint64_t event = 0;  // the number of the event that led to it; 0: it has none
  uint64_t call = 0;   // the number of the call that it answers; 0: none
  // With TaskGroupOptions::with_stats, of a run: as of its end. Null else.
  std::shared_ptr<const HostStats> stats;
  // The event counts as waiting until all copies of this are gone: who hands the outcome on to
  // something slow keeps it until that is done. May outlive the set.
  std::shared_ptr<const void> waits;
};

}  // namespace ferry::task
