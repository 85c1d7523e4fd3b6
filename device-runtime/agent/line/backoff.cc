#include "device-runtime/agent/line/backoff.h"

#include <algorithm>

namespace ferry::agent {

int64_t Backoff::NextMs() {
  constexpr int kMaxDoublings = 20;
  const int64_t base = std::max<int64_t>(1, options_.base_ms);
  const int64_t window = std::min(options_.cap_ms, base << std::min(tries_, kMaxDoublings));
  if (tries_ < kMaxDoublings) ++tries_;
  return static_cast<int64_t>(
      random_.Below(static_cast<uint64_t>(std::max<int64_t>(0, window)) + 1));
}

}  // namespace ferry::agent
