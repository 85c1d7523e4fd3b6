// One connection on a socket, with TLS or plain. OpenSSL reads and writes the descriptor itself and
// is called again when that is ready, so that a line on which nothing happens holds no buffers. For
// this room only.
#pragma once

#include <openssl/ssl.h>

#include <memory>
#include <utility>

#include "common/net/io/asio.h"

namespace ferry::net {

// A stream as Asio and Beast know them: what is under way with it is on its socket's strand. At
// most one read and one write at a time.
class Stream {
 public:
  using executor_type = tcp::socket::executor_type;
  enum class Side { kClient, kServer };

  // Throws std::bad_alloc. `context` outlives the stream; null: without TLS, and nothing is shaken.
  Stream(tcp::socket socket, SSL_CTX* context);
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  executor_type get_executor() { return socket_.get_executor(); }
  tcp::socket& next_layer() { return socket_; }
  SSL* native_handle() { return ssl_; }

  // Token: void(ErrorCode).
  template <typename Token>
  auto async_handshake(Side side, Token&& token) {
    return Run<void(ErrorCode)>([this, side] { return Handshake(side); },
                                std::forward<Token>(token));
  }
  // Says that nothing follows and waits until the other side has said it too.
  template <typename Token>
  auto async_shutdown(Token&& token) {
    return Run<void(ErrorCode)>([this] { return Shutdown(); }, std::forward<Token>(token));
  }
  // Token: void(ErrorCode, size_t). Reads into the first buffer of the sequence that is not empty.
  template <typename Buffers, typename Token>
  auto async_read_some(const Buffers& buffers, Token&& token) {
    return Run<void(ErrorCode, size_t)>(
        [this, into = First<asio::mutable_buffer>(buffers)] { return Read(into); },
        std::forward<Token>(token));
  }
  template <typename Buffers, typename Token>
  auto async_write_some(const Buffers& buffers, Token&& token) {
    return Run<void(ErrorCode, size_t)>(
        [this, from = First<asio::const_buffer>(buffers)] { return Write(from); },
        std::forward<Token>(token));
  }

 private:
  // What one call of OpenSSL came to: it is done, or wants the socket to be ready.
  struct Step {
    enum Next { kDone, kReadable, kWritable } next = kDone;
    ErrorCode error;
    size_t bytes = 0;
  };

  template <typename Signature, typename Call>
  struct Operation {
    Stream* stream;
    Call call;
    Step step = {};
    enum { kBegun, kWaits, kOver } state = kBegun;

    template <typename Self>
    void operator()(Self& self, ErrorCode error = {}) {
      if (state != kOver) step = error ? Step{Step::kDone, error, 0} : call();
      if (step.next != Step::kDone) {
        state = kWaits;
        const auto ready =
            step.next == Step::kReadable ? tcp::socket::wait_read : tcp::socket::wait_write;
        return stream->socket_.async_wait(ready, std::move(self));
      }
      // Nothing may complete within the call that began it.
      if (std::exchange(state, kOver) == kBegun) {
        return asio::post(stream->socket_.get_executor(), std::move(self));
      }
      if constexpr (std::is_same_v<Signature, void(ErrorCode)>) {
        self.complete(step.error);
      } else {
        self.complete(step.error, step.bytes);
      }
    }
  };

  template <typename Signature, typename Call, typename Token>
  auto Run(Call call, Token&& token) {
    return asio::async_compose<Token, Signature>(Operation<Signature, Call>{this, std::move(call)},
                                                 token, socket_);
  }
  template <typename Buffer, typename Buffers>
  static Buffer First(const Buffers& buffers) {
    const auto end = asio::buffer_sequence_end(buffers);
    for (auto at = asio::buffer_sequence_begin(buffers); at != end; ++at) {
      if (Buffer(*at).size() > 0) return *at;
    }
    return {};
  }

  Step Handshake(Side side);
  Step Shutdown();
  Step Read(asio::mutable_buffer into);
  Step Write(asio::const_buffer from);
  Step After(int result);
  Step AfterPlain(ssize_t result, Step::Next wanted);

  friend struct SocketBio;
  tcp::socket socket_;
  int socket_error_ = 0;  // errno of the last call on the socket, 0: it went well
  bool at_end_ = false;   // the other side sends no more
  SSL* ssl_ = nullptr;
};

}  // namespace ferry::net
