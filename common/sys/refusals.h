// Says in the log what was refused: the thing, the limit and the peer, at most once a minute for
// each kind and peer, so that an attack does not fill the disk.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "common/sys/clock.h"

namespace ferry::sys {

// (kind, peer) pairs that are remembered for a minute; those beyond are only counted.
inline constexpr size_t kMaxRefusalPeers = 1024;
inline constexpr int64_t kRefusalPauseMs = 60'000;

// Any thread.
class RefusalLog {
 public:
  explicit RefusalLog(const char* room, Clock& clock = SystemClock())
      : room_(room), clock_(clock) {}
  // `kind` groups refusals, `peer` is who: an address without its port, or a device; `text` names
  // the thing and the limit. Whether it was said.
  bool Note(const std::string& kind, const std::string& peer, const std::string& text);

 private:
  struct Told {
    int64_t at_ms;
    int64_t unsaid = 0;  // since then
  };
  const char* const room_;
  Clock& clock_;
  std::mutex mutex_;
  std::map<std::pair<std::string, std::string>, Told> told_;
  int64_t unsaid_ = 0;  // of peers that there was no room for
};

}  // namespace ferry::sys
