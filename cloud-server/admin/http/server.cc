// Listens, lets connections in as far as their limits go, and ends them all.
#include <algorithm>
#include <mutex>
#include <set>
#include <thread>

#include <boost/asio/post.hpp>

#include "cloud-server/admin/http/sessions.h"
#include "common/base/log.h"
#include "common/net/door_tls.h"
#include "common/net/http_head.h"

namespace ferry::server {
namespace {

using tcp = asio::ip::tcp;

class Server : public HttpServer {
 public:
  Server(HttpOptions options, std::shared_ptr<asio::ssl::context> tls, Handler handler)
      : options_(std::move(options)), tls_(std::move(tls)), handler_(std::move(handler)) {}

  ~Server() override {
    sessions_.Stop();
    asio::post(io_, [this] {
      NetError ignored;
      acceptor_.close(ignored);
      const std::lock_guard lock(mutex_);
      for (Line* line : lines_) line->wire.Shutdown(tcp::socket::shutdown_both);
    });
    sessions_.Join();
    sessions_.EndPushes();
    io_.stop();
    if (thread_.joinable()) thread_.join();
  }

  Status Listen() {
    const std::string where = fmt::format("admin: {}:{}", options_.host, options_.port);
    tcp::resolver resolver(io_);
    NetError error;
    const auto found = resolver.resolve(options_.host, std::to_string(options_.port), error);
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

  // Why no connection more is taken of `peer`; empty: it is.
  std::string Full(const std::string& peer) {
    const std::lock_guard lock(mutex_);
    if (lines_.size() >= kMaxConnections)
      return fmt::format("a connection over the {} in all", kMaxConnections);
    const auto& proxies = options_.proxies;
    if (std::find(proxies.begin(), proxies.end(), peer) == proxies.end() &&
        addresses_.count(peer) >= net::kMaxHttpConnectionsAnAddress)
      return fmt::format("a connection over the {} an address", net::kMaxHttpConnectionsAnAddress);
    return {};
  }

  void Take(tcp::socket socket) {
    NetError error;
    const tcp::endpoint from = socket.remote_endpoint(error);
    if (error) return;
    const std::string peer = net::PlainAddress(from.address().to_string());
    if (const std::string full = Full(peer); !full.empty()) {
      refusals_.Note("connections", peer, full);
      return;
    }
    socket.set_option(tcp::no_delay(true), error);
    socket.non_blocking(true, error);
    auto* made = new Line(std::move(socket), peer, tls_.get());
    const LinePtr line(made, [this](Line* gone) {
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
    sessions_.Begin(line);
  }

  const HttpOptions options_;
  const std::shared_ptr<asio::ssl::context> tls_;  // null: plain
  const Handler handler_;
  Refusals refusals_;
  std::mutex mutex_;  // guards the two below
  std::set<Line*> lines_;
  std::multiset<std::string> addresses_;
  uint16_t port_ = 0;
  asio::io_context io_{1};
  tcp::acceptor acceptor_{io_};
  asio::steady_timer pause_{io_};
  Sessions sessions_{options_, handler_, io_, refusals_};
  std::thread thread_;
};

// In the one form that a connection's address is compared with.
Status NormalizeProxies(std::vector<std::string>* proxies) {
  for (std::string& proxy : *proxies) {
    const std::string plain = net::PlainAddress(proxy);
    if (plain.empty())
      return Status::Of(Code::kInvalidArgument, "admin: proxy \"{}\" is no IP address",
                        proxy.substr(0, 100));
    proxy = plain;
  }
  return OkStatus();
}

}  // namespace

Result<std::unique_ptr<HttpServer>> HttpServer::Start(const HttpOptions& options, Handler handler) {
  try {
    HttpOptions own = options;
    FERRY_TRY(NormalizeProxies(&own.proxies));
    std::shared_ptr<asio::ssl::context> tls;
    if (options.tls) {
      FERRY_ASSIGN_OR_RETURN(tls, net::MakeDoorTls(*options.tls).Context("admin"));
    }
    auto server = std::make_unique<Server>(std::move(own), std::move(tls), std::move(handler));
    FERRY_TRY(server->Listen());
    return std::unique_ptr<HttpServer>(std::move(server));
  } catch (const std::exception& error) {
    return Status::Of(Code::kUnavailable, "admin: {}", error.what());
  }
}

}  // namespace ferry::server
