#include "cloud-server/admin/http.h"

#include <poll.h>

#include <array>
#include <atomic>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <condition_variable>
#include <mutex>
#include <set>
#include <thread>

#include "cloud-server/admin/head.h"
#include "cloud-server/admin/refusals.h"
#include "common/base/log.h"

namespace ferry::server {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace bhttp = boost::beast::http;
using tcp = asio::ip::tcp;
using NetError = boost::system::error_code;
using Parser = bhttp::request_parser<bhttp::buffer_body>;

constexpr size_t kBodyPiece = 64 << 10;
constexpr uint64_t kMaxDrained = uint64_t{64} << 20;  // of a body that nobody wants
constexpr int kDrainMs = 5'000;

std::string TextOf(beast::string_view text) {
  return {text.data(), text.size()};
}

// The socket as a worker uses it: blocking, and never longer than kStallMs in one wait.
class WorkerStream {
 public:
  explicit WorkerStream(tcp::socket& socket) : socket_(socket) {}

  template <typename Buffers>
  size_t read_some(const Buffers& buffers, NetError& error) {
    return Try(POLLIN, error, [&] { return socket_.read_some(buffers, error); });
  }
  template <typename Buffers>
  size_t read_some(const Buffers& buffers) {
    NetError error;
    const size_t size = read_some(buffers, error);
    if (error) throw boost::system::system_error(error);
    return size;
  }
  bool Write(std::string_view text) {
    NetError error;
    while (!text.empty() && !error) {
      text.remove_prefix(Try(POLLOUT, error, [&] {
        return socket_.write_some(asio::buffer(text.data(), text.size()), error);
      }));
    }
    return !error;
  }

 private:
  template <typename Operation>
  size_t Try(short what, NetError& error, Operation operation) {
    for (;;) {
      error = {};
      const size_t size = operation();
      if (error != asio::error::would_block && error != asio::error::try_again) return size;
      pollfd ready{socket_.native_handle(), what, 0};
      if (::poll(&ready, 1, kStallMs) > 0) continue;
      error = asio::error::timed_out;
      return 0;
    }
  }
  tcp::socket& socket_;
};

// One connection; belongs to the reading thread or to one worker, never to both.
struct Line {
  Line(tcp::socket s, std::string p)
      : socket(std::move(s)), peer(std::move(p)), timer(socket.get_executor()) {}
  tcp::socket socket;
  const std::string peer;
  asio::steady_timer timer;
  beast::flat_buffer buffer{kMaxHeaderBytes + kBodyPiece};
  std::optional<Parser> parser;
  std::array<char, kMaxEagerBody + 1> eager;
  size_t eager_bytes = 0;
  uint64_t drained = 0;
};
using LinePtr = std::shared_ptr<Line>;

// What a worker reads of a request's body.
class Body {
 public:
  using Sink = std::function<Status(ByteView)>;
  explicit Body(Line& line) : line_(line), stream_(line.socket) {}

  Status Read(const Sink& sink) {
    if (line_.eager_bytes > 0) {
      const size_t size = std::exchange(line_.eager_bytes, 0);
      FERRY_TRY(sink(AsBytes(std::string_view(line_.eager.data(), size))));
    }
    Parser& parser = *line_.parser;
    if (parser.is_done()) return OkStatus();
    if (TextOf(parser.get()[bhttp::field::expect]) == "100-continue")
      stream_.Write("HTTP/1.1 100 Continue\r\n\r\n");
    std::vector<char> piece(kBodyPiece);
    while (!parser.is_done()) {
      auto& body = parser.get().body();
      body.data = piece.data();
      body.size = piece.size();
      NetError error;
      bhttp::read(stream_, line_.buffer, parser, error);
      if (error == bhttp::error::body_limit)
        return Status::Of(Code::kLimitExceeded, "the body has more than {} bytes", kMaxUpload);
      if (error && error != bhttp::error::need_buffer)
        return Status::Of(Code::kTruncatedContent, "the request's body ended too early");
      const size_t got = piece.size() - body.size;
      FERRY_TRY(sink(AsBytes(std::string_view(piece.data(), got))));
    }
    return OkStatus();
  }

