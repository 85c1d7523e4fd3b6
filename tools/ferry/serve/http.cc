#include "tools/ferry/serve/http.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <list>
#include <mutex>
#include <system_error>
#include <thread>

#include "common/net/http_limits.h"
#include "tools/ferry/serve/door_limits.h"
#include "tools/ferry/serve/reply.h"
#include "tools/ferry/serve/socket.h"

namespace ferry::cli {
namespace {

namespace http = boost::beast::http;
using Parser = http::request_parser<http::string_body>;

std::string Text(boost::beast::string_view text) {
  return {text.data(), text.size()};
}

HttpCall Convert(Parser& parser) {
  const auto& message = parser.get();
  HttpCall call;
  call.method = Text(message.method_string());
  call.path = Text(message.target());
  call.path = call.path.substr(0, call.path.find('?'));
  call.host = Text(message[http::field::host]);
  call.origin = Text(message[http::field::origin]);
  call.authorization = Text(message[http::field::authorization]);
  // Fetch Metadata (W3C): all present browsers say where a call comes from; others say nothing.
  const std::string site = Text(message["Sec-Fetch-Site"]);
  call.foreign = site == "cross-site" || site == "same-site";
  call.body = std::move(parser.get().body());
  return call;
}

constexpr int kDrainMs = 5'000;  // for what a refused client still sends

// One connection while its thread serves it.
struct Connection {
  Connection(int descriptor, std::string p) : socket(descriptor), peer(std::move(p)) {}
  Socket socket;
  const std::string peer;
  bool busy = false;      // a request is being answered; guarded by the server's mutex
  bool finished = false;  // its thread is about to end; the same
  std::thread thread;
};

class Server : public HttpServer {
 public:
  Server(Handler handler, ErrorBody error_body)
      : handler_(std::move(handler)), error_body_(std::move(error_body)) {}
  ~Server() override { Stop(0); }

  Status Listen(const std::string& host, uint16_t port) {
    if (::pipe2(wake_, O_CLOEXEC) != 0) return Status(Code::kUnavailable, "no pipe can be had");
    FERRY_ASSIGN_OR_RETURN(listener_, ListenOn(host, port, &port_));
    acceptor_ = std::thread([this] { Accept(); });
    return OkStatus();
  }
  uint16_t port() const override { return port_; }

  void Stop(int grace_ms) override {
    if (acceptor_.joinable()) {
      [[maybe_unused]] const ssize_t ignored = ::write(wake_[1], "", 1);
      acceptor_.join();
    }
    std::unique_lock lock(mutex_);
    stopping_ = true;
    for (Connection& connection : connections_) {
      if (!connection.busy) connection.socket.Shutdown();
    }
    const auto idle = [this] {
      return std::all_of(connections_.begin(), connections_.end(),
                         [](const Connection& connection) { return connection.finished; });
    };
    finished_.wait_for(lock, std::chrono::milliseconds(grace_ms), idle);
    cancelled_ = true;
    finished_.wait(lock, idle);
    lock.unlock();
    Reap();
    for (int* end : {&listener_, &wake_[0], &wake_[1]}) {
      if (*end >= 0) ::close(*end);
      *end = -1;
    }
  }

