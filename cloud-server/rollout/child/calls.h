// Which system calls a child process may make: an allow list, by libseccomp. Linux.
#pragma once

#include <linux/filter.h>

#include <string>
#include <vector>

#include "common/base/status.h"

namespace ferry::server {

// The number of the descriptor that the child's program is started from. It is above every number
// that the child can open, so that nothing is ever started again.
inline constexpr int kProgramDescriptor = 256;

// A filter that is made before fork and taken on after it. The child may compute, start threads,
// read files and write to what it was given. The rest fails with EPERM, opening a file for writing
// as well. What no good program would try ends the process by SIGSYS: sockets, other processes,
// another program, another user, tracing, mounts, loading code into the kernel.
class CallRules {
 public:
  // kIo: the library could not make it.
  static Result<CallRules> Make();
  // Takes the filter on for this process and all that it becomes; it must have given up what a
  // set-user-ID program would add. The one program that it may start is kProgramDescriptor. False:
  // it failed, and errno says why. Safe between fork and exec.
  bool TakeOn() const;

 private:
  std::vector<sock_filter> program_;
};

// "socket"; a number as text when nobody knows it.
std::string CallName(int number);

}  // namespace ferry::server
