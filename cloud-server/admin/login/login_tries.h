// Who guesses passwords waits; nobody else does. Counts tries by the address that calls, not for
// the account: else ten wrong passwords of a stranger would lock out who knows the right one.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include "common/base/status.h"

namespace ferry::server {

inline constexpr int kMaxLoginFailures = 10;        // of an address within a minute; then it waits
inline constexpr size_t kMaxLoginAddresses = 4096;  // remembered; more forget the oldest

// Any thread. IPv6 addresses of one /64 count as one: whoever has one of them has all.
class LoginTries {
 public:
  // Counts a try before the password is looked at, so that many at once are not more than allowed.
  // kUnavailable when the address has to wait. `now_ns` is monotonic.
  Status Take(const std::string& peer, int64_t now_ns);
  // For a try that was no wrong password.
  void GiveBack(const std::string& peer);
  size_t addresses() const;

 private:
  struct Window {
    int64_t since_ns = 0;
    int tries = 0;
  };
  void MakeRoom(int64_t now_ns);  // with mutex_ held

  mutable std::mutex mutex_;
  std::map<std::string, Window> windows_;
};

}  // namespace ferry::server