 private:
  void Accept() {
    for (;;) {
      pollfd ready[2] = {{listener_, POLLIN, 0}, {wake_[0], POLLIN, 0}};
      ::poll(ready, 2, -1);
      if (ready[1].revents != 0) return;
      if ((ready[0].revents & POLLIN) == 0) continue;
      const int descriptor = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      Reap();
      if (descriptor >= 0) Take(descriptor);
      // No descriptors left: wait for some to be closed instead of spinning.
      if (descriptor < 0) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }
  void Take(int descriptor) {
    const std::string peer = PeerAddress(descriptor);
    if (peer.empty() || !limits_.Connect(peer)) {
      ::close(descriptor);
      return;
    }
    const std::lock_guard lock(mutex_);
    Connection& connection = connections_.emplace_back(descriptor, peer);
    try {
      connection.thread = std::thread([this, &connection] { Serve(connection); });
    } catch (const std::system_error&) {  // no more threads
      connections_.pop_back();
      limits_.Disconnect(peer);
    }
  }
  void Reap() {
    std::list<Connection> gone;
    const std::lock_guard lock(mutex_);
    for (auto at = connections_.begin(); at != connections_.end();) {
      const auto next = std::next(at);
      if (at->finished) gone.splice(gone.end(), connections_, at);
      at = next;
    }
    for (Connection& connection : gone) connection.thread.join();
  }

  void Serve(Connection& connection) {
    boost::beast::flat_buffer buffer(net::kMaxHttpHeadBytes + kMaxServeBodyBytes);
    try {
      while (ServeOne(connection, buffer)) {
      }
    } catch (const std::exception& error) {
      std::fprintf(stderr, "ferry: internal: a connection ended: %s\n", error.what());
    }
    connection.socket.Shutdown();
    limits_.Disconnect(connection.peer);
    const std::lock_guard lock(mutex_);
    connection.finished = true;
    finished_.notify_all();
  }
  bool SetBusy(Connection& connection, bool busy) {
    const std::lock_guard lock(mutex_);
    connection.busy = busy;
    return !stopping_;
  }

  // Reads and answers one request; false: the connection ends.
  bool ServeOne(Connection& connection, boost::beast::flat_buffer& buffer) {
    if (buffer.size() == 0 && !connection.socket.WaitReadable(kServeIdleMs)) return false;
    Parser parser;
    parser.header_limit(net::kMaxHttpHeadBytes);
    parser.body_limit(kMaxServeBodyBytes);
    boost::system::error_code error;
    connection.socket.LimitReads(net::kHttpHeadMs);
    http::read_header(connection.socket, buffer, parser, error);
    if (error) return Refuse(connection, error, "the head");
    const uint64_t expected =
        parser.is_done() ? 0 : parser.content_length().value_or(kMaxServeBodyBytes);
    const BodyRoom room(limits_, expected, connection.peer);
    if (!room.taken())
      return RefuseWith(connection, 503, "too many large bodies at once: try again later");
    connection.socket.LimitReads(kServeBodyMs);
    if (Text(parser.get()[http::field::expect]) == "100-continue" &&
        !connection.socket.Write("HTTP/1.1 100 Continue\r\n\r\n"))
      return false;
    http::read(connection.socket, buffer, parser, error);
    if (error) return Refuse(connection, error, "the body");
    if (!SetBusy(connection, true)) return false;
    // An answer to HEAD has no body, ours have: the end of the connection keeps them apart.
    const bool keep_alive = parser.get().keep_alive() && parser.get().method() != http::verb::head;
    SocketReply reply(connection.socket, cancelled_, keep_alive, parser.get().version() >= 11);
    try {
      HttpCall call = Convert(parser);
      call.peer = connection.peer;
      handler_(call, reply);
    } catch (const std::exception& failure) {
      std::fprintf(stderr, "ferry: internal: a request failed: %s\n", failure.what());
      if (!reply.sent()) reply.Send(500, error_body_(500, "the request failed inside"));
      reply.Break();
    }
    const bool go_on = SetBusy(connection, false);
    return go_on && reply.next_wanted();
  }
  // A request that HTTP itself does not allow, or that came too slowly. Always false.
  bool Refuse(Connection& connection, const boost::system::error_code& error, const char* what) {
    if (error == boost::asio::error::timed_out)
      return RefuseWith(connection, 408, std::string(what) + " took too long");
    const bool from_parser =
        error.category() == http::make_error_code(http::error::bad_target).category();
    if (!from_parser || error == http::error::end_of_stream) return false;
    const int status = error == http::error::body_limit     ? 413
                       : error == http::error::header_limit ? 431
                                                            : 400;
    const std::string text = status == 413
                                 ? fmt::format("the body is over {} bytes", kMaxServeBodyBytes)
                                 : "the request is not valid HTTP: " + error.message();
    return RefuseWith(connection, status, text);
  }
  bool RefuseWith(Connection& connection, int status, const std::string& text) {
    limits_.Note(fmt::format("http {}", status), connection.peer, text);
    Socket& socket = connection.socket;
    SocketReply reply(socket, cancelled_, false, true);
    reply.Send(status, error_body_(status, text));
    // The client may still be sending: an end now could take the answer away from it.
    socket.EndWriting();
    socket.LimitReads(kDrainMs);
    char rest[4096];
    boost::system::error_code ended;
    for (size_t drained = 0; !ended && drained < kMaxServeBodyBytes;)
      drained += socket.read_some(boost::asio::mutable_buffer(rest, sizeof rest), ended);
    return false;
  }

  const Handler handler_;
  const ErrorBody error_body_;
  DoorLimits limits_;
  int listener_ = -1;
  int wake_[2] = {-1, -1};
  uint16_t port_ = 0;
  std::thread acceptor_;
  std::atomic<bool> cancelled_{false};
  std::mutex mutex_;  // guards all below
  std::condition_variable finished_;
  std::list<Connection> connections_;
  bool stopping_ = false;
};

}  // namespace

Result<std::unique_ptr<HttpServer>> HttpServer::Start(const std::string& host, uint16_t port,
                                                      Handler handler, ErrorBody error_body) {
  auto server = std::make_unique<Server>(std::move(handler), std::move(error_body));
  FERRY_TRY(server->Listen(host, port));
  return std::unique_ptr<HttpServer>(std::move(server));
}

}  // namespace ferry::cli
