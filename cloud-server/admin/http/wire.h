// A connection's bytes, plain or over TLS, in the shape that Beast reads from. It belongs to the
// thread of all connections, which never waits, or to one worker, who waits at most
// net::kHttpStallMs at a time; never to both at once.
#pragma once

#include <poll.h>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl.hpp>
#include <optional>
#include <string_view>
#include <utility>

#include "common/net/http_limits.h"

namespace ferry::server {

namespace asio = boost::asio;
using NetError = boost::system::error_code;

// What waits is done with poll: a socket in blocking mode would wait for ever.
class PolledSocket {
 public:
  using tcp = asio::ip::tcp;
  using executor_type = tcp::socket::executor_type;
  using lowest_layer_type = tcp::socket::lowest_layer_type;

  explicit PolledSocket(tcp::socket socket) : socket_(std::move(socket)) {}
  executor_type get_executor() { return socket_.get_executor(); }
  lowest_layer_type& lowest_layer() { return socket_.lowest_layer(); }

  template <typename Buffers>
  size_t read_some(const Buffers& buffers, NetError& error) {
    return Try(POLLIN, error, [&] { return socket_.read_some(buffers, error); });
  }
  template <typename Buffers>
  size_t write_some(const Buffers& buffers, NetError& error) {
    return Try(POLLOUT, error, [&] { return socket_.write_some(buffers, error); });
  }
  template <typename Buffers, typename Handler>
  auto async_read_some(const Buffers& buffers, Handler&& handler) {
    return socket_.async_read_some(buffers, std::forward<Handler>(handler));
  }
  template <typename Buffers, typename Handler>
  auto async_write_some(const Buffers& buffers, Handler&& handler) {
    return socket_.async_write_some(buffers, std::forward<Handler>(handler));
  }

 private:
  template <typename Operation>
  size_t Try(short what, NetError& error, Operation operation) {
    for (;;) {
      error = {};
      const size_t size = operation();
      if (error != asio::error::would_block && error != asio::error::try_again) return size;
      pollfd ready{socket_.native_handle(), what, 0};
      if (::poll(&ready, 1, net::kHttpStallMs) > 0) continue;
      error = asio::error::timed_out;
      return 0;
    }
  }
  tcp::socket socket_;
};

class Wire {
 public:
  using executor_type = PolledSocket::executor_type;

  // `tls` null: plain; it outlives the wire.
  Wire(asio::ip::tcp::socket socket, asio::ssl::context* tls) : socket_(std::move(socket)) {
    if (tls != nullptr) tls_.emplace(socket_, *tls);
  }
  executor_type get_executor() { return socket_.get_executor(); }
  PolledSocket::lowest_layer_type& lowest_layer() { return socket_.lowest_layer(); }
  bool encrypted() const { return tls_.has_value(); }

  template <typename Handler>
  void AsyncHandshake(Handler&& handler) {
    tls_->async_handshake(asio::ssl::stream_base::server, std::forward<Handler>(handler));
  }
  template <typename Buffers, typename Handler>
  auto async_read_some(const Buffers& buffers, Handler&& handler) {
    return asio::async_initiate<Handler, void(NetError, size_t)>(
        [this](auto&& done, const Buffers& into) {
          using Done = decltype(done);
          if (tls_) {
            tls_->async_read_some(into, std::forward<Done>(done));
          } else {
            socket_.async_read_some(into, std::forward<Done>(done));
          }
        },
        handler, buffers);
  }
  template <typename Buffers, typename Handler>
  auto async_write_some(const Buffers& buffers, Handler&& handler) {
    return asio::async_initiate<Handler, void(NetError, size_t)>(
        [this](auto&& done, const Buffers& from) {
          using Done = decltype(done);
          if (tls_) {
            tls_->async_write_some(from, std::forward<Done>(done));
          } else {
            socket_.async_write_some(from, std::forward<Done>(done));
          }
        },
        handler, buffers);
  }
  template <typename Buffers>
  size_t read_some(const Buffers& buffers, NetError& error) {
    return tls_ ? tls_->read_some(buffers, error) : socket_.read_some(buffers, error);
  }
  template <typename Buffers>
  size_t read_some(const Buffers& buffers) {
    NetError error;
    const size_t size = read_some(buffers, error);
    if (error) throw boost::system::system_error(error);
    return size;
  }
  // All of it; false when the peer has gone or does not take it.
  bool Write(std::string_view text);
  // To somebody who does not speak TLS; what fits at once.
  void WritePlain(std::string_view text);
  // Reads what nobody wants, as it comes over the net.
  template <typename Buffer, typename Handler>
  void AsyncDiscard(Buffer& into, Handler&& handler) {
    socket_.async_read_some(asio::buffer(into), std::forward<Handler>(handler));
  }
  void Shutdown(asio::socket_base::shutdown_type what);

 private:
  PolledSocket socket_;
  std::optional<asio::ssl::stream<PolledSocket&>> tls_;
};

}  // namespace ferry::server
