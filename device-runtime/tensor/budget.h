// A limit on the bytes of tensors that one owner (a session, a script isolate) holds.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>

namespace ferry::tensor {

// Counts bytes against a limit. Any thread. It must outlive the buffers that were counted on it:
// share it by std::shared_ptr, as Buffer does.
class MemoryBudget {
 public:
  explicit MemoryBudget(int64_t limit_bytes = std::numeric_limits<int64_t>::max())
      : limit_(limit_bytes) {}
  // Counts `bytes` more, or returns false and counts nothing when that would pass the limit.
  bool TryReserve(int64_t bytes);
  void Release(int64_t bytes);
  int64_t used() const { return used_.load(std::memory_order_relaxed); }
  int64_t limit() const { return limit_; }

 private:
  const int64_t limit_;
  std::atomic<int64_t> used_{0};
};

}  // namespace ferry::tensor
