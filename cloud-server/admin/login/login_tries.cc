#include "cloud-server/admin/login/login_tries.h"

#include <arpa/inet.h>

#include <algorithm>

#include "common/base/bytes.h"

namespace ferry::server {
namespace {

constexpr int64_t kWindowNs = 60'000'000'000;
constexpr size_t kNetworkBytes = 8;  // of an IPv6 address

std::string LoginNetworkOf(const std::string& peer) {
  Bytes raw(16);
  if (inet_pton(AF_INET6, peer.c_str(), raw.data()) != 1) return peer;
  raw.resize(kNetworkBytes);
  // ::1 and IPv4 in IPv6's clothes are no networks.
  const bool special = std::all_of(raw.begin(), raw.end(), [](uint8_t byte) { return byte == 0; });
  return special ? peer : ToHex(raw) + "/64";
}

}  // namespace

Status LoginTries::Take(const std::string& peer, int64_t now_ns) {
  const std::string network = LoginNetworkOf(peer);
  const std::lock_guard lock(mutex_);
  auto at = windows_.find(network);
  if (at == windows_.end()) {
    if (windows_.size() >= kMaxLoginAddresses) MakeRoom(now_ns);
    at = windows_.emplace(network, Window{now_ns, 0}).first;
  }
  Window& window = at->second;
  if (now_ns - window.since_ns >= kWindowNs) window = {now_ns, 0};
  if (window.tries >= kMaxLoginFailures)
    return Status::Of(Code::kUnavailable,
                      "{} wrong passwords from {} within a minute: try again in a minute",
                      kMaxLoginFailures, peer);
  ++window.tries;
  return OkStatus();
}

void LoginTries::GiveBack(const std::string& peer) {
  const std::lock_guard lock(mutex_);
  auto at = windows_.find(LoginNetworkOf(peer));
  if (at == windows_.end()) return;
  if (at->second.tries > 0) --at->second.tries;
  if (at->second.tries == 0) windows_.erase(at);
}

size_t LoginTries::addresses() const {
  const std::lock_guard lock(mutex_);
  return windows_.size();
}

void LoginTries::MakeRoom(int64_t now_ns) {
  std::erase_if(windows_,
                [&](const auto& entry) { return now_ns - entry.second.since_ns >= kWindowNs; });
  if (windows_.size() < kMaxLoginAddresses) return;
  windows_.erase(std::min_element(
      windows_.begin(), windows_.end(),
      [](const auto& a, const auto& b) { return a.second.since_ns < b.second.since_ns; }));
}

}  // namespace ferry::server
