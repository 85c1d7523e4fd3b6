// How fast one device may bring rows in, over all its connections. In memory: a start of the server
// gives every device a whole burst again, the quotas of a day do not depend on it.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>

namespace ferry::server {

inline constexpr int64_t kBurstSeconds = 8;    // of the rate, that may come at once
inline constexpr size_t kMaxPaced = 100'000;   // devices that are remembered
inline constexpr int64_t kMaxHoldMs = 60'000;  // a debt above it is let off

// Any thread. A bucket for each device that fills with the rate; what came is taken from it, so
// that one batch may leave a debt, and the next one waits until it is paid.
class Pace {
 public:
  // `bytes_second` 0: no limit.
  explicit Pace(int64_t bytes_second) : rate_(bytes_second) {}

  // For how long nothing of the device should be taken in; 0: it may go on.
  int64_t HoldMs(const std::string& device, int64_t now_ns);
  void Took(const std::string& device, int64_t bytes, int64_t now_ns);

 private:
  struct Bucket {
    int64_t left = 0;
    int64_t at_ns = 0;
  };
  // Fills up to now.
  void Fill(Bucket* bucket, int64_t now_ns) const;
  void Forget(int64_t now_ns);  // who owes nothing; all when that is not enough

  const int64_t rate_;
  std::mutex mutex_;
  std::map<std::string, Bucket> buckets_;
};

}  // namespace ferry::server
