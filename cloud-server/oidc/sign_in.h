// Signing in at an issuer: the code flow with PKCE. Any thread. Source: OpenID Connect Core 1.0,
// section 3.1; RFC 7636 (PKCE), RFC 9700 (what attacks it withstands).
// ---- sign_in.cc
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "cloud-server/oidc/issuer.h"
#include "cloud-server/oidc/roles.h"
#include "common/sys/random.h"

namespace ferry::server::oidc {

inline constexpr int64_t kBegunMs = 600'000;      // that a sign-in may take at the issuer
inline constexpr size_t kMaxBegun = 4096;         // at once; more end the oldest
inline constexpr size_t kMaxBegunOfAddress = 32;  // so too
inline constexpr size_t kMaxGoalBytes = 2048;

enum class Refusal {
  kNone,
#define FERRY_OIDC_REFUSAL(refusal, name, sentence) refusal,
#include "cloud-server/oidc/refusals.inc"
#undef FERRY_OIDC_REFUSAL
};
const char* NameOf(Refusal refusal);
// The sentence of a refusal of this name; empty: there is none.
std::string SentenceOf(std::string_view name);

struct SignInOptions {
  Client client;
  std::string name;  // as people know the issuer
  std::string scope = "openid profile email";
  std::string user_claim = "preferred_username";
  std::string roles_claim = "groups";
  std::vector<RoleRow> roles;
  std::string return_url;  // where browsers come back to; empty: at the host that they called
  const sys::Clock* clock = nullptr;  // borrowed, as below
  sys::Random* random = nullptr;
  Fetcher fetch = Fetch;
};

// Who came back.
struct Person {
  std::string subject;  // the issuer and who it is there: never somebody else's
  std::string name;     // as the claim says it, in small letters
  RoleRow role;
};

class SignIn {
 public:
  // kInvalidArgument names what is wrong. Asks nobody.
  static Result<std::unique_ptr<SignIn>> Make(SignInOptions options);

  const SignInOptions& options() const { return options_; }
  // Whether the issuer can be used; kept for a while.
  Status Look() { return AsStatus(issuer_.Look()); }

  struct Begun {
    std::string url;      // of the issuer, where the browser goes
    std::string browser;  // what only this browser shall know
  };
  struct Beginning {
    std::string peer;            // the address that calls
    std::string goal;            // where the console goes on, "#/..."; empty: at its start
    std::string return_url;      // this server's, where no other is set
    std::string session_sha256;  // of the session that the browser has; empty: none
  };
  // kInvalidArgument for a goal that is none.
  Result<Begun> Begin(const Beginning& beginning);

  struct Ended {
    Refusal refusal = Refusal::kNone;
    Status why;          // of a refusal, for the log
    bool known = false;  // this browser had begun it
    std::string goal;
    std::string session_sha256;  // as it was begun
    Person person;               // as far as it came
  };
  // `query` of the address that the browser came back to, and what it knows. Each once.
  Ended End(const std::map<std::string, std::string>& query, const std::string& browser);

 private:
  struct Waiting {
    Beginning of;
    std::string browser_sha256, verifier, nonce;
    int64_t began_ms = 0;
  };
  explicit SignIn(SignInOptions options)
      : options_(std::move(options)), issuer_(options_.client, *options_.clock, options_.fetch) {}
  std::string Secret();
  void Keep(const std::string& state, Waiting waiting);
  std::optional<Waiting> Take(const std::string& state, const std::string& browser);
  void Ask(const std::map<std::string, std::string>& query, const Waiting& waiting, Ended* ended);
  Status Name(const Json& claims, Ended* ended) const;

  const SignInOptions options_;
  Issuer issuer_;
  std::mutex mutex_;
  std::map<std::string, Waiting> waiting_;  // by state
};

}  // namespace ferry::server::oidc
