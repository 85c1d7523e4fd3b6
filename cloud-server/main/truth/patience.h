// What a start waits for: a database, a bus, a bucket that do not answer yet, as after a power cut
// of all machines at once. What answers and is wrong is said at once.
#pragma once

#include <cstdint>
#include <functional>

#include "common/base/status.h"
#include "common/sys/clock.h"

namespace ferry::server {

class Patience {
 public:
  // For all parts together. `pause` sleeps, and gives false when nobody wants to wait any more.
  Patience(sys::Clock& clock, int64_t wait_ms, std::function<bool(int64_t ms)> pause);
  // Repeats what fails with kUnavailable, with longer and longer pauses, each logged. The last
  // error says for how long it was tried; kCancelled when the wait was ended.
  Status Try(const char* part, const std::function<Status()>& attempt);

 private:
  sys::Clock& clock_;
  const int64_t wait_ms_, until_ns_;
  const std::function<bool(int64_t)> pause_;
};

}  // namespace ferry::server
