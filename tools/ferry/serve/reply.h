// An answer written to a connection in HTTP/1.1. Source: RFC 9112.
#pragma once

#include <atomic>
#include <string_view>

#include "tools/ferry/serve/http.h"
#include "tools/ferry/serve/socket.h"

namespace ferry::cli {

// One thread, but for wanted(). Borrows the socket and the flag.
class SocketReply : public HttpReply {
 public:
  // `chunked`: the client takes chunks (HTTP/1.1); without them the connection's end ends a stream.
  SocketReply(Socket& socket, const std::atomic<bool>& cancelled, bool keep_alive, bool chunked)
      : socket_(socket), cancelled_(cancelled), keep_alive_(keep_alive), chunked_(chunked) {}

  bool wanted() const override;
  void Send(int status, std::string_view json) override;
  bool BeginEvents() override;
  bool WriteEvent(std::string_view event) override;
  void EndEvents() override;

  bool sent() const { return sent_; }
  // Whether the connection can take another request.
  bool next_wanted() const { return keep_alive_ && !broken_ && !cancelled_; }
  void Break() { broken_ = true; }

 private:
  bool Put(std::string_view bytes);

  Socket& socket_;
  const std::atomic<bool>& cancelled_;
  bool keep_alive_;
  const bool chunked_;
  bool sent_ = false;
  std::atomic<bool> broken_{false};
};

}  // namespace ferry::cli
