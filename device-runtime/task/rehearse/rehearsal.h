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
#include "device-runtime/task/rehearse/alone.h"
#include "device-runtime/task/rehearse/cases.h"

namespace ferry::task {

// A run as what came of it, for those that commit it.
EventOutcome OutcomeOf(Instance::Run run);

class Rehearsal {
 public:
  using FunctionRun = Alone::FunctionRun;  // the entry by its name
  using Happened = Alone::Happened;

  // The flow has seen nothing, its tables hold what the package brings, and the instance, which
  // outlives it, reads and writes them. `clock` as in AloneOptions; of a recording all rows and
  // matches are told.
  static Result<std::unique_ptr<Rehearsal>> Create(std::shared_ptr<const Program> program,
                                                   Instance* instance, sys::Clock* clock = nullptr);
  ~Rehearsal();
  Rehearsal(const Rehearsal&) = delete;
  Rehearsal& operator=(const Rehearsal&) = delete;
  // As Alone's.
  Status Add(const std::string& task, std::shared_ptr<const flow::Definition> definition) {
    return alone_->Add(task, std::move(definition));
  }
  Happened OnEvent(const flow::EventPtr& event) { return Named(alone_->OnEvent(event)); }
  Happened End() { return Named(alone_->End()); }

 private:
  Rehearsal(std::shared_ptr<const Program> program, Instance* instance)
      : program_(std::move(program)), instance_(instance) {}
  Happened Named(Happened happened) const;

  std::shared_ptr<const Program> program_;
  Instance* instance_;
  std::unique_ptr<Alone> alone_;
};

// Runs one case; the Status says how it failed. `last`: what ran last.
Status RehearseCase(const std::shared_ptr<const Program>& program, Instance* instance,
                    const Case& one, sys::Clock& clock, Latencies* latencies, EventOutcome* last);

}  // namespace ferry::task
