// The last latencies, for percentiles.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace ferry::task {

inline constexpr int64_t kNsPerMs = 1'000'000;

// Keeps the newest `limit` samples. One thread at a time.
class Latencies {
 public:
  explicit Latencies(size_t limit) : limit_(limit) {}

  void Add(int64_t ns) {
    if (samples_.size() < limit_)
      samples_.push_back(ns);
    else
      samples_[next_++ % limit_] = ns;
  }

  // The smallest sample that at least `percent` of all do not pass (nearest rank); 0 without any.
  int64_t Percentile(int percent) const {
    if (samples_.empty()) return 0;
    std::vector<int64_t> sorted = samples_;
    const size_t rank = (sorted.size() * static_cast<size_t>(percent) + 99) / 100;
    const auto at = sorted.begin() + static_cast<std::ptrdiff_t>(std::max<size_t>(rank, 1) - 1);
    std::nth_element(sorted.begin(), at, sorted.end());
    return *at;
  }

 private:
  size_t limit_;
  std::vector<int64_t> samples_;
  size_t next_ = 0;
};

}  // namespace ferry::task
