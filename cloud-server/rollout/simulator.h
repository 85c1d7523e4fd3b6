// The simulation gate: the packaged task runs in the real device runtime, on recorded cases, before
// any device gets it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "cloud-server/registry/registry.h"
#include "common/sys/filesystem.h"

namespace ferry::server {

struct SimulationOutcome {
  bool passed = false;
  std::string text;          // one sentence: the first case that failed, or the counts
  std::string numbers_json;  // {"cases":..,"failed":..,"millis":..}
};

// May be called from any thread; blocks until the run is over.
class Simulator {
 public:
  virtual ~Simulator() = default;
  // An error means that the run could not be made (kIo, kNotFound of the program, ...).
  virtual Result<SimulationOutcome> Run(const std::string& package, const std::string& version) = 0;
};

inline constexpr int64_t kSimulationTimeoutMs = 120'000;
// Address space of the child. Sanitizers reserve more than any limit: they run without one.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr uint64_t kMaxSimulationMemory = 0;
#else
inline constexpr uint64_t kMaxSimulationMemory = uint64_t{8} << 30;
#endif
inline constexpr size_t kMaxSimulationOutput = 1 << 20;  // bytes of standard output that are read

struct ChildOptions {
  std::string program;            // path of ferry-device
  std::string scratch_directory;  // plain packages are written here, and removed
  int64_t timeout_ms = kSimulationTimeoutMs;
  uint64_t max_memory = kMaxSimulationMemory;  // 0: no limit
};

// Opens the package by escrow and runs `<program> simulate /proc/self/fd/3 --json` as a child
// process (child/child_process.h), which has the package open there, with limits on time, memory
// and output. Its exit status (0: passed) and its last line of standard output,
// {"cases":n,"failed":n,"first_failure":{"name","text"}?}, decide.
std::unique_ptr<Simulator> MakeChildSimulator(Registry& registry, sys::FileSystem& fs,
                                              ChildOptions options);

// The same for any program and file: what the simulator does after opening. For tests.
Result<SimulationOutcome> RunSimulationChild(const ChildOptions& options, const std::string& fpk);

}  // namespace ferry::server
