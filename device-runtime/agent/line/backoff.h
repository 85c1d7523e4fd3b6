// How long to wait before the next try. Source: "full jitter", uniform in [0, min(cap, base * 2^n)]
// (M. Brooker, Exponential Backoff And Jitter, 2015): thousands of devices that lost one server do
// not come back at one moment.
#pragma once

#include <cstdint>

#include "common/sys/random.h"

namespace ferry::agent {

struct BackoffOptions {
  int64_t base_ms = 500;
  int64_t cap_ms = 60'000;
};

class Backoff {
 public:
  Backoff(const BackoffOptions& options, sys::Random& random)
      : options_(options), random_(random) {}
  // The delay before the next try; the window doubles with each call up to the cap.
  int64_t NextMs();
  // After a success that lasted.
  void Reset() { tries_ = 0; }
  // After one that did not last: with servers that die again and again under the load of those that
  // come back, the window stays above its least.
  void Ease() { tries_ /= 2; }
  int tries() const { return tries_; }

 private:
  BackoffOptions options_;
  sys::Random& random_;
  int tries_ = 0;
};

}  // namespace ferry::agent
