#include "tools/ferry/serve/door_limits.h"

#include <cstdio>

#include "common/base/status.h"
#include "common/net/http_limits.h"
#include "tools/ferry/text/visible.h"

namespace ferry::cli {
namespace {

constexpr size_t kMaxToldKinds = 1024;  // remembered; more forget all

}  // namespace

bool DoorLimits::Connect(const std::string& peer) {
  {
    const std::lock_guard lock(mutex_);
    if (peers_.size() < kMaxServeConnections &&
        peers_.count(peer) < net::kMaxHttpConnectionsAnAddress) {
      peers_.insert(peer);
      return true;
    }
  }
  Note("connections", peer,
       fmt::format("a connection over the {} in all or {} an address", kMaxServeConnections,
                   net::kMaxHttpConnectionsAnAddress));
  return false;
}

void DoorLimits::Disconnect(const std::string& peer) {
  const std::lock_guard lock(mutex_);
  if (const auto at = peers_.find(peer); at != peers_.end()) peers_.erase(at);
}

bool DoorLimits::TakeBody(uint64_t bytes, const std::string& peer) {
  if (bytes < kFreeBodyBytes) return true;
  {
    const std::lock_guard lock(mutex_);
    if (bodies_ + bytes <= kMaxServeBodiesBytes) {
      bodies_ += bytes;
      return true;
    }
  }
  Note("bodies", peer,
       fmt::format("a body of {} bytes over the {} of all", bytes, kMaxServeBodiesBytes));
  return false;
}

void DoorLimits::GiveBody(uint64_t bytes) {
  if (bytes < kFreeBodyBytes) return;
  const std::lock_guard lock(mutex_);
  bodies_ -= bytes;
}

void DoorLimits::Note(const std::string& kind, const std::string& peer, const std::string& text) {
  const auto now = std::chrono::steady_clock::now();
  {
    const std::lock_guard lock(mutex_);
    if (told_.size() >= kMaxToldKinds) told_.clear();
    const auto [at, first] = told_.try_emplace(kind + " " + peer, now);
    if (!first && now - at->second < std::chrono::minutes(1)) return;
    at->second = now;
  }
  std::fprintf(stderr, "refused %s: %s\n", peer.c_str(), Visible(text).c_str());
}

}  // namespace ferry::cli
