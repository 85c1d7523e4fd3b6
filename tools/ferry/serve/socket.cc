#include "tools/ferry/serve/socket.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/error.hpp>
#include <cerrno>
#include <cstring>

#include "common/net/http_head.h"
#include "common/net/http_limits.h"

namespace ferry::cli {
namespace {

constexpr int kBacklog = 64;

bool WaitFor(int descriptor, short events, int timeout_ms) {
  pollfd ready{descriptor, events, 0};
  int count = 0;
  do {
    count = ::poll(&ready, 1, timeout_ms);
  } while (count < 0 && errno == EINTR);
  return count > 0;
}

uint16_t PortOf(int descriptor) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  if (::getsockname(descriptor, reinterpret_cast<sockaddr*>(&address), &size) != 0) return 0;
  if (address.ss_family == AF_INET6)
    return ntohs(reinterpret_cast<const sockaddr_in6*>(&address)->sin6_port);
  return ntohs(reinterpret_cast<const sockaddr_in*>(&address)->sin_port);
}

int TryListen(const addrinfo& address) {
  const int descriptor = ::socket(address.ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (descriptor < 0) return -1;
  const int on = 1;
  ::setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  ::setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (::bind(descriptor, address.ai_addr, address.ai_addrlen) == 0 &&
      ::listen(descriptor, kBacklog) == 0)
    return descriptor;
  const int error = errno;
  ::close(descriptor);
  errno = error;
  return -1;
}

}  // namespace

Socket::~Socket() {
  ::close(descriptor_);
}

bool Socket::WaitReadable(int timeout_ms) const {
  return WaitFor(descriptor_, POLLIN, timeout_ms);
}

size_t Socket::Read(void* data, size_t size, boost::system::error_code& error) {
  if (size == 0) return 0;
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
      reads_end_ - std::chrono::steady_clock::now());
  const auto most = std::chrono::milliseconds(net::kHttpStallMs);
  if (left.count() <= 0 || !WaitReadable(static_cast<int>(std::min(left, most).count()))) {
    error = boost::asio::error::timed_out;
    return 0;
  }
  ssize_t count = 0;
  do {
    count = ::recv(descriptor_, data, size, 0);
  } while (count < 0 && errno == EINTR);
  if (count > 0) return static_cast<size_t>(count);
  error = count == 0 ? boost::system::error_code(boost::asio::error::eof)
                     : boost::system::error_code(errno, boost::system::system_category());
  return 0;
}

bool Socket::Write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count =
        ::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count > 0) {
      bytes.remove_prefix(static_cast<size_t>(count));
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      if (!WaitFor(descriptor_, POLLOUT, net::kHttpStallMs)) return false;
    } else if (errno != EINTR) {
      return false;
    }
  }
  return true;
}

bool Socket::PeerLeft() const {
  char byte = 0;
  const ssize_t count = ::recv(descriptor_, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return count == 0 || (count < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
}

void Socket::EndWriting() {
  ::shutdown(descriptor_, SHUT_WR);
}

void Socket::Shutdown() {
  ::shutdown(descriptor_, SHUT_RDWR);
}

std::string PeerAddress(int descriptor) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  char text[INET6_ADDRSTRLEN] = "";
  if (::getpeername(descriptor, reinterpret_cast<sockaddr*>(&address), &size) != 0) return "";
  if (address.ss_family == AF_INET6) {
    ::inet_ntop(AF_INET6, &reinterpret_cast<const sockaddr_in6*>(&address)->sin6_addr, text,
                sizeof text);
  } else {
    ::inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in*>(&address)->sin_addr, text,
                sizeof text);
  }
  return net::PlainAddress(text);
}

Result<int> ListenOn(const std::string& host, uint16_t port, uint16_t* bound) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE;
  addrinfo* found = nullptr;
  const int failed = ::getaddrinfo(host.c_str(), fmt::format("{}", port).c_str(), &hints, &found);
  if (failed != 0)
    return Status::Of(Code::kUnavailable, "--host {}: {}", host, ::gai_strerror(failed));
  int descriptor = -1;
  for (const addrinfo* at = found; at != nullptr && descriptor < 0; at = at->ai_next)
    descriptor = TryListen(*at);
  const std::string why = std::strerror(errno);
  ::freeaddrinfo(found);
  if (descriptor < 0)
    return Status::Of(Code::kUnavailable, "{}:{} cannot be had: {}", host, port, why);
  *bound = PortOf(descriptor);
  return descriptor;
}

}  // namespace ferry::cli
