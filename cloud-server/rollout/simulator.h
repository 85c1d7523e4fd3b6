// The simulation gate: the packaged task runs in the real device runtime, on recorded cases, before
// any device gets it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cloud-server/registry/registry.h"
#include "common/base/json_fwd.h"
#include "common/sys/filesystem.h"

namespace ferry::server {

// A kind of machine that a package is tried as: what differs between devices when a task runs.
struct SimulatedMachine {
  std::string isa;            // of the kernels, as FERRY_ISA names it; empty: the server's fastest
  uint64_t memory_bytes = 0;  // address space of the run; 0: the simulator's own limit
  auto operator<=>(const SimulatedMachine&) const = default;
};

struct SimulationOrder {
  std::string package;
  std::string version;
  std::string cases_of;  // the version whose recorded cases are run; empty: its own
  SimulatedMachine machine;
};

// What a case gave: the result as JSON, "sha256:<hex>" of a long one, or "error: <name>".
struct SimulatedOutput {
  std::string name;
  std::string output;
  double tolerance = 0;  // of numbers in the result, absolute
  bool operator==(const SimulatedOutput&) const = default;
};

struct SimulationOutcome {
  bool passed = false;
  std::string text;          // one sentence: the first case that failed, or the counts
  std::string numbers_json;  // the report, without its outputs
  std::string not_here{};    // the instruction set that this machine lacks: nothing was run
  bool finished = false;     // there is a report, and what follows is known
  int64_t cases = 0;
  int64_t failed = 0;
  double median_ms = 0;    // of a run; 0: none went well
  int64_t peak_bytes = 0;  // of the process; 0: not known
  std::vector<SimulatedOutput> outputs{};
  int64_t outputs_left_out = 0;
};

struct Draft;

// May be called from any thread; blocks until the run is over.
class Simulator {
 public:
  virtual ~Simulator() = default;
  // An error means that the run could not be made (kIo, kNotFound of the program or version, ...).
  virtual Result<SimulationOutcome> Run(const SimulationOrder& order) = 0;
  // Runs a draft (trial/draft.h) on its cases: the report of `ferry-device simulate --details`, or
  // {"passed":false,"error":text} of one that gave none. kUnavailable while others are tried.
  virtual Result<Json> Try(const Draft& draft) = 0;
  // The draft as a plain package in a file that is gone when the reader is.
  virtual Result<std::unique_ptr<sys::ReadableFile>> Make(const Draft& draft) = 0;
};

inline constexpr int64_t kSimulationTimeoutMs = 120'000;
// Address space of the child. Sanitizers reserve more than any limit: they run without one.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr uint64_t kMaxSimulationMemory = 0;
#else
inline constexpr uint64_t kMaxSimulationMemory = uint64_t{8} << 30;
#endif
inline constexpr size_t kMaxSimulationOutput = 2 << 20;  // bytes of standard output that are read
inline constexpr size_t kMaxDetailedOutput = 24 << 20;   // the same, with details

struct ChildOptions {
  std::string program;            // path of ferry-device
  std::string scratch_directory;  // plain packages are written here, and removed
  int64_t timeout_ms = kSimulationTimeoutMs;
  uint64_t max_memory = kMaxSimulationMemory;  // 0: no limit
};

// Opens the package by escrow and runs `<program> simulate /proc/self/fd/3 --json --outputs` as a
// child process (child/child_process.h), which has the package open there, with limits on time,
// memory and output; beside it `--isa`, `--memory-mb` and `--cases-of` as ordered. Its exit status
// (0: passed) and its last line of standard output, {"cases":n,"failed":n,"first_failure":
// {"name","text"}?,"p50_ms"?,"peak_bytes"?,"outputs"?} or {"not_here":isa}, decide.
std::unique_ptr<Simulator> MakeChildSimulator(Registry& registry, sys::FileSystem& fs,
                                              ChildOptions options);

// What `<program> simulate --details` says of the package; see Simulator::Try.
Result<Json> RunDetailedChild(const ChildOptions& options, const std::string& fpk);

// The same for any program and files: what the simulator does after opening. `cases_of`: the
// package whose cases are run; empty: its own. For tests.
Result<SimulationOutcome> RunSimulationChild(const ChildOptions& options, const std::string& fpk,
                                             const SimulatedMachine& machine = {},
                                             const std::string& cases_of = {});

}  // namespace ferry::server
