// The admin REST of a server (cloud-server/admin). The only place that sees the HTTP client, and
// where what it throws is caught.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "common/base/json.h"

namespace ferry::cli {

struct GlobalOptions;

inline constexpr int kConnectSeconds = 10;
inline constexpr int kAnswerSeconds =
    120;  // publishing checks every new artefact before it answers

// One thread at a time. Errors: what the server answered (its code and text), kUnavailable when it
// cannot be reached, kMalformed for an answer that is no JSON.
class Api {
 public:
  // From --server/--token, FERRY_SERVER/FERRY_TOKEN or the login file, in this order.
  // kFailedPrecondition when no server is known, kInvalidArgument for a URL that is none.
  static Result<Api> Open(const GlobalOptions& options);
  static Result<Api> Open(const std::string& url, const std::string& token);

  const std::string& url() const { return url_; }
  // `path` below /api/v1, such as "/devices".
  Result<Json> Get(const std::string& path) const;
  Result<Json> Post(const std::string& path, const Json& body) const;
  Result<Json> Put(const std::string& path, const Json& body) const;
  // The file's bytes as the body.
  Result<Json> PutFile(const std::string& path, const std::string& file,
                       const std::function<void(uint64_t, uint64_t)>& progress) const;

 private:
  Api(std::string url, std::string token) : url_(std::move(url)), token_(std::move(token)) {}
  std::string url_;
  std::string token_;
};

// A name or id as one part of a path: everything but unreserved characters as %XX.
std::string PathPart(std::string_view text);

// Where `ferry login` keeps server and token: FERRY_CONFIG, or login.json in the folder "ferry" of
// the user's configuration.
std::string LoginPath();

}  // namespace ferry::cli
