#include "cloud-server/main/truth/patience.h"

#include <algorithm>

#include "common/base/log.h"

namespace ferry::server {
namespace {

constexpr int64_t kFirstWaitMs = 200, kLongestWaitMs = 5'000;
constexpr int64_t kNsAMs = 1'000'000;

}  // namespace

Patience::Patience(sys::Clock& clock, int64_t wait_ms, std::function<bool(int64_t)> pause)
    : clock_(clock),
      wait_ms_(wait_ms),
      until_ns_(clock.MonotonicNs() + wait_ms * kNsAMs),
      pause_(std::move(pause)) {}

Status Patience::Try(const char* part, const std::function<Status()>& attempt) {
  for (int64_t wait_ms = kFirstWaitMs;; wait_ms = std::min(2 * wait_ms, kLongestWaitMs)) {
    const Status tried = attempt();
    if (tried.code() != Code::kUnavailable) return tried;
    const int64_t left_ms = (until_ns_ - clock_.MonotonicNs()) / kNsAMs;
    if (left_ms <= 0)
      return wait_ms_ == 0 ? tried.Context("{}", part)
                           : tried.Context("{}, tried for {} s", part, wait_ms_ / 1000);
    LogWarn("server", "{}: {}; tried again in {} ms", part, tried.message(),
            std::min(wait_ms, left_ms));
    if (!pause_(std::min(wait_ms, left_ms)))
      return Status::Of(Code::kCancelled, "stopped while waiting for the {}", part);
  }
}

}  // namespace ferry::server
