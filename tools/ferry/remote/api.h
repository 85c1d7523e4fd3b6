// The admin REST of a server (cloud-server/admin). The only place that sees the HTTP client, and
// where what it throws is caught.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "common/base/bytes.h"
#include "common/base/json.h"

namespace ferry::cli {

struct GlobalOptions;

// Whom an https server must prove to be of. Both empty: of an authority that this system believes.
struct ServerTrust {
  std::string pin;  // "sha256:<hex>"
  std::string ca;   // path of a file in PEM
};

inline constexpr int kConnectSeconds = 10;
inline constexpr int kAnswerSeconds =
    120;  // publishing checks every new artefact before it answers

// One thread at a time. Errors: what the server answered (its code and text), kUnavailable when it
// cannot be reached, kUntrustedServer when it is not whom it must be, kMalformed for an answer that
// is no JSON.
class Api {
 public:
  // From --server, --token, --pin and --ca, the variables FERRY_SERVER and so on, or the login
  // file, in this order. kFailedPrecondition when no server is known, kInvalidArgument for a URL or
  // pin that is none.
  static Result<Api> Open(const GlobalOptions& options);
  static Result<Api> Open(const std::string& url, const std::string& token,
                          const ServerTrust& trust = {});

  const std::string& url() const { return url_; }
  const ServerTrust& trust() const { return trust_; }
  // `path` below /api/v1, such as "/devices".
  // `date` becomes the answer's Date, also of an answer that is an error; empty without one.
  Result<Json> Get(const std::string& path, std::string* date = nullptr) const;
  Result<Json> Post(const std::string& path, const Json& body) const;
  Result<Json> Put(const std::string& path, const Json& body) const;
  Result<Json> Delete(const std::string& path) const;
  // The file's bytes as the body.
  Result<Json> PutFile(const std::string& path, const std::string& file,
                       const std::function<void(uint64_t, uint64_t)>& progress) const;
  // GET of the whole path, such as "/tuf/targets/digits/1.0.0/full": the answer's bytes piece by
  // piece, until `take` fails, with its error.
  Status GetBytes(const std::string& path, const std::function<Status(ByteView)>& take) const;

 private:
  Api(std::string url, std::string token, ServerTrust trust)
      : url_(std::move(url)), token_(std::move(token)), trust_(std::move(trust)) {}
  std::string url_;
  std::string token_;
  ServerTrust trust_;
};

// A name or id as one part of a path: everything but unreserved characters as %XX.
std::string PathPart(std::string_view text);

// What `options` and the environment say of trust, checked. kInvalidArgument for a pin that is none
// or both a pin and a file.
Result<ServerTrust> TrustFrom(const GlobalOptions& options);

// What `ferry login` kept. kNotFound when there is nothing, kMalformed.
struct KeptLogin {
  std::string server, token;
  ServerTrust trust;
};
Result<KeptLogin> ReadLogin();

// Where `ferry login` keeps server, token and trust: FERRY_CONFIG, or login.json in the folder
// "ferry" of the user's configuration.
std::string LoginPath();

}  // namespace ferry::cli
