#include "cloud-server/core/counters.h"

#include <algorithm>

namespace ferry::server {
namespace {

constexpr int64_t kCountsSinceMs = 1'767'225'600'000;  // 2026-01-01T00:00:00Z

}  // namespace

int64_t NextNumber(int64_t before, int64_t now_ms) {
  return std::max(before + 1, (now_ms - kCountsSinceMs) / 1000);
}

}  // namespace ferry::server
