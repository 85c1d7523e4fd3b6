#include "common/net/tls/sessions.h"

namespace ferry::net {

void Sessions::Keep(const std::string& server, const SSL_SESSION* session) {
  OpensslPtr<SSL_SESSION> own(SSL_SESSION_dup(session));
  if (own == nullptr) return;
  std::lock_guard lock(mutex_);
  if (newest_.size() >= kMaxKeptSessions && !newest_.contains(server)) newest_.clear();
  newest_[server].swap(own);
}

OpensslPtr<SSL_SESSION> Sessions::Find(const std::string& server) {
  std::lock_guard lock(mutex_);
  const auto at = newest_.find(server);
  if (at == newest_.end() || SSL_SESSION_is_resumable(at->second.get()) != 1) return nullptr;
  // Handshakes write into their session: each gets its own.
  return OpensslPtr<SSL_SESSION>(SSL_SESSION_dup(at->second.get()));
}

}  // namespace ferry::net
