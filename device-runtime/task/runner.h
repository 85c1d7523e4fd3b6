// One installed package that runs, as a TaskSet sees it: so that sets, and the agent's network and
// install side, can be tried without an engine.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "common/base/bytes.h"
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
  // Runs on the events that completed the trigger. What the run leaves is durable only when Commit
  // was given its outcome; a run that was committed for this event before is not done again.
  virtual EventOutcome OnMatch(const trigger::Match& match) = 0;
  // Makes durable what the runs of these outcomes left, all together; their `run` is null then.
  // After an error nothing has changed, and it may be tried again.
  virtual Status Commit(std::span<EventOutcome* const> outcomes) {
    (void)outcomes;
    return OkStatus();
  }
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
  // A file that came for this device alone, else one of the package, for the app. kNotFound. Any
  // thread may ask.
  virtual Result<Bytes> ReadFile(std::string_view name) {
    return Status::Of(Code::kNotFound, "the package has no file \"{}\"", name);
  }
};

}  // namespace ferry::task
