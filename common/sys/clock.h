// Time as an interface, so that the platform also runs on virtual time.
#pragma once

#include <cstdint>

namespace ferry::sys {

// Any thread may call. Implementations: posix/ (the machine's clocks) and sim/ (virtual, moved by
// the sim executor).
class Clock {
 public:
  virtual ~Clock() = default;
  // Milliseconds since 1970-01-01 UTC; may jump when someone sets the clock. For expiry and stored
  // time stamps.
  virtual int64_t NowUnixMs() const = 0;
  // Nanoseconds since some start; never goes back. For durations, timers and time-outs.
  virtual int64_t MonotonicNs() const = 0;
};

// The machine's clocks; lives for ever.
Clock& SystemClock();

}  // namespace ferry::sys
