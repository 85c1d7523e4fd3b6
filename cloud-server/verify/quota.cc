#include "cloud-server/verify/quota.h"

#include <algorithm>
#include <cmath>

namespace ferry::server {
namespace {

constexpr double kMinuteMs = 60'000;

}  // namespace

void TokenQuota::Fill(Bucket& bucket, int64_t now_ms) const {
  const double full = static_cast<double>(per_minute_);
  const double more = full * static_cast<double>(now_ms - bucket.at_ms) / kMinuteMs;
  bucket.level = std::min(full, bucket.level + std::max(0.0, more));
  bucket.at_ms = now_ms;
}

int64_t TokenQuota::Take(const std::string& device, int64_t tokens, int64_t now_ms) {
  const auto [at, fresh] = buckets_.try_emplace(device);
  Bucket& bucket = at->second;
  if (fresh) bucket = {static_cast<double>(per_minute_), now_ms};
  Fill(bucket, now_ms);
  if (bucket.level <= 0) {
    const double per_ms = std::max(1.0, static_cast<double>(per_minute_)) / kMinuteMs;
    return 1 + static_cast<int64_t>(std::ceil(-bucket.level / per_ms));
  }
  bucket.level -= static_cast<double>(tokens);
  return 0;
}

void TokenQuota::Sweep(int64_t now_ms) {
  for (auto at = buckets_.begin(); at != buckets_.end();) {
    Fill(at->second, now_ms);
    const bool full = at->second.level >= static_cast<double>(per_minute_);
    at = full ? buckets_.erase(at) : std::next(at);
  }
}

}  // namespace ferry::server
