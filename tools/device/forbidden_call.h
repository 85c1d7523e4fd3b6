// What a process says that makes a system call which its parent has forbidden.
#pragma once

namespace ferry::device {

// From now on a system call that a filter of calls traps ends the process with status 128 + SIGSYS,
// after "system call <number> is forbidden here" on standard error.
void NameForbiddenCalls();

}  // namespace ferry::device
