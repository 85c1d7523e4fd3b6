// The server's half: one TLS 1.3 port for frames (ALPN "ferry/1"), small frames ("ferry-split/1")
// and content ("http/1.1").
#pragma once

#include <functional>
#include <vector>

#include "common/net/certificate.h"
#include "common/net/http_limits.h"
#include "common/net/io.h"
#include "common/sys/executor.h"
#include "common/sys/net.h"

namespace ferry::net {

struct ServerLimits {
  int max_connections = 16'000;
  int max_connections_per_address = 8'000;  // many devices may stand behind one
  // Strangers: who has not proved who it is, by FrameChannel::Admit or by content that is being
  // given out. One more ends the oldest whose grace is over, else it is refused: devices that all
  // come back at once wait their turn, and who only holds a place loses it.
  int max_strangers = 4'096;
  int max_strangers_per_address = 1'024;
  int64_t stranger_grace_ms = 5'000;
  // Handshakes that begin a second; who comes above it waits in the kernel's queue, where a
  // connection costs nothing. 0: no limit.
  int handshakes_per_second = 0;
  size_t max_stranger_frame_bytes = 16 << 10;
  int64_t handshake_timeout_ms = 10'000;
  int64_t idle_timeout_ms = 300'000;       // a frame channel from which nothing comes
  int64_t http_timeout_ms = kHttpStallMs;  // one request head, or one piece of a body that stalls
  size_t max_header_bytes = kMaxContentHeadBytes;
};

// Receives a new channel on `executor`, the one that the channel belongs to.
using OnChannel = std::function<void(std::unique_ptr<sys::FrameChannel>, sys::Executor& executor)>;

// Who takes channels of ferry-split/1.
struct SplitDoor {
  sys::Executor* executor = nullptr;  // outlives the server; null: the protocol is not offered
  OnChannel on_channel;
};

struct ServerOptions {
  sys::Endpoint listen{"127.0.0.1", 0};  // port 0: any free one
  std::string certificate_pem;           // the server's certificate, then its authority's
  std::string private_key_pem;
  // Shown, the last one first, to clients that say they believe its authority (Dialer::Believe);
  // the one above is for all others. Each with the authority's certificate behind it.
  std::vector<CertificateAndKey> further{};
  ServerLimits limits;
  SplitDoor split;
};

class TlsServer {
 public:
  // `executors` (at least one) take turns as the home of new channels; they and `content` (may be
  // null: every GET is 404) outlive the server. kInvalidArgument: certificate or key; kUnavailable:
  // the port is taken.
  static Result<std::unique_ptr<TlsServer>> Start(IoThreads& io,
                                                  std::vector<sys::Executor*> executors,
                                                  const ServerOptions& options,
                                                  sys::ContentSource* content,
                                                  OnChannel on_channel);
  virtual ~TlsServer() = default;  // stops listening and closes all connections
  virtual uint16_t port() const = 0;
  virtual int connections() const = 0;
  // Handshakes that began, and how long new ones were kept waiting for their turn.
  struct Handshakes {
    int64_t begun = 0;
    int64_t held_back_ms = 0;
  };
  virtual Handshakes handshakes() const = 0;
  // The port is closed; connections that are there stay.
  virtual void StopAccepting() = 0;
  // New connections see the certificates of `options`, of which nothing else counts; those that are
  // there stay. Errors as of Start, and then all is as before. Any thread.
  virtual Status UseCertificates(const ServerOptions& options) = 0;
};

}  // namespace ferry::net
