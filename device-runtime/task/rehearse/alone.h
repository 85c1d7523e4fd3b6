// A task by itself, outside a set: for probes, simulations and the desk. Its events, rules, streams
// and tables are in memory, and its functions run where they are started.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "common/sys/clock.h"
#include "device-runtime/task/outcome.h"
#include "pipeline/flow/flow.h"
#include "pipeline/store/outbox.h"

namespace ferry::task {

// Of keyed_hash where no device is: simulations give the same everywhere.
inline constexpr char kSimulatedHashKey[] = "simulated";
inline constexpr size_t kMaxAloneStarts = 10'000;  // of functions that one event may lead to

// One thread at a time.
class Alone {
 public:
  // Runs a function; as PackageRunner::Run.
  using Run = std::function<EventOutcome(const flow::Start&)>;
  // With `collect` outcomes keep the rows that left streams.
  static Result<std::unique_ptr<Alone>> Create(std::shared_ptr<const flow::Definition> definition,
                                               sys::Clock& clock, bool collect, Run run);

  // All that the event leads to, in order. The event has its time.
  void OnEvent(const flow::EventPtr& event, std::vector<EventOutcome>* out);
  void Advance(std::vector<EventOutcome>* out);
  // The end: all windows close.
  void Flush(std::vector<EventOutcome>* out);

  // Rows for the tunnel that left since this was asked last.
  std::vector<graph::Output> TakeUploads();
  flow::OwnerStats stats() const { return flow_->stats(""); }
  store::Outbox& store() { return *store_; }

 private:
  Alone(sys::Clock& clock, bool collect, Run run)
      : clock_(clock), collect_(collect), run_(std::move(run)) {}
  void Follow(std::vector<EventOutcome>* out);
  void TakeRows(EventOutcome* outcome);
  Status CommitTables(table::Batch* batch);

  sys::Clock& clock_;
  const bool collect_;
  Run run_;
  std::unique_ptr<store::Outbox> store_;  // in memory, for the tables
  std::unique_ptr<flow::Flow> flow_;
  flow::Effects effects_;
  std::vector<graph::Output> uploads_, kept_;
};

}  // namespace ferry::task
