// What a child process does between fork and exec.
#pragma once

#include <string>

#include "cloud-server/rollout/child/calls.h"
#include "cloud-server/rollout/child/child_process.h"
#include "cloud-server/rollout/child/files.h"
#include "cloud-server/rollout/child/user.h"

namespace ferry::server {

// The descriptor of ChildLimits::input in the child, by which its arguments name it.
inline constexpr int kInputDescriptor = 3;
inline constexpr int kSecondInputDescriptor = 4;

// All that a child takes on, made before fork. Descriptors are the parent's; each is above
// kProgramDescriptor or none (-1), so that putting one in its place takes no other's.
struct ChildParts {
  char* const* arguments = nullptr;
  ChildLimits limits;
  FileRules files;
  CallRules calls;
  ChildUser user;
  int output = -1, errors = -1;
  int program = -1;
  int input = -1;  // none: -1
  int second_input = -1;
  int failed = -1;  // a StartFailure is written there
};

// The step that failed, as a text that lives for ever, and errno.
struct StartFailure {
  const char* step = nullptr;
  int error = 0;
};

// Ends the process when a step fails. Only calls that are safe between fork and exec.
[[noreturn]] void BecomeChild(const ChildParts& parts);

}  // namespace ferry::server
