// Says in the log what the door refused: the thing, the limit and the peer, at most once a minute
// for each kind and peer, so that an attack does not fill the disk.
#pragma once

#include <chrono>
#include <map>
#include <mutex>
#include <string>

namespace ferry::server {

inline constexpr size_t kMaxRefusalKinds = 1024;  // remembered; more forget all

class Refusals {
 public:
  // `text` names what was refused and the limit; `kind` groups refusals. Any thread.
  // Whether it was said.
  bool Note(const std::string& kind, const std::string& peer, const std::string& text);

 private:
  std::mutex mutex_;
  std::map<std::string, std::chrono::steady_clock::time_point> told_;
};

}  // namespace ferry::server
