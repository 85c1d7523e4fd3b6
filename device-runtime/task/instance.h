// One running copy of a program: its isolate, trigger and streams. The host runs one on the app's
// events, and short-lived ones for probes and simulations.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common/sys/clock.h"
#include "common/sys/executor.h"
#include "device-runtime/bindings/host.h"
#include "device-runtime/task/program.h"
#include "device-runtime/vm/isolate.h"
#include "device-runtime/vm/schedule/scheduler.h"
#include "pipeline/graph/graph.h"
#include "pipeline/trigger/trigger.h"

namespace ferry::task {

inline constexpr size_t kMaxRowsPerRun = 10'000;  // emitted by one run of a script

// One thread at a time.
class Instance : public bindings::Host {
 public:
  struct Run {
    bool fired = false;
    Json result;
    Status error;         // of the script
    Status stream_error;  // the first of the streams
    int64_t latency_ns = 0;
    std::vector<graph::Output> rows;  // that left the streams
  };

  // What a copy stands on; all outlive it.
  struct Ground {
    sys::Clock* clock;         // never null
    sys::Parallel* parallel;   // of kernels; may be null
    vm::Scheduler* scheduler;  // gives the script its turns; may be null
    std::string owner;         // of those turns
  };

  // Imports the script and finds its entry.
  static Result<std::unique_ptr<Instance>> Create(std::shared_ptr<const Program> program,
                                                  Ground ground);
  ~Instance() override;

  // `event` has its time; it goes to the copy's own trigger.
  Run OnEvent(const trigger::EventPtr& event);
  // Runs the script on events that completed its trigger, here or elsewhere. The rows of a run that
  // fails are dropped.
  Run OnMatch(const trigger::Match& match);
  void Advance(std::vector<graph::Output>* rows);
  void Flush(std::vector<graph::Output>* rows);
  // Forgets begun sequences, so that one case does not finish another's.
  void ResetTrigger();

  int64_t inferences() const { return inferences_; }
  Json metrics() const { return metrics_.ToJson(); }
  std::vector<std::string> counters() const { return metrics_.Counters(); }
  const graph::Graph& graph() const { return *graph_; }

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

 private:
  Instance(std::shared_ptr<const Program> program, Ground ground);
  Status Start();
  Result<Json> Call(const trigger::Match& match);
  // Runs `work` when it is the task's turn, until `deadline_ns`.
  Status InTurn(int64_t deadline_ns, const std::function<Status()>& work);
  int64_t HostMs() const;

  std::shared_ptr<const Program> program_;
  Ground ground_;
  std::shared_ptr<tensor::MemoryBudget> budget_;
  std::unique_ptr<graph::Graph> graph_;
  trigger::Matcher matcher_;
  struct Emitted {
    std::string source;
    event::Row row;
  };
  std::vector<Emitted> emitted_;  // by the run that is going on
  int64_t run_time_ms_ = 0;       // event time of that run
  int64_t inferences_ = 0;
  bindings::Metrics metrics_;
  std::unique_ptr<vm::Isolate> isolate_;  // null after a failed restart; last: it uses the rest
};

}  // namespace ferry::task
