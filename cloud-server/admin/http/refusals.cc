#include "cloud-server/admin/http/refusals.h"

#include "common/base/log.h"

namespace ferry::server {

bool Refusals::Note(const std::string& kind, const std::string& peer, const std::string& text) {
  const auto now = std::chrono::steady_clock::now();
  {
    const std::lock_guard lock(mutex_);
    if (told_.size() >= kMaxRefusalKinds) told_.clear();
    auto [at, fresh] = told_.emplace(kind + " " + peer, now);
    if (!fresh && now - at->second < std::chrono::minutes(1)) return false;
    at->second = now;
  }
  LogWarn("admin", "{}: refused: {}", peer, text);
  return true;
}

}  // namespace ferry::server
