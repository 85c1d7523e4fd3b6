// How fast a server begins handshakes: their public-key part is what a storm of connections costs,
// and who waits for it in the kernel's queue costs nothing. Pure; for this room only.
#pragma once

#include <algorithm>
#include <cstdint>

namespace ferry::net {

inline constexpr int64_t kPaceBurstMs = 500;  // of handshakes may begin at one moment

class Pace {
 public:
  explicit Pace(int per_second)
      : each_ns_(per_second > 0 ? 1'000'000'000 / int64_t{per_second} : 0) {}

  // One begins now; how long the next one has to wait, in ms.
  int64_t WaitAfterMs(int64_t now_ns) {
    if (each_ns_ == 0) return 0;
    paid_until_ns_ = std::max(paid_until_ns_, now_ns - kPaceBurstMs * kNsPerMs) + each_ns_;
    const int64_t ahead_ns = paid_until_ns_ - now_ns;
    return ahead_ns <= 0 ? 0 : (ahead_ns + kNsPerMs - 1) / kNsPerMs;
  }

 private:
  static constexpr int64_t kNsPerMs = 1'000'000;
  const int64_t each_ns_;      // 0: without limit
  int64_t paid_until_ns_ = 0;  // by those that began
};

}  // namespace ferry::net
