// One installed package that runs, as a TaskSet sees it: so that sets, and the agent's network and
// install side, can be tried without an engine.
#pragma once

#include <memory>
#include <string_view>

#include "common/base/status.h"
#include "device-runtime/llm/model.h"

namespace ferry::trigger {
struct Match;
struct Trigger;
}  // namespace ferry::trigger

namespace ferry::task {

struct EventOutcome;
struct HostStats;

// One thread at a time, but for trigger().
class PackageRunner {
 public:
  virtual ~PackageRunner() = default;
  virtual Status Probe() = 0;
  // What starts it; null: no event does. It never changes; any thread may read it.
  virtual const trigger::Trigger* trigger() const = 0;
  // Runs on the events that completed the trigger.
  virtual EventOutcome OnMatch(const trigger::Match& match) = 0;
  // Lets windows close by time.
  virtual void Advance() = 0;
  // Hands rows of open windows to the outbox; nothing follows.
  virtual void Close() = 0;
  virtual HostStats stats() const = 0;
  // A language model of the package, for sessions of the app; it keeps the package's file open.
  // kNotFound.
  virtual Result<std::shared_ptr<const llm::Model>> LanguageModel(std::string_view name) {
    return Status::Of(Code::kNotFound, "the package has no language model \"{}\"", name);
  }
};

}  // namespace ferry::task
