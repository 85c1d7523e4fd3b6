// How the agent makes runners of the packages that it installs.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "common/base/status.h"
#include "common/sys/filesystem.h"
#include "device-runtime/task/files/exclusive_files.h"
#include "device-runtime/task/runner.h"

namespace ferry::task {
struct TaskOutcome;
class TaskSet;
}  // namespace ferry::task

namespace ferry::agent {

using task::PackageRunner;
using task::TaskOutcome;

// The agent's group of a task set.
inline constexpr char kTaskGroup[] = "installed/";

// Loads the package file `path` with the device's own files. Errors name package, file and line.
using RunnerLoader = std::function<Result<std::unique_ptr<PackageRunner>>(
    const std::string& path, const task::OwnDirectories& files)>;

// The real one: task::TaskHost over `fs`, in the agent's group of `set`. Both outlive the runners.
RunnerLoader TaskRunnerLoader(sys::FileSystem& fs, const task::TaskSet& set);

}  // namespace ferry::agent
