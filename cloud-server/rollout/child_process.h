// A child process with limits, and what it wrote. POSIX.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/status.h"

namespace ferry::server {

struct ChildLimits {
  int64_t timeout_ms = 60'000;
  size_t max_output = 1 << 20;              // of each stream; more ends the child
  uint64_t max_memory = uint64_t{8} << 30;  // address space; 0: as it is
  uint64_t max_file = uint64_t{1} << 30;    // bytes of one written file
  uint64_t max_open_files = 256;
  std::vector<std::string> readable;  // files and folders beside the program and the system's own
};

struct ChildResult {
  int exit_code = 0;  // 128 + signal when a signal ended it
  std::string output;
  std::string errors;
};

// Runs `arguments[0]` (a path) and waits: without environment, without the right to gain rights,
// and confined as Confinement says. kNotFound when it cannot be started, kDeadlineExceeded and
// kLimitExceeded after it was killed. Any thread.
Result<ChildResult> RunChild(const std::vector<std::string>& arguments, const ChildLimits& limits);

}  // namespace ferry::server
