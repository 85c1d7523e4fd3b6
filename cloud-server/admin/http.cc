#include "cloud-server/admin/http.h"

#include <httplib.h>

#include <chrono>
#include <thread>

#include "common/base/log.h"

namespace ferry::server {
namespace {

constexpr time_t kReadTimeoutS = 30;
constexpr time_t kKeepAliveS = 5;
constexpr size_t kMaxUpload = size_t{4} << 30;
constexpr size_t kMaxDrained = size_t{64} << 20;  // of a body that nobody wants

HttpRequest Convert(const httplib::Request& from) {
  HttpRequest request;
  request.method = from.method;
  request.path = from.path;
  request.authorization = from.get_header_value("Authorization");
  // Fetch Metadata (W3C): all present browsers say where a call comes from; others say nothing.
  const std::string site = from.get_header_value("Sec-Fetch-Site");
  request.foreign = site == "cross-site" || site == "same-site";
  for (const auto& [key, value] : from.params) request.query[key] = value;
  return request;
}

// A request's body, read once and to its end: what is left of it would be taken for the
// connection's next request.
class Body {
 public:
  using Sink = std::function<Status(ByteView)>;
  Body(const httplib::ContentReader& reader, bool is_there) : reader_(reader), left_(is_there) {}

  Status Read(const Sink& sink) {
    if (!left_) return OkStatus();
    left_ = false;
    Status status;
    size_t drained = 0;
    whole_ = reader_([&](const char* data, size_t size) {
      if (status.ok()) {
        status = sink(AsBytes(std::string_view(data, size)));
        return true;
      }
      drained += size;
      return drained <= kMaxDrained;
    });
    if (status.ok() && !whole_)
      return Status(Code::kTruncatedContent, "the request's body ended too early");
    return status;
  }
  // After the handler. False: there is more than one wants to read, the connection must end.
  bool Finish() {
    Status ignored = Read([](ByteView) { return Status(Code::kCancelled, "not wanted"); });
    return whole_;
  }

 private:
  const httplib::ContentReader& reader_;
  bool left_;
  bool whole_ = true;
};

// Sends `text` and then ends the connection, which cpp-httplib does when a provider fails.
void ConvertAndEnd(HttpResponse from, httplib::Response* to) {
  to->status = from.status;
  for (const auto& [key, value] : from.headers) to->set_header(key, value);
  to->set_header("Connection", "close");
  if (from.body.empty()) from.body.push_back('\n');
  to->set_content_provider(from.body.size(), from.content_type,
                           [text = from.body](size_t, size_t, httplib::DataSink& sink) {
                             sink.write(text.data(), text.size());
                             return false;
                           });
}

void Convert(HttpResponse from, httplib::Response* to) {
  to->status = from.status;
  for (const auto& [key, value] : from.headers) to->set_header(key, value);
  if (!from.stream) {
    to->set_content(from.body, from.content_type);
    return;
  }
  to->set_chunked_content_provider(
      from.content_type, [stream = std::move(from.stream)](size_t, httplib::DataSink& sink) {
        std::string piece;
        if (!stream(&piece)) {
          sink.done();
          return true;
        }
        return sink.write(piece.data(), piece.size());
      });
}

class Server : public HttpServer {
 public:
  explicit Server(Handler handler) : handler_(std::move(handler)) {}

  ~Server() override {
    server_.stop();
    if (thread_.joinable()) thread_.join();
  }

  Status Listen(const std::string& host, uint16_t port) {
    server_.new_task_queue = [] { return new httplib::ThreadPool(kHttpThreads); };
    server_.set_read_timeout(kReadTimeoutS);
    server_.set_keep_alive_timeout(kKeepAliveS);
    server_.set_payload_max_length(kMaxUpload);
    server_.set_tcp_nodelay(true);
    server_.set_exception_handler([](const auto&, auto& response, std::exception_ptr) {
      Convert(ErrorResponse(Status(Code::kInternal, "the request failed inside")), &response);
    });
    auto plain = [this](const httplib::Request& from, httplib::Response& to) {
      HttpRequest request = Convert(from);
      request.read_body = [&](const auto& sink) { return sink(AsBytes(from.body)); };
      Convert(handler_(request), &to);
    };
    auto streaming = [this](const httplib::Request& from, httplib::Response& to,
                            const httplib::ContentReader& reader) {
      HttpRequest request = Convert(from);
      // Without a length there is no body (RFC 9112, section 6.3); cpp-httplib would wait for the
      // end of the connection.
      const bool has_body =
          from.has_header("Content-Length") || from.has_header("Transfer-Encoding");
      Body body(reader, has_body);
      request.read_body = [&](const auto& sink) { return body.Read(sink); };
      HttpResponse response = handler_(request);
      if (body.Finish()) return Convert(std::move(response), &to);
      ConvertAndEnd(std::move(response), &to);
    };
    server_.Get(".*", plain);
    server_.Delete(".*", plain);
    server_.Post(".*", httplib::Server::HandlerWithContentReader(streaming));
    server_.Put(".*", httplib::Server::HandlerWithContentReader(streaming));
    if (port == 0) {
      const int bound = server_.bind_to_any_port(host);
      if (bound <= 0) return Status::Of(Code::kUnavailable, "admin: no free port on {}", host);
      port_ = static_cast<uint16_t>(bound);
    } else {
      if (!server_.bind_to_port(host, port))
        return Status::Of(Code::kUnavailable, "admin: {}:{} cannot be had", host, port);
      port_ = port;
    }
    thread_ = std::thread([this] {
      try {
        server_.listen_after_bind();
      } catch (const std::exception& error) {
        LogError("admin", "the HTTP server ended: {}", error.what());
      }
    });
    // A stop before the loop runs would be lost.
    while (!server_.is_running()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return OkStatus();
  }

  uint16_t port() const override { return port_; }

 private:
  Handler handler_;
  httplib::Server server_;
  uint16_t port_ = 0;
  std::thread thread_;
};

}  // namespace

HttpResponse ErrorResponse(const Status& status) {
  const ErrorInfo& info = InfoOf(status.code());
  HttpResponse response;
  response.status = info.http_status;
  const std::string text = status.message().empty() ? std::string(info.text) : status.message();
  response.body = WriteJson(
      {{"error", {{"code", static_cast<int>(info.code)}, {"name", info.name}, {"text", text}}}});
  return response;
}

Result<std::unique_ptr<HttpServer>> HttpServer::Start(const std::string& host, uint16_t port,
                                                      Handler handler) {
  try {
    auto server = std::make_unique<Server>(std::move(handler));
    FERRY_TRY(server->Listen(host, port));
    return std::unique_ptr<HttpServer>(std::move(server));
  } catch (const std::exception& error) {
    return Status::Of(Code::kUnavailable, "admin: {}", error.what());
  }
}

}  // namespace ferry::server
