#include "cloud-server/ingest/pace.h"

#include <algorithm>

namespace ferry::server {
namespace {

constexpr double kNsPerSecond = 1e9;
constexpr int64_t kMsPerSecond = 1000;

}  // namespace

void Pace::Fill(Bucket* bucket, int64_t now_ns) const {
  const double passed = static_cast<double>(std::max<int64_t>(now_ns - bucket->at_ns, 0));
  const double more = std::min(passed / kNsPerSecond, 2.0 * kMaxHoldMs / kMsPerSecond);
  bucket->left += static_cast<int64_t>(more * static_cast<double>(rate_));
  bucket->left = std::min(bucket->left, rate_ * kBurstSeconds);
  bucket->at_ns = now_ns;
}

int64_t Pace::HoldMs(const std::string& device, int64_t now_ns) {
  const std::lock_guard lock(mutex_);
  const auto found = buckets_.find(device);
  if (found == buckets_.end()) return 0;
  Bucket now = found->second;
  Fill(&now, now_ns);
  if (now.left >= 0) return 0;
  return std::min(-now.left * kMsPerSecond / rate_ + 1, kMaxHoldMs);
}

void Pace::Took(const std::string& device, int64_t bytes, int64_t now_ns) {
  if (rate_ == 0) return;
  const std::lock_guard lock(mutex_);
  if (buckets_.size() >= kMaxPaced && !buckets_.contains(device)) Forget(now_ns);
  auto [at, fresh] = buckets_.emplace(device, Bucket{rate_ * kBurstSeconds, now_ns});
  Fill(&at->second, now_ns);
  at->second.left = std::max(at->second.left - bytes, -rate_ * kMaxHoldMs / kMsPerSecond);
}

void Pace::Forget(int64_t now_ns) {
  std::erase_if(buckets_, [&](const auto& item) {
    Bucket now = item.second;
    Fill(&now, now_ns);
    return now.left == rate_ * kBurstSeconds;
  });
  if (buckets_.size() >= kMaxPaced) buckets_.clear();
}

}  // namespace ferry::server
