// Letting requests in: so many at once, so much memory promised, the others wait in order.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <mutex>

#include "common/base/status.h"

namespace ferry::cli {

struct AdmissionLimits {
  int64_t running = 0;
  int64_t waiting = 0;  // kUnavailable past it
  int64_t bytes = 0;    // of all running requests together
};

// Any thread.
class Admission {
 public:
  explicit Admission(const AdmissionLimits& limits) : limits_(limits) {}

  // A place while it lives. The admission outlives it.
  class Place {
   public:
    Place() = default;
    Place(Place&& other) noexcept;
    Place& operator=(Place&&) = delete;
    ~Place();

   private:
    friend class Admission;
    Place(Admission* owner, int64_t bytes) : owner_(owner), bytes_(bytes) {}
    Admission* owner_ = nullptr;
    int64_t bytes_ = 0;
  };

  // Waits until all that came before are in, and there is a place and memory; `wanted` (may be
  // empty) is asked meanwhile, false ends it with kCancelled. `bytes` is at most the limit.
  Result<Place> Enter(int64_t bytes, const std::function<bool()>& wanted);

  struct Stats {
    int64_t running = 0;
    int64_t waiting = 0;
    int64_t finished = 0;
  };
  Stats stats() const;

 private:
  const AdmissionLimits limits_;
  mutable std::mutex mutex_;  // guards all below
  std::condition_variable changed_;
  std::list<int64_t> waiting_;  // tickets, the oldest first
  int64_t next_ticket_ = 0;
  int64_t running_ = 0;
  int64_t bytes_ = 0;
  int64_t finished_ = 0;
};

}  // namespace ferry::cli
