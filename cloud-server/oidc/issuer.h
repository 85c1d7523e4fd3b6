// One issuer, as it answers now: its document and keys, kept for a while, and its tokens. Any
// thread; calls block for at most kFetchSeconds each.
// ---- issuer.cc
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "cloud-server/oidc/discovery.h"
#include "cloud-server/oidc/fetch.h"
#include "cloud-server/oidc/id_token.h"
#include "cloud-server/oidc/keys.h"
#include "common/sys/clock.h"

namespace ferry::server::oidc {

inline constexpr int64_t kDocumentLifeMs = 3'600'000;  // of document and keys
inline constexpr int64_t kKeysPauseMs = 30'000;   // between two looks for keys that are not known
inline constexpr int64_t kFailedPauseMs = 5'000;  // before an issuer that failed is asked again
inline constexpr int kMaxIssuerCalls = 8;         // at once: each holds a worker of the door

struct Client {
  std::string issuer;
  std::string id;
  std::string secret;   // empty: a public client, which PKCE alone protects
  std::string ca_file;  // whom TLS believes; empty: whom the system does
};

// What the token endpoint gives for a code.
struct Tokens {
  std::string id_token;
  std::string access_token;  // empty: none
};

class Issuer {
 public:
  // Borrows the clock.
  Issuer(Client client, const sys::Clock& clock, Fetcher fetch)
      : client_(std::move(client)), clock_(clock), fetch_(std::move(fetch)) {}

  const Client& client() const { return client_; }
  Result<Discovery> Look();
  // kPermissionDenied where the issuer refuses the code.
  Result<Tokens> Exchange(const std::string& code, const std::string& verifier,
                          const std::string& return_url);
  // The claims of a token that this issuer signed for us, now, under this nonce.
  Result<Json> Check(const std::string& id_token, const std::string& nonce);
  // What the issuer says of the user beside the token; an empty object where it says nothing.
  Result<Json> UserInfo(const std::string& access_token, const std::string& subject);

 private:
  int64_t NowMs() const { return clock_.MonotonicNs() / 1'000'000; }
  Result<Discovery> Read();
  Result<std::string> Ask(FetchRequest request, bool refusal_is_answer = false);
  Result<std::shared_ptr<const KeySet>> Keys(bool anew);

  const Client client_;
  const sys::Clock& clock_;
  const Fetcher fetch_;
  std::mutex mutex_;  // guards what follows; not held while the issuer is asked
  std::optional<Discovery> document_;
  std::shared_ptr<const KeySet> keys_;
  int64_t document_ms_ = 0, keys_ms_ = 0;
  int64_t looked_ms_ = -kKeysPauseMs;  // when a token named a key that was not there
  Status failed_;                      // of the last look that failed
  int64_t failed_ms_ = 0;
  int calls_ = 0;
};

}  // namespace ferry::server::oidc
