// task.json, checked: what a package's task is made of. README.md shows the file.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "common/base/json_fwd.h"
#include "common/base/status.h"
#include "device-runtime/vm/schedule/scheduler.h"
#include "pipeline/flow/definition.h"
#include "pipeline/privacy/privacy.h"

namespace ferry::task {

// Limits of a script when its task.json names none, and the most it may ask for.
inline constexpr int64_t kDefaultSteps = 10'000'000, kMaxSteps = 10'000'000'000;  // of one run
inline constexpr int64_t kDefaultMemoryBytes = 64 << 20, kMaxMemoryBytes = int64_t{4} << 30;
inline constexpr int64_t kDefaultDepth = 100, kMaxDepth = 1000;
inline constexpr int64_t kDefaultWallMs = 30'000, kMaxWallMs = 3'600'000;           // of one run
inline constexpr int64_t kDefaultOutputBytes = 1 << 20, kMaxOutputBytes = 1 << 30;  // printed
inline constexpr int64_t kMaxDeadlineMs = 3'600'000;
inline constexpr size_t kMaxModels = 64;

struct ScriptLimits {
  int64_t steps = kDefaultSteps;
  int64_t memory_bytes = kDefaultMemoryBytes;
  int64_t depth = kDefaultDepth;
  int64_t wall_ms = kDefaultWallMs;
  int64_t output_bytes = kDefaultOutputBytes;
};

// How the task shares the device's processors with others.
struct TaskSchedule {
  vm::Priority priority = vm::Priority::kNormal;
  int share = 1;            // of the processors, beside the shares of others; 1..vm::kMaxWeight
  int64_t deadline_ms = 0;  // from a run's event to its end, waiting included; 0: none
};

struct TaskSpec {
  std::string script;                         // file of the package: "task.py"
  std::string module;                         // its name for imports: "task"
  std::string entry;                          // function that gets the list of matched events
  std::map<std::string, std::string> models;  // name in scripts -> file of the package
  // Trigger, rules, streams and tables; it starts the entry or a function at least.
  std::shared_ptr<const flow::Definition> flow;
  std::vector<privacy::LocalField> fields;  // of class local
  privacy::Report privacy;                  // without findings; what its functions may not do
  ScriptLimits limits;
  TaskSchedule schedule;
  bool wall_clock = false;  // granted: the script may ask for the date and the time of day
};

// Reads and checks the object, its trigger, rules, streams and tables; whether files exist is the
// package's business. kMalformed, kLimitExceeded or kInvalidArgument name the member;
// kPermissionDenied names a stream that would let a field of class local leave. Members for other
// readers (name, version, modules, probe, simulation) are passed over; any other is an error.
Result<TaskSpec> ParseTask(const Json& task);

// "limits" of task.json alone.
Result<ScriptLimits> ReadScriptLimits(const Json& task);

// "preprocess.py" for "preprocess", "lib/image.py" for "lib.image".
std::string FileOfModule(std::string_view module);
// The file of a package that holds the script `file` compiled: "task.fbc" for "task.py".
std::string CompiledFile(std::string_view file);

}  // namespace ferry::task
