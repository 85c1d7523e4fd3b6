// What script modules need from whoever runs the isolate: pass it as Isolate::Options::host (as a
// Host*). Implemented by device-runtime/task.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/bytes.h"
#include "common/base/json_fwd.h"
#include "common/base/log.h"
#include "common/base/status.h"
#include "common/sys/executor.h"
#include "device-runtime/bindings/declarations.h"
#include "device-runtime/bindings/metrics.h"
#include "device-runtime/engine/engine.h"
#include "device-runtime/llm/model.h"
#include "device-runtime/tensor/budget.h"
#include "pipeline/table/tables.h"

namespace ferry::bindings {

// Called on the isolate's thread, inside a script. Outlives the isolate.
class Host {
 public:
  virtual ~Host() = default;
  // The model that the task calls `name`; kNotFound.
  virtual Result<std::shared_ptr<const engine::Model>> LoadModel(std::string_view name) = 0;
  // The language model that the task calls `name`; kNotFound.
  virtual Result<std::shared_ptr<const llm::Model>> LoadLanguageModel(std::string_view name) {
    return Status::Of(Code::kNotFound, "the task has no language model \"{}\"", name);
  }
  // Names of the files that the task may read, sorted.
  virtual std::vector<std::string> FileNames() { return {}; }
  // One of them, borrowed for as long as the host lives; kNotFound.
  virtual Result<ByteView> ReadFile(std::string_view name) {
    return Status::Of(Code::kNotFound, "the task has no file \"{}\"", name);
  }
  // A row for the streams with this source.
  virtual Status Emit(std::string_view stream, Json row) = 0;
  virtual int64_t NowMs() = 0;
  // Tables of the collective storage, as table::Batch has them: a run sees its own writes, and one
  // that fails leaves none.
  virtual Result<Json> TableGet(std::string_view table, const std::vector<Json>& key) {
    (void)key;
    return NoTables(table);
  }
  virtual Status TablePut(std::string_view table, const Json& row) {
    (void)row;
    return NoTables(table);
  }
  virtual Status TableDelete(std::string_view table, const std::vector<Json>& key) {
    (void)key;
    return NoTables(table);
  }
  virtual Result<std::vector<Json>> TableRange(std::string_view table,
                                               const table::RangeQuery& query) {
    (void)query;
    return NoTables(table);
  }
  // A line of the app's log.
  virtual void Log(LogLevel level, std::string_view line) {
    (void)level;
    (void)line;
  }
  // A number of the task's own; Metrics::Record.
  virtual Status Metric(MetricKind kind, std::string_view name, double value) {
    (void)kind;
    (void)name;
    (void)value;
    return OkStatus();
  }
  // Threads for kernels; null: the calling one alone.
  virtual sys::Parallel* Threads() { return nullptr; }
  // Counts tensors, activations and KV caches of the task, apart from the isolate's own count;
  // null: no limit.
  virtual std::shared_ptr<tensor::MemoryBudget> Budget() { return nullptr; }
  // Takes what ferry.stream declares; null, as on devices: nobody asks.
  virtual std::vector<Declaration>* Declarations() { return nullptr; }
  // After each model run that went well.
  virtual void CountInference(int64_t latency_ns) { (void)latency_ns; }

 protected:
  static Status NoTables(std::string_view table) {
    return Status::Of(Code::kUnavailable, "table {}: nothing keeps tables here", table);
  }
};

}  // namespace ferry::bindings
