// A small HTTP server: the only room that sees cpp-httplib is http.cc, which also catches what it
// throws. One thread a connection.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "common/base/bytes.h"

namespace ferry::server {

struct HttpRequest {
  std::string method;
  std::string path;  // decoded, without the query
  std::map<std::string, std::string> query;
  std::string authorization;  // the header's value
  bool foreign = false;       // a browser sends it for a page of another origin
  // Gives the body in pieces; the sink's error ends it and is returned.
  std::function<Status(const std::function<Status(ByteView)>&)> read_body;
};

struct HttpResponse {
  int status = 200;
  std::string content_type = "application/json";
  std::string body;
  std::map<std::string, std::string> headers;
  // When set, the body is what it gives, call by call, until it returns false; `body` is unused.
  std::function<bool(std::string* piece)> stream;
};

inline constexpr int kHttpThreads = 48;  // connections that are served at once

class HttpServer {
 public:
  using Handler = std::function<HttpResponse(const HttpRequest&)>;
  virtual ~HttpServer() = default;  // waits for running requests
  virtual uint16_t port() const = 0;
  // `handler` is called from many threads. kUnavailable when the port cannot be had.
  static Result<std::unique_ptr<HttpServer>> Start(const std::string& host, uint16_t port,
                                                   Handler handler);
};

// {"error":{"code","name","text"}} with the table's HTTP status.
HttpResponse ErrorResponse(const Status& status);

}  // namespace ferry::server
