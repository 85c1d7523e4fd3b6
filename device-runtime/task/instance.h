// One running copy of a program: its isolate. The host runs one on the app's events, and
// short-lived ones for probes and simulations.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "common/sys/clock.h"
#include "common/sys/executor.h"
#include "device-runtime/bindings/host.h"
#include "device-runtime/task/outcome.h"
#include "device-runtime/task/program.h"
#include "device-runtime/vm/isolate.h"
#include "device-runtime/vm/schedule/scheduler.h"
#include "pipeline/flow/start.h"
#include "pipeline/table/tables.h"

namespace ferry::task {

inline constexpr size_t kMaxRowsPerRun = 10'000;  // emitted by one run of a script

// One thread at a time.
class Instance : public bindings::Host {
 public:
  struct Run {
    Json result;
    Status error;  // of the script; then there is nothing else
    int64_t latency_ns = 0;
    std::vector<EmittedRow> emitted;
    // What the run wrote to tables, to be committed with its records; null: nothing.
    std::unique_ptr<table::Batch> tables;
  };

  // What a copy stands on; all outlive it.
  struct Ground {
    sys::Clock* clock;                // never null
    sys::Parallel* parallel;          // of kernels; may be null
    vm::Scheduler* scheduler;         // gives the script its turns; may be null
    std::string owner;                // of those turns
    table::Tables* tables = nullptr;  // what scripts read and write; null: nothing
    std::function<void(std::string_view)> print = nullptr;  // as HostOptions::print
  };

  // Imports the script and finds its entry.
  static Result<std::unique_ptr<Instance>> Create(std::shared_ptr<const Program> program,
                                                  Ground ground);
  ~Instance() override;

  // Runs the start's function. The rows of a run that fails are dropped.
  Run Call(const flow::Start& start);

  // What scripts read and write from now on; null: nothing. Outlives the copy.
  void set_tables(table::Tables* tables) { ground_.tables = tables; }

  // The isolate goes, and with it all that the script keeps; the next call makes a new one.
  void Forget();

  // Any thread.
  int64_t inferences() const { return inferences_; }
  Json metrics() const;
  std::vector<std::string> counters() const;

  // bindings::Host, called by the script.
  Result<std::shared_ptr<const engine::Model>> LoadModel(std::string_view name) override;
  Result<std::shared_ptr<const llm::Model>> LoadLanguageModel(std::string_view name) override;
  std::vector<std::string> FileNames() override;
  Result<ByteView> ReadFile(std::string_view name) override;
  Status Emit(std::string_view stream, Json row) override;
  int64_t NowMs() override;
  sys::Parallel* Threads() override { return ground_.parallel; }
  std::shared_ptr<tensor::MemoryBudget> Budget() override { return budget_; }
  void CountInference(int64_t latency_ns) override;
  void Log(LogLevel level, std::string_view line) override;
  Status Metric(bindings::MetricKind kind, std::string_view name, double value) override;
  Result<Json> TableGet(std::string_view table, const std::vector<Json>& key) override;
  Status TablePut(std::string_view table, const Json& row) override;
  Status TableDelete(std::string_view table, const std::vector<Json>& key) override;
  Result<std::vector<Json>> TableRange(std::string_view table,
                                       const table::RangeQuery& query) override;

 private:
  Instance(std::shared_ptr<const Program> program, Ground ground);
  Status Start();
  Result<Json> CallFunction(const flow::Start& start);
  // Runs `work` when it is the task's turn, until `deadline_ns`.
  Status InTurn(int64_t deadline_ns, const std::function<Status()>& work);
  // The changes of the run that is going on; made when a script first asks.
  Result<table::Batch*> Changes(std::string_view table);
  Result<table::Batch*> ChangesOfRun(std::string_view table);

  std::shared_ptr<const Program> program_;
  Ground ground_;
  std::shared_ptr<tensor::MemoryBudget> budget_;
  std::vector<EmittedRow> emitted_;  // by the run that is going on
  int64_t run_time_ms_ = 0;          // event time of that run
  bool running_ = false;             // a function, not the script's top level
  std::unique_ptr<table::Batch> tables_;
  std::atomic<int64_t> inferences_ = 0;
  mutable std::mutex metrics_mutex_;
  bindings::Metrics metrics_;
  std::unique_ptr<vm::Isolate> isolate_;  // null after a failed restart; last: it uses the rest
};

}  // namespace ferry::task
