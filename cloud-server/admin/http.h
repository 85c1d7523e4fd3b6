// A small HTTP/1.1 server on Boost.Beast, plain or over TLS; only http/ sees that library. Heads,
// and bodies of up to kMaxEagerBody bytes, are read on one thread for all connections; a whole
// request goes to a worker, so that who is slow to ask holds no worker. A body is never decoded.
// ---- http/server.cc http/reply.cc
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/base/bytes.h"
#include "common/net/certificate.h"
#include "common/net/http_limits.h"

namespace ferry::server {

struct HttpRequest {
  std::string method;
  std::string path;  // decoded, without the query
  std::map<std::string, std::string> query;
  std::string authorization;  // the header's value
  // By lower-case name; what stands several times is joined by ", ", cookies by "; ".
  std::map<std::string, std::string> headers;
  std::string peer;  // the address that calls; behind a trusted proxy, its client's
  // The body's size; absent when it is told in chunks.
  std::optional<uint64_t> body_bytes = 0;
  bool foreign = false;  // a browser sends it for a page of another origin
  // Gives the body in pieces; the sink's error ends it and is returned.
  std::function<Status(const std::function<Status(ByteView)>&)> read_body;

  // The header's value, of a name in lower case; empty when there is none.
  std::string Header(const std::string& name) const {
    const auto at = headers.find(name);
    return at == headers.end() ? std::string() : at->second;
  }
};

// The rest of an answer that goes on for as long as both sides like: events. Any thread.
class Push {
 public:
  virtual ~Push() = default;
  // Queues it. False when the connection has ended, or ends by this: with what its reader has left
  // unread it would be over kMaxPushBacklog bytes. Who has read all is sent any piece.
  virtual bool Send(std::shared_ptr<const std::string> text) = 0;
  virtual void Close() = 0;  // ends the connection; what is queued may be lost
  virtual bool open() const = 0;
};

struct HttpResponse {
  int status = 200;
  std::string content_type = "application/json";
  std::string body;
  std::map<std::string, std::string> headers;
  // When set, the body is what it gives, call by call, until it returns false; `body` is unused.
  std::function<bool(std::string* piece)> stream;
  // When set, it is called once, after the head was written, and the body is what is pushed. No
  // worker waits meanwhile.
  std::function<void(std::shared_ptr<Push> push)> push;
};

// Beside those of common/net/http_limits.h.
inline constexpr int kHttpThreads = 48;           // requests that are served at once
inline constexpr size_t kMaxEagerBody = 4 << 10;  // read before the token is looked at
inline constexpr uint64_t kMaxUpload = uint64_t{4} << 30;
inline constexpr size_t kMaxConnections = 512;
inline constexpr size_t kMaxPushBacklog = 512 << 10;  // of one reader; then it is let go

struct HttpOptions {
  std::string host = "127.0.0.1";
  uint16_t port = 0;               // 0: any free one
  std::vector<std::string> names;  // hosts that calls may name besides addresses and localhost
  std::optional<net::CertificateAndKey> tls;  // absent: plain HTTP
  // Addresses whose word on the address of their client is taken (X-Forwarded-For, Forwarded).
  std::vector<std::string> proxies;
};

class HttpServer {
 public:
  using Handler = std::function<HttpResponse(const HttpRequest&)>;
  virtual ~HttpServer() = default;  // waits for running requests
  virtual uint16_t port() const = 0;
  // `handler` is called from many threads. kUnavailable when the port cannot be had,
  // kInvalidArgument for a certificate, key or proxy that is none.
  static Result<std::unique_ptr<HttpServer>> Start(const HttpOptions& options, Handler handler);
};

// {"error":{"code","name","text"}} with the table's HTTP status.
HttpResponse ErrorResponse(const Status& status);

}  // namespace ferry::server
