// How much memory this process may still take.
#pragma once

#include <cstdint>

namespace ferry::sys {

// Bytes that the machine, and the control group that the process runs in, have to spare; INT64_MAX
// where neither says. Linux's own reckoning: what caches of files hold counts as spare.
int64_t AvailableMemory();

// What this process holds that no file backs, in bytes; 0 where the system does not say.
int64_t AnonymousMemory();

}  // namespace ferry::sys
