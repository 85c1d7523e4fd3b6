// TLS sessions that a client keeps, so that its next connection to the same server skips the
// public-key part of the handshake. For this room only.
#pragma once

#include <openssl/ssl.h>

#include <functional>
#include <map>
#include <mutex>
#include <string>

#include "common/net/tls/openssl.h"

namespace ferry::net {

inline constexpr size_t kMaxKeptSessions = 64;  // servers; one more forgets all

// Of one client context: servers that its authority vouched for. Any thread.
class Sessions {
 public:
  // `server`: host and port. Keeps a copy: a session whose connection breaks is spoilt with it.
  void Keep(const std::string& server, const SSL_SESSION* session);
  // A copy of its newest session, or else of one with another address whose certificate `names`
  // this host: nodes of one server take up each other's. Null: none that still counts.
  OpensslPtr<SSL_SESSION> Find(const std::string& server,
                               const std::function<bool(X509* certificate)>& names);

 private:
  // Under mutex_.
  SSL_SESSION* OfAnotherAddress(const std::function<bool(X509* certificate)>& names);

  std::mutex mutex_;
  std::map<std::string, OpensslPtr<SSL_SESSION>> newest_;
};

}  // namespace ferry::net