 private:
  Line& line_;
  WorkerStream stream_;
};

std::string HeadOf(const HttpResponse& response, bool keep_alive, bool chunked) {
  const auto reason = bhttp::obsolete_reason(bhttp::int_to_status(response.status));
  std::string head =
      fmt::format("HTTP/1.1 {} {}\r\nContent-Type: {}\r\nConnection: {}\r\n", response.status,
                  TextOf(reason), response.content_type, keep_alive ? "keep-alive" : "close");
  for (const auto& [key, value] : response.headers) head += fmt::format("{}: {}\r\n", key, value);
  if (chunked) return head + "Transfer-Encoding: chunked\r\n\r\n";
  if (response.stream) return head + "\r\n";
  return head + fmt::format("Content-Length: {}\r\n\r\n", response.body.size());
}

HttpResponse Refusal(int http_status, Code code, std::string text) {
  HttpResponse response = ErrorResponse(Status(code, std::move(text)));
  response.status = http_status;
  return response;
}

class Server : public HttpServer {
 public:
  Server(std::vector<std::string> names, Handler handler)
      : names_(std::move(names)), handler_(std::move(handler)) {}

  ~Server() override {
    stopping_ = true;
    asio::post(io_, [this] {
      NetError ignored;
      acceptor_.close(ignored);
      const std::lock_guard lock(mutex_);
      for (Line* line : lines_) line->socket.shutdown(tcp::socket::shutdown_both, ignored);
    });
    workers_.join();  // waits for running requests
    io_.stop();
    if (thread_.joinable()) thread_.join();
  }

  Status Listen(const std::string& host, uint16_t port) {
    const std::string where = fmt::format("admin: {}:{}", host, port);
    tcp::resolver resolver(io_);
    NetError error;
    const auto found = resolver.resolve(host, std::to_string(port), error);
    if (error || found.empty())
      return Status::Of(Code::kUnavailable, "{}: no such address: {}", where, error.message());
    const tcp::endpoint at = found.begin()->endpoint();
    acceptor_.open(at.protocol(), error);
    if (!error) acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
    if (!error) acceptor_.bind(at, error);
    if (!error) acceptor_.listen(asio::socket_base::max_listen_connections, error);
    if (error)
      return Status::Of(Code::kUnavailable, "{} cannot be had: {}", where, error.message());
    port_ = acceptor_.local_endpoint().port();
    Accept();
    thread_ = std::thread([this] { Loop(); });
    return OkStatus();
  }

  uint16_t port() const override { return port_; }

 private:
  // A handler that throws (out of memory, most likely) costs its connection, not the process.
  void Loop() {
    for (;;) {
      try {
        io_.run();
        return;
      } catch (const std::exception& error) {
        LogError("admin", "a connection failed: {}", error.what());
      }
    }
  }

  void Accept() {
    acceptor_.async_accept([this](NetError error, tcp::socket socket) {
      if (!acceptor_.is_open()) return;
      if (error) {  // no descriptors left: wait for some to be closed
        pause_.expires_after(std::chrono::milliseconds(100));
        pause_.async_wait([this](NetError) { Accept(); });
        return;
      }
      Accept();
      Take(std::move(socket));
    });
  }

  void Take(tcp::socket socket) {
    NetError error;
    const tcp::endpoint from = socket.remote_endpoint(error);
    if (error) return;
    const std::string peer = from.address().to_string();
    {
      const std::lock_guard lock(mutex_);
      const bool full = lines_.size() >= kMaxConnections;
      if (full || addresses_.count(peer) >= kMaxConnectionsAnAddress) {
        refusals_.Note(
            "connections", peer,
            full ? fmt::format("a connection over the {} in all", kMaxConnections)
                 : fmt::format("a connection over the {} an address", kMaxConnectionsAnAddress));
        return;
      }
    }
    socket.set_option(tcp::no_delay(true), error);
    socket.non_blocking(true, error);
    auto* made = new Line(std::move(socket), peer);
    LinePtr line(made, [this](Line* gone) {
      {
        const std::lock_guard lock(mutex_);
        lines_.erase(gone);
        if (auto at = addresses_.find(gone->peer); at != addresses_.end()) addresses_.erase(at);
      }
      delete gone;
    });
    {
      const std::lock_guard lock(mutex_);
      lines_.insert(made);
      addresses_.insert(peer);
    }
    ReadHead(std::move(line));
  }

