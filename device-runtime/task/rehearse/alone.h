// A task by itself, outside a set: for probes, simulations and the desk. Its events, rules, streams
// and tables are in memory, and its functions run where they are started.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "common/sys/clock.h"
#include "device-runtime/task/outcome.h"
#include "pipeline/flow/flow.h"
#include "pipeline/store/outbox.h"

namespace ferry::task {

// Of keyed_hash where no device is: simulations give the same everywhere.
inline constexpr char kSimulatedHashKey[] = "simulated";
inline constexpr size_t kMaxAloneRuns = 10'000;  // of functions that one event may lead to

struct AloneOptions {
  std::shared_ptr<const flow::Definition> definition;
  // When events come, and how long streams were idle. Null: the events are a recording, in which an
  // event's own time is when it came.
  sys::Clock* clock = nullptr;
  bool all = false;  // every row that leaves a stream and every match is told
  // Runs a function, as PackageRunner::Run; empty: whoever has this runs them.
  std::function<EventOutcome(const flow::Start&)> run = {};
};

// One thread at a time.
class Alone {
 public:
  struct FunctionRun {
    std::string function;  // empty: the task's entry
    EventOutcome outcome;  // its stream_error is the first of the rows that it emitted, or tables'
  };
  // What one call led to.
  struct Happened {
    std::vector<FunctionRun> runs;       // in order
    std::vector<flow::Start> starts;     // of functions that were not run here
    std::vector<flow::LeavingRow> rows;  // for the tunnel or the app, or all
    std::vector<flow::LeavingMatch> matches;
    Status error;  // the first of streams, tables and limits
  };

  static Result<std::unique_ptr<Alone>> Create(AloneOptions options);
  // Another task beside this one: its rules and streams take part, and its functions do not run.
  // Not under the name "", which is this task's.
  Status Add(const std::string& task, std::shared_ptr<const flow::Definition> definition);

  // The event has its time.
  Happened OnEvent(const flow::EventPtr& event);
  // A row that a function emitted which was not run here. kNotFound: no stream has the source.
  Result<Happened> Emit(std::string_view source, const event::Row& row);
  // Windows of idle streams close, by the clock.
  Happened Advance();
  // The end: all windows close. Of a recording rules that wait for a time get it before.
  Happened End();

  flow::OwnerStats stats() const { return flow_->stats(""); }
  store::Outbox& store() { return *store_; }  // where the tables are

 private:
  explicit Alone(AloneOptions options) : options_(std::move(options)) {}
  int64_t HostMs() const;
  int64_t ArrivalOf(int64_t time_ms) const;
  void Follow(flow::Effects effects, Happened* out);
  void Run(const flow::Start& start, Happened* out, std::vector<flow::Start>* more);
  Status CommitTables(table::Batch* batch);

  const AloneOptions options_;
  std::unique_ptr<store::Outbox> store_;  // in memory
  std::unique_ptr<flow::Flow> flow_;
  int64_t recorded_ms_ = 0;  // the latest time of a recording
};

}  // namespace ferry::task
