// A thread of a library inside an app, which wakes it by calls and did not ask for it.
#pragma once

#include <memory>

#include "common/sys/executor.h"

namespace ferry::sys {

// As StartThreadExecutor. What wakes takes the processor from no thread that runs: it waits for a
// free one, or for its turn, so that a call that posts is not held up by what it posted. Linux's
// SCHED_BATCH; where that is refused, or not there, as any thread.
std::unique_ptr<Executor> StartPoliteExecutor(const char* thread_name);

}  // namespace ferry::sys
