#include <arpa/inet.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <cstring>

#include "common/net/test_support.h"

namespace ferry::net {

struct RawClient::State {
  SSL_CTX* ctx = SSL_CTX_new(TLS_client_method());
  SSL* ssl = nullptr;
  int fd = -1;
};

RawClient::RawClient(const sys::Endpoint& to, const char* protocol)
    : state_(std::make_unique<State>()) {
  std::signal(SIGPIPE, SIG_IGN);  // OpenSSL's own sockets do not mask it
  state_->fd = socket(AF_INET, SOCK_STREAM, 0);
  timeval limit{20, 0};
  setsockopt(state_->fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(to.port);
  inet_pton(AF_INET, to.host.c_str(), &address.sin_addr);
  if (connect(state_->fd, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) return;
  if (protocol == kNoHandshake) return;
  state_->ssl = SSL_new(state_->ctx);
  SSL_set_fd(state_->ssl, state_->fd);
  if (protocol != nullptr) {
    const std::string list = std::string(1, static_cast<char>(std::strlen(protocol))) + protocol;
    SSL_set_alpn_protos(state_->ssl, reinterpret_cast<const unsigned char*>(list.data()),
                        static_cast<unsigned>(list.size()));
  }
  connected_ = SSL_connect(state_->ssl) == 1;
}

RawClient::~RawClient() {
  SSL_free(state_->ssl);
  SSL_CTX_free(state_->ctx);
  if (state_->fd >= 0) close(state_->fd);
}

bool RawClient::Write(std::string_view text) {
  return SSL_write(state_->ssl, text.data(), static_cast<int>(text.size())) ==
         static_cast<int>(text.size());
}

std::string RawClient::Read(std::string_view until) {
  std::string text;
  char piece[4096];
  for (;;) {
    const int got = SSL_read(state_->ssl, piece, sizeof piece);
    if (got <= 0) return text;
    text.append(piece, static_cast<size_t>(got));
    if (!until.empty() && text.find(until) != std::string::npos) return text;
  }
}

}  // namespace ferry::net
