// A child process that is confined and limited, and what it wrote. Linux.
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
  // A file that is handed over, given to the child's user; empty: none. The child reads it as
  // kChildInput: it could not reach it by its name.
  std::string input;
  std::string second_input;  // another one, as kChildSecondInput
};

inline constexpr const char* kChildInput = "/proc/self/fd/3";
inline constexpr const char* kChildSecondInput = "/proc/self/fd/4";

struct ChildResult {
  int exit_code = 0;  // 128 + signal when a signal ended it
  std::string output;
  std::string errors;
};

// Whether no child of this process can read its files: they have another user, or the kernel keeps
// to rules for files.
bool ChildrenCannotReadFiles();

// Runs `arguments[0]`, the path of a machine's program (a script is none that can be started), and
// waits: without environment, without the right to gain rights, as a user of its own where the
// server is root (ChildUser), and confined as FileRules and CallRules say. kNotFound when it is not
// there, kFailedPrecondition for a script, kIo when it cannot be started, kDeadlineExceeded and
// kLimitExceeded after it was killed. Any thread.
Result<ChildResult> RunChild(const std::vector<std::string>& arguments, const ChildLimits& limits);

}  // namespace ferry::server
