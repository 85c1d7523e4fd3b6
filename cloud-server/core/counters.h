// Numbers that peers remember and never take lower again: counters of assignments, versions of
// the metadata that the server signs. A server restored from a backup does not know how far it
// counted afterwards; it must go on above that all the same.
#pragma once

#include <cstdint>

namespace ferry::server {

// The highest counter that a server takes over from what a device says. Signed documents hold
// numbers up to 2^53, so that this leaves room for as many more as will ever be needed.
inline constexpr int64_t kMaxLearntCounter = int64_t{1} << 52;

// The number after `before`: at least the seconds since 2026-01-01, so that a server which forgot
// numbers of the past goes on above them, as long as it gave fewer than one a second on average.
int64_t NextNumber(int64_t before, int64_t now_ms);

}  // namespace ferry::server
