// A small blocking HTTP/1.1 server for a few local clients: one thread a connection, answers
// written as they come, and the end of the client noticed while one is computed. http.cc is the
// only file that sees the HTTP library (Boost.Beast's parser). Source: RFC 9112.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "common/base/status.h"

namespace ferry::cli {

// Beside those of common/net/http_limits.h and door_limits.h.
inline constexpr size_t kMaxServeBodyBytes = 8 << 20;
inline constexpr int kServeIdleMs = 15'000;  // a connection between requests
inline constexpr int kServeBodyMs = 60'000;  // for a whole body

struct HttpCall {
  std::string method;
  std::string path;           // without the query
  std::string host;           // the header
  std::string origin;         // the header
  std::string peer;           // the address that calls
  std::string authorization;  // the header
  bool foreign = false;       // a browser sends it for a page of another origin
  std::string body;
};

// Where the answer goes: Send once; or BeginEvents, WriteEvent, EndEvents.
class HttpReply {
 public:
  virtual ~HttpReply() = default;
  // False once the client has gone or the server stops; any thread.
  virtual bool wanted() const = 0;
  virtual void Send(int status, std::string_view json) = 0;
  // Server-sent events; false when the client has gone.
  virtual bool BeginEvents() = 0;
  virtual bool WriteEvent(std::string_view event) = 0;
  virtual void EndEvents() = 0;
};

class HttpServer {
 public:
  // Called on many threads. Errors of the protocol itself (too large, malformed) do not reach it:
  // `on_error` makes their body.
  using Handler = std::function<void(const HttpCall&, HttpReply&)>;
  using ErrorBody = std::function<std::string(int status, const std::string& text)>;

  // `port` 0: any free one. kUnavailable when the address cannot be had.
  static Result<std::unique_ptr<HttpServer>> Start(const std::string& host, uint16_t port,
                                                   Handler handler, ErrorBody error_body);
  virtual ~HttpServer() = default;  // Stop(0)
  virtual uint16_t port() const = 0;
  // Takes no more, lets running requests end within `grace_ms`, then tells them that they are not
  // wanted; returns when all have ended.
  virtual void Stop(int grace_ms) = 0;
};

}  // namespace ferry::cli
