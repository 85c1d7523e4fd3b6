// How many files a process may have open at once: every line to a device is one.
#pragma once

#include <cstdint>

namespace ferry::server {

inline constexpr int64_t kFilesBesideLines = 512;  // database, content, operators, simulations

// Raises the soft limit to the hard one, says in the log what it is, and returns it; call it before
// threads start. What cannot be raised stays.
int64_t RaiseFileLimit();
// Of `wanted` lines those for which a limit of `files` has room; 1 at least.
int MostLines(int64_t files, int wanted);

}  // namespace ferry::server
