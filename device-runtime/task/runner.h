// One installed package that runs, as a TaskSet sees it: so that sets, and the agent's network and
// install side, can be tried without an engine.
#pragma once

#include <memory>
#include <string_view>

#include "common/base/bytes.h"
#include "common/base/status.h"
#include "device-runtime/llm/model.h"

namespace ferry::flow {
struct Definition;
struct Start;
}  // namespace ferry::flow
namespace ferry::store {
class Outbox;
}

namespace ferry::task {

struct EventOutcome;
struct HostStats;

// One thread at a time, but for what says otherwise.
class PackageRunner {
 public:
  virtual ~PackageRunner() = default;
  virtual Status Probe() = 0;
  // What starts its functions and what becomes of its rows; null: nothing does. It never changes;
  // any thread may read it.
  virtual std::shared_ptr<const flow::Definition> definition() const = 0;
  // Runs one function. What the run leaves is in the outcome: rows that it emitted, which are the
  // caller's to bring into streams, and changes of tables, which are the caller's to commit.
  virtual EventOutcome Run(const flow::Start& start) = 0;
  // The package comes into use beside this outbox: its own rows of tables are written there.
  virtual Status FillTables(store::Outbox& outbox) {
    (void)outbox;
    return OkStatus();
  }
  // Whatever the script keeps in its variables goes: it begins anew with the next run.
  virtual void Forget() {}
  // Any thread.
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