  // Ends the line when `ms` pass before the timer is set anew or cancelled.
  void SetDeadline(const LinePtr& line, int ms, const char* what) {
    line->timer.expires_after(std::chrono::milliseconds(ms));
    line->timer.async_wait([this, what, ms, weak = std::weak_ptr<Line>(line)](NetError error) {
      const LinePtr late = weak.lock();
      if (error || late == nullptr) return;
      if (late->buffer.size() > 0)
        refusals_.Note(what, late->peer, fmt::format("{} that took over {} ms", what, ms));
      NetError ignored;
      late->socket.shutdown(tcp::socket::shutdown_both, ignored);
    });
  }

  void ReadHead(LinePtr line) {
    if (stopping_) return;
    line->parser.emplace();
    line->parser->header_limit(kMaxHeaderBytes);
    line->parser->body_limit(kMaxUpload);
    line->eager_bytes = 0;
    SetDeadline(line, kHeaderMs, "a head");
    bhttp::async_read_header(line->socket, line->buffer, *line->parser,
                             [this, line](NetError error, size_t) { HaveHead(line, error); });
  }

  void HaveHead(const LinePtr& line, NetError error) {
    if (error) {
      line->timer.cancel();
      const bool parser_says =
          error.category() == bhttp::make_error_code(bhttp::error::bad_target).category();
      if (!parser_says || error == bhttp::error::end_of_stream ||
          error == bhttp::error::partial_message)
        return;
      const bool large = error == bhttp::error::header_limit;
      return Answer(line, large ? TooLarge() : Malformed(error));
    }
    const auto length = line->parser->content_length();
    const bool expects = !line->parser->get()[bhttp::field::expect].empty();
    if (line->parser->is_done() || !length || *length > kMaxEagerBody || expects)
      return Answer(line, std::nullopt);
    auto& body = line->parser->get().body();
    body.data = line->eager.data();
    body.size = line->eager.size();
    bhttp::async_read(line->socket, line->buffer, *line->parser,
                      [this, line](NetError failed, size_t) {
                        if (failed) return;
                        line->eager_bytes = line->eager.size() - line->parser->get().body().size;
                        Answer(line, std::nullopt);
                      });
  }

  static HttpResponse TooLarge() {
    return Refusal(431, Code::kLimitExceeded,
                   fmt::format("the head is over {} bytes", kMaxHeaderBytes));
  }
  static HttpResponse Malformed(NetError error) {
    return Refusal(400, Code::kMalformed, "the request is not valid HTTP: " + error.message());
  }

  // On the reading thread: a worker answers, with `refusal` when there is one.
  void Answer(const LinePtr& line, std::optional<HttpResponse> refusal) {
    line->timer.cancel();
    asio::post(workers_, [this, line, refusal = std::move(refusal)]() mutable {
      bool keep = false;
      try {
        keep = Work(*line, std::move(refusal));
      } catch (const std::exception& error) {
        LogError("admin", "{}: a request failed: {}", line->peer, error.what());
      }
      asio::post(io_, [this, line, keep] { keep ? ReadHead(line) : Drain(line); });
    });
  }

  // What HTTP or this server's rules do not allow, whatever the call is.
  std::optional<HttpResponse> Check(const Parser::value_type& head, uint64_t body_bytes) const {
    const std::string host = TextOf(head[bhttp::field::host]);
    if (std::distance(head.begin(), head.end()) > static_cast<ptrdiff_t>(kMaxHeaderFields))
      return Refusal(431, Code::kLimitExceeded,
                     fmt::format("the head has more than {} fields", kMaxHeaderFields));
    if (!IsOwnHost(host, names_))
      return Refusal(421, Code::kPermissionDenied,
                     fmt::format("this server is not \"{}\": call it by its address or a name of "
                                 "its certificate",
                                 host.substr(0, 100)));
    const std::string origin = TextOf(head[bhttp::field::origin]);
    if (!origin.empty() && !IsOwnOrigin(origin, host))
      return Refusal(403, Code::kPermissionDenied, "calls from other sites are refused");
    const std::string encoding = TextOf(head[bhttp::field::content_encoding]);
    if (!encoding.empty() && encoding != "identity")
      return Refusal(415, Code::kUnsupported,
                     "a body in Content-Encoding " + encoding.substr(0, 40) + " is not decoded");
    if (body_bytes > kMaxUpload)
      return Refusal(413, Code::kLimitExceeded,
                     fmt::format("the body is over {} bytes", kMaxUpload));
    return std::nullopt;
  }

