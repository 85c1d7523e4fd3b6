// Where operators get randomness that no attribute decides.
#pragma once

#include "common/sys/random.h"

namespace ferry::ops {

// The source of the calling thread's present run; the operating system's outside of any.
sys::Random& CurrentRandom();

// Makes `random` the calling thread's source while it lives (null changes nothing).
class RandomScope {
 public:
  explicit RandomScope(sys::Random* random);
  ~RandomScope();
  RandomScope(const RandomScope&) = delete;
  RandomScope& operator=(const RandomScope&) = delete;

 private:
  sys::Random* before_;
};

}  // namespace ferry::ops
