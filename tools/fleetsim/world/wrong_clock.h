// The world's clock, set wrong.
#pragma once

#include "common/sys/clock.h"

namespace ferry::fleetsim {

class WrongClock : public sys::Clock {
 public:
  explicit WrongClock(sys::Clock& right) : right_(right) {}
  int64_t NowUnixMs() const override { return right_.NowUnixMs() + off_ms; }
  int64_t MonotonicNs() const override { return right_.MonotonicNs(); }
  int64_t off_ms = 0;

 private:
  sys::Clock& right_;
};

}  // namespace ferry::fleetsim