  // True: the connection takes another request.
  bool Work(Line& line, std::optional<HttpResponse> refusal) {
    Parser& parser = *line.parser;
    const auto& head = parser.get();
    const bool whole_head = parser.is_header_done();
    if (!refusal && whole_head) refusal = Check(head, parser.content_length().value_or(0));
    const bool is_head = whole_head && head.method() == bhttp::verb::head;
    HttpResponse response;
    if (refusal) {
      response = std::move(*refusal);
      refusals_.Note(fmt::format("http {}", response.status), line.peer,
                     fmt::format("HTTP {}: {}", response.status, response.body.substr(0, 300)));
    } else {
      response = Call(line);
    }
    // What is left of a body would be taken for the connection's next request.
    const bool keep = whole_head && parser.is_done() && head.keep_alive() && !stopping_;
    const bool chunked = response.stream != nullptr && whole_head && head.version() >= 11;
    WorkerStream stream(line.socket);
    std::string text = HeadOf(response, keep && (!response.stream || chunked), chunked);
    if (!is_head && !response.stream) text += response.body;
    if (!stream.Write(text)) return false;
    if (!response.stream || is_head) return keep;
    for (std::string piece; !stopping_ && response.stream(&piece); piece.clear()) {
      if (piece.empty()) continue;
      if (chunked) piece = fmt::format("{:x}\r\n", piece.size()) + piece + "\r\n";
      if (!stream.Write(piece)) return false;
    }
    return chunked && stream.Write("0\r\n\r\n") && keep;
  }

  HttpResponse Call(Line& line) {
    const auto& head = line.parser->get();
    HttpRequest request;
    request.method = head.method() == bhttp::verb::head ? "GET" : TextOf(head.method_string());
    SplitTarget(TextOf(head.target()), &request.path, &request.query);
    request.authorization = TextOf(head[bhttp::field::authorization]);
    request.peer = line.peer;
    request.body_bytes =
        line.parser->chunked()
            ? std::nullopt
            : std::optional<uint64_t>(
                  line.eager_bytes +
                  (line.parser->is_done() ? 0 : line.parser->content_length().value_or(0)));
    // Fetch Metadata (W3C): all present browsers say where a call comes from; others say nothing.
    const std::string site = TextOf(head["Sec-Fetch-Site"]);
    request.foreign = site == "cross-site" || site == "same-site";
    Body body(line);
    request.read_body = [&](const auto& sink) { return body.Read(sink); };
    try {
      return handler_(request);
    } catch (const std::exception& error) {
      LogError("admin", "{} {}: {}", request.method, request.path.substr(0, 200), error.what());
      return ErrorResponse(Status(Code::kInternal, "the request failed inside"));
    }
  }

  // The client may still be sending: an end now could take the answer away from it.
  void Drain(const LinePtr& line) {
    NetError ignored;
    line->socket.shutdown(tcp::socket::shutdown_send, ignored);
    line->buffer.clear();
    SetDeadline(line, kDrainMs, "a body");
    DrainMore(line);
  }
  void DrainMore(const LinePtr& line) {
    line->socket.async_read_some(asio::buffer(line->eager), [this, line](NetError error, size_t n) {
      line->drained += n;
      if (!error && line->drained < kMaxDrained && !stopping_) DrainMore(line);
    });
  }

  const std::vector<std::string> names_;
  const Handler handler_;
  std::atomic<bool> stopping_{false};
  Refusals refusals_;
  std::mutex mutex_;  // guards the two below
  std::set<Line*> lines_;
  std::multiset<std::string> addresses_;
  uint16_t port_ = 0;
  asio::io_context io_{1};
  tcp::acceptor acceptor_{io_};
  asio::steady_timer pause_{io_};
  asio::thread_pool workers_{kHttpThreads};
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
                                                      std::vector<std::string> names,
                                                      Handler handler) {
  try {
    auto server = std::make_unique<Server>(std::move(names), std::move(handler));
    FERRY_TRY(server->Listen(host, port));
    return std::unique_ptr<HttpServer>(std::move(server));
  } catch (const std::exception& error) {
    return Status::Of(Code::kUnavailable, "admin: {}", error.what());
  }
}

}  // namespace ferry::server
