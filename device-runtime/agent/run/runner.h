// One installed package that runs, as the agent sees it: so that the agent's network and install
// side can be tried without an engine. Source: own.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "common/base/status.h"
#include "common/sys/filesystem.h"
#include "device-runtime/llm/model.h"
#include "device-runtime/task/host.h"
#include "pipeline/event/event.h"

namespace ferry::agent {

// One thread at a time.
class PackageRunner {
 public:
  virtual ~PackageRunner() = default;
  virtual Status Probe() = 0;
  virtual task::EventOutcome OnEvent(event::Event event) = 0;
  // Lets windows close by time.
  virtual void Advance() = 0;
  // Hands rows of open windows to the outbox; nothing follows.
  virtual void Close() = 0;
  virtual task::HostStats stats() const = 0;
  // A language model of the package, for sessions of the app; it keeps the package's file open.
  // kNotFound.
  virtual Result<std::shared_ptr<const llm::Model>> LanguageModel(std::string_view name) {
    return Status::Of(Code::kNotFound, "the package has no language model \"{}\"", name);
  }
};

// Loads the package file `path`. Errors name package, file and line.
using RunnerLoader = std::function<Result<std::unique_ptr<PackageRunner>>(const std::string& path)>;

// The real one: task::TaskHost over `fs`. What `options` points to outlives the runners.
RunnerLoader TaskRunnerLoader(sys::FileSystem& fs, const task::HostOptions& options);

}  // namespace ferry::agent
