// Letting requests in: so many at once, so much memory promised; the others wait, and clients take
// turns.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <mutex>
#include <string>

#include "common/base/status.h"

namespace ferry::cli {

struct AdmissionLimits {
  int64_t running = 0;
  int64_t waiting = 0;       // of all; kUnavailable past it
  int64_t waiting_each = 0;  // of one client; kQuotaUsed past it
  int64_t bytes = 0;         // of all running requests together
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
    Place(Admission* owner, std::string client, int64_t bytes)
        : owner_(owner), client_(std::move(client)), bytes_(bytes) {}
    Admission* owner_ = nullptr;
    std::string client_;
    int64_t bytes_ = 0;
  };

  // Waits until it is the next and there is a place and memory; `wanted` (may be empty) is asked
  // meanwhile, false ends it with kCancelled. The next is of the client with the fewest requests
  // running, among those of the one that was let in longest ago, and its oldest: who asks a lot
  // waits for himself. `bytes` is at most the limit.
  Result<Place> Enter(const std::string& client, int64_t bytes,
                      const std::function<bool()>& wanted);

  struct Stats {
    int64_t running = 0;
    int64_t waiting = 0;
    int64_t finished = 0;
  };
  Stats stats() const;

 private:
  struct Client {
    int64_t running = 0;
    int64_t waiting = 0;
    int64_t turn = 0;  // when it was let in last
  };
  struct Ticket {
    std::map<std::string, Client>::iterator client;
  };
  std::list<Ticket>::const_iterator Next() const;
  void Forget(std::map<std::string, Client>::iterator client);  // when it has nothing left

  const AdmissionLimits limits_;
  mutable std::mutex mutex_;  // guards all below
  std::condition_variable changed_;
  std::map<std::string, Client> clients_;  // those with requests
  std::list<Ticket> waiting_;              // the oldest first
  int64_t turns_ = 0;
  int64_t running_ = 0;
  int64_t bytes_ = 0;
  int64_t finished_ = 0;
};

}  // namespace ferry::cli
