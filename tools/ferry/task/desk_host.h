// The host of scripts that run on an author's desk outside of events: a task's tests, and the
// backend of the Python package.
#pragma once

#include <string>
#include <vector>

#include "common/base/json.h"
#include "device-runtime/bindings/host.h"
#include "device-runtime/task/program.h"
#include "device-runtime/vm/isolate.h"

namespace ferry::cli {

class DeskHost : public bindings::Host {
 public:
  explicit DeskHost(std::shared_ptr<const task::Program> program) : program_(std::move(program)) {}

  Result<std::shared_ptr<const engine::Model>> LoadModel(std::string_view name) override;
  Result<std::shared_ptr<const llm::Model>> LoadLanguageModel(std::string_view name) override;
  Status Emit(std::string_view stream, Json row) override;
  int64_t NowMs() override;
  void Log(LogLevel level, std::string_view line) override;
  Status Metric(bindings::MetricKind kind, std::string_view name, double value) override;

  // For an isolate with this host, which outlives it: Ferry's modules, the task's files, its
  // limits.
  vm::Isolate::Options Options();
  const task::Program& program() const { return *program_; }
  Json rows = Json::array();  // emitted: [stream, row]

 private:
  std::shared_ptr<const task::Program> program_;
  bindings::Metrics metrics_;
};

}  // namespace ferry::cli
