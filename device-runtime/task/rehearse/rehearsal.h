// Recorded events through all of a task, each function's runs told apart: for cases that expect
// results of functions and for an author's desk. Its tables and state are in memory alone.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common/base/json.h"
#include "device-runtime/task/instance.h"
#include "device-runtime/task/latency.h"
#include "device-runtime/task/outcome.h"
#include "device-runtime/task/rehearse/cases.h"
#include "pipeline/flow/flow.h"
#include "pipeline/store/outbox.h"

namespace ferry::task {

inline constexpr size_t kMaxRehearsedRuns = 10'000;  // that one event may lead to

// A task's flow by itself; whoever has it runs the functions. One thread at a time.
class MemoryFlow {
 public:
  static Result<std::unique_ptr<MemoryFlow>> Create(
      std::shared_ptr<const flow::Definition> definition);
  // Recorded time goes with the events: an event's own is when it came.
  Status OnEvent(const flow::EventPtr& event, flow::Effects* out);
  // A row that a function emitted.
  Status Emit(std::string_view source, const event::Row& row, flow::Effects* out);
  // The recording is over: rules that wait for a time get it, all windows close.
  Status End(flow::Effects* out);
  // What a function wrote to tables; the batch is empty afterwards.
  Status Write(table::Batch* batch);
  // Where the tables are.
  store::Outbox& store() { return *outbox_; }

 private:
  explicit MemoryFlow(std::unique_ptr<store::Outbox> outbox);
  Status Commit();
  std::unique_ptr<store::Outbox> outbox_;  // of the tables
  std::unique_ptr<flow::Flow> flow_;
  int64_t now_ms_ = 0;
};

class Rehearsal {
 public:
  struct FunctionRun {
    std::string function;
    Instance::Run run;
    Status stream_error;  // the first of the rows that it emitted
  };
  struct Happened {
    std::vector<FunctionRun> runs;            // in order
    std::vector<flow::LeavingRow> rows;       // every row that left a stream
    std::vector<flow::LeavingMatch> matches;  // all; `app` says which are for the app
    Status error;                             // the first of streams and tables
  };

  // The flow has seen nothing, its tables hold what the package brings, and the instance, which
  // outlives it, reads and writes them.
  static Result<std::unique_ptr<Rehearsal>> Create(std::shared_ptr<const Program> program,
                                                   Instance* instance);
  ~Rehearsal();
  Rehearsal(const Rehearsal&) = delete;
  Rehearsal& operator=(const Rehearsal&) = delete;
  Happened OnEvent(const flow::EventPtr& event);
  Happened End();

 private:
  Rehearsal(std::shared_ptr<const Program> program, Instance* instance)
      : program_(std::move(program)), instance_(instance) {}
  void Work(flow::Effects effects, Happened* out);

  std::shared_ptr<const Program> program_;
  Instance* instance_;
  std::unique_ptr<MemoryFlow> flow_;
};

// Runs one case; the Status says how it failed. `last`: what ran last.
Status RehearseCase(const std::shared_ptr<const Program>& program, Instance* instance,
                    const Case& one, sys::Clock& clock, Latencies* latencies, EventOutcome* last);

}  // namespace ferry::task
