#include "common/net/io/stream.h"

#include <openssl/err.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <new>

namespace ferry::net {

// The socket as OpenSSL sees it. Its own kind would raise SIGPIPE, and would keep the number of a
// descriptor that was closed.
struct SocketBio {
  static Stream& Of(BIO* bio) { return *static_cast<Stream*>(BIO_get_data(bio)); }

  static bool IsTransient(int error) {
    return error == EAGAIN || error == EWOULDBLOCK || error == EINTR;
  }
  static int Read(BIO* bio, char* out, int size) {
    Stream& stream = Of(bio);
    BIO_clear_retry_flags(bio);
    const ssize_t got =
        recv(stream.socket_.native_handle(), out, static_cast<size_t>(size), MSG_DONTWAIT);
    stream.socket_error_ = got < 0 ? errno : 0;
    if (got < 0 && IsTransient(stream.socket_error_)) BIO_set_retry_read(bio);
    if (got == 0) stream.at_end_ = true;
    return static_cast<int>(got);
  }
  static int Write(BIO* bio, const char* data, int size) {
    Stream& stream = Of(bio);
    BIO_clear_retry_flags(bio);
    const ssize_t put = send(stream.socket_.native_handle(), data, static_cast<size_t>(size),
                             MSG_DONTWAIT | MSG_NOSIGNAL);
    stream.socket_error_ = put < 0 ? errno : 0;
    if (put < 0 && IsTransient(stream.socket_error_)) BIO_set_retry_write(bio);
    return static_cast<int>(put);
  }
  static long Control(BIO* bio, int command, long, void*) {
    if (command == BIO_CTRL_EOF) return Of(bio).at_end_ ? 1 : 0;
    return command == BIO_CTRL_FLUSH ? 1 : 0;
  }
  // Lives as long as the process.
  static BIO_METHOD* Method() {
    static BIO_METHOD* const method = [] {
      BIO_METHOD* made = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "ferry socket");
      if (made == nullptr || BIO_meth_set_read(made, Read) != 1 ||
          BIO_meth_set_write(made, Write) != 1 || BIO_meth_set_ctrl(made, Control) != 1) {
        throw std::bad_alloc();
      }
      return made;
    }();
    return method;
  }
};

Stream::Stream(tcp::socket socket, SSL_CTX* context) : socket_(std::move(socket)) {
  if (context == nullptr) return;
  ssl_ = SSL_new(context);
  BIO* bio = ssl_ != nullptr ? BIO_new(SocketBio::Method()) : nullptr;
  if (bio == nullptr) {
    SSL_free(ssl_);
    throw std::bad_alloc();
  }
  BIO_set_data(bio, this);
  BIO_set_init(bio, 1);
  SSL_set_bio(ssl_, bio, bio);
}

Stream::~Stream() {
  SSL_free(ssl_);
}

Stream::Step Stream::Handshake(Side side) {
  ERR_clear_error();
  return After(side == Side::kServer ? SSL_accept(ssl_) : SSL_connect(ssl_));
}

Stream::Step Stream::Shutdown() {
  ERR_clear_error();
  int result = SSL_shutdown(ssl_);
  if (result == 0) result = SSL_shutdown(ssl_);  // said; the other side has not
  return After(result);
}

Stream::Step Stream::Read(asio::mutable_buffer into) {
  if (into.size() == 0) return {};
  if (ssl_ == nullptr) {
    const ssize_t got = recv(socket_.native_handle(), into.data(), into.size(), MSG_DONTWAIT);
    return got == 0 ? Step{Step::kDone, asio::error::eof, 0} : AfterPlain(got, Step::kReadable);
  }
  ERR_clear_error();
  const int most = static_cast<int>(std::min<size_t>(into.size(), INT_MAX));
  return After(SSL_read(ssl_, into.data(), most));
}

// All of it, or nothing yet: OpenSSL is given the same bytes again when the socket is ready.
Stream::Step Stream::Write(asio::const_buffer from) {
  if (from.size() == 0) return {};
  if (ssl_ == nullptr)
    return AfterPlain(
        send(socket_.native_handle(), from.data(), from.size(), MSG_DONTWAIT | MSG_NOSIGNAL),
        Step::kWritable);
  ERR_clear_error();
  const int most = static_cast<int>(std::min<size_t>(from.size(), INT_MAX));
  return After(SSL_write(ssl_, from.data(), most));
}

Stream::Step Stream::AfterPlain(ssize_t result, Step::Next wanted) {
  if (result >= 0) return {Step::kDone, {}, static_cast<size_t>(result)};
  if (SocketBio::IsTransient(errno)) return {wanted, {}, 0};
  return {Step::kDone, ErrorCode(errno, asio::error::get_system_category()), 0};
}

Stream::Step Stream::After(int result) {
  switch (SSL_get_error(ssl_, result)) {
    case SSL_ERROR_NONE:
      return {Step::kDone, {}, static_cast<size_t>(result)};
    case SSL_ERROR_WANT_READ:
      return {Step::kReadable, {}, 0};
    case SSL_ERROR_WANT_WRITE:
      return {Step::kWritable, {}, 0};
    case SSL_ERROR_ZERO_RETURN:
      return {Step::kDone, asio::error::eof, 0};
    case SSL_ERROR_SYSCALL:
      if (socket_error_ == 0) return {Step::kDone, asio::ssl::error::stream_truncated, 0};
      return {Step::kDone, ErrorCode(socket_error_, asio::error::get_system_category()), 0};
    default:
      break;
  }
  const unsigned long code = ERR_get_error();
  if (ERR_GET_REASON(code) == SSL_R_UNEXPECTED_EOF_WHILE_READING) {
    return {Step::kDone, asio::ssl::error::stream_truncated, 0};
  }
  return {Step::kDone, ErrorCode(static_cast<int>(code), asio::error::get_ssl_category()), 0};
}

}  // namespace ferry::net
