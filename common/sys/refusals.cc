#include "common/sys/refusals.h"

#include <utility>

#include "common/base/log.h"

namespace ferry::sys {

bool RefusalLog::Note(const std::string& kind, const std::string& peer, const std::string& text) {
  const int64_t now_ms = clock_.MonotonicNs() / 1'000'000;
  int64_t before = 0, others = 0;
  {
    const std::lock_guard lock(mutex_);
    const auto key = std::pair(kind, peer);
    auto at = told_.find(key);
    if (at != told_.end() && now_ms - at->second.at_ms < kRefusalPauseMs) {
      ++at->second.unsaid;
      return false;
    }
    if (at == told_.end() && told_.size() >= kMaxRefusalPeers) {
      std::erase_if(told_, [now_ms](const auto& entry) {
        return now_ms - entry.second.at_ms >= kRefusalPauseMs;
      });
      if (told_.size() >= kMaxRefusalPeers) {
        ++unsaid_;
        return false;
      }
    }
    if (at == told_.end()) at = told_.emplace(key, Told{now_ms}).first;
    before = std::exchange(at->second.unsaid, 0);
    at->second.at_ms = now_ms;
    others = std::exchange(unsaid_, 0);
  }
  std::string more;
  if (before > 0) more += fmt::format(" ({} times more since this was said)", before);
  if (others > 0) more += fmt::format(" ({} refusals of other peers were not logged)", others);
  LogWarn(room_, "{}: refused: {}{}", peer, text, more);
  return true;
}

}  // namespace ferry::sys
