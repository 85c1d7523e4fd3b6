#include "common/net/tls/sessions.h"

namespace ferry::net {

void Sessions::Keep(const std::string& server, const SSL_SESSION* session) {
  OpensslPtr<SSL_SESSION> own(SSL_SESSION_dup(session));
  if (own == nullptr) return;
  std::lock_guard lock(mutex_);
  if (newest_.size() >= kMaxKeptSessions && !newest_.contains(server)) newest_.clear();
  newest_[server].swap(own);
}

SSL_SESSION* Sessions::OfAnotherAddress(const std::function<bool(X509* certificate)>& names) {
  SSL_SESSION* newest = nullptr;
  for (const auto& [server, kept] : newest_) {
    SSL_SESSION* session = kept.get();
    X509* certificate = SSL_SESSION_get0_peer(session);
    if (SSL_SESSION_is_resumable(session) != 1 || certificate == nullptr) continue;
    if (newest != nullptr && SSL_SESSION_get_time(session) <= SSL_SESSION_get_time(newest))
      continue;
    if (names(certificate)) newest = session;
  }
  return newest;
}

OpensslPtr<SSL_SESSION> Sessions::Find(const std::string& server,
                                       const std::function<bool(X509* certificate)>& names) {
  std::lock_guard lock(mutex_);
  const auto at = newest_.find(server);
  SSL_SESSION* session = at == newest_.end() ? OfAnotherAddress(names) : at->second.get();
  if (session == nullptr || SSL_SESSION_is_resumable(session) != 1) return nullptr;
  // Handshakes write into their session: each gets its own.
  return OpensslPtr<SSL_SESSION>(SSL_SESSION_dup(session));
}

}  // namespace ferry::net
