// One installed package that runs, as a TaskSet sees it: so that sets, and the agent's network and
// install side, can be tried without an engine.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "common/base/json.h"
#include "device-runtime/llm/model.h"
#include "pipeline/graph/graph.h"
#include "pipeline/trigger/trigger.h"

namespace ferry::task {

// What one event led to.
struct EventOutcome {
  bool fired = false;   // the trigger was complete and the script ran
  Json result;          // what the entry returned; null when it did not run or failed
  Status error;         // the script's failure; kScript... names line and exception
  Status stream_error;  // a stream or the outbox could not take a row; the script itself went well
  int64_t latency_ns = 0;           // of the script, when it ran
  std::vector<graph::Output> rows;  // with HostOptions::collect_rows
};

struct HostStats {
  int64_t events = 0;         // while the task was there, wanted or not
  int64_t fired = 0;          // script runs
  int64_t errors = 0;         // script runs that failed
  int64_t inferences = 0;     // model runs inside scripts that ended
  int64_t rows_uploaded = 0;  // rows that the outbox took
  int64_t rows_refused = 0;   // rows that the outbox could not take
  std::string last_error;
  Json metrics = Json::object();  // what the script counts with ferry.metrics
  int64_t p50_latency_ns = 0;     // of the last kLatencySamples script runs that ended well
  int64_t p99_latency_ns = 0;
};
inline constexpr size_t kLatencySamples = 4096;
Json StatsToJson(const HostStats& stats);

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
