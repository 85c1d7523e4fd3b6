// From a host name to an open TLS stream. For this room only.
#pragma once

#include <memory>

#include "common/net/client.h"
#include "common/net/io/watchdog.h"
#include "common/net/tls/tls.h"
#include "common/sys/net.h"

namespace ferry::net {

// A client's stream with what belongs to it.
struct Line {
  Context context;
  Judgement judgement;
  std::shared_ptr<Stream> stream;
  std::shared_ptr<Watchdog> watchdog;
};

// On the strand of `line->stream`: name, connection, handshake for `protocol`. kUnavailable,
// kUntrustedServer, kDeadlineExceeded; each names the endpoint. On success the watchdog has no
// deadline.
asio::awaitable<Status> Connect(std::shared_ptr<Line> line, sys::Endpoint to, const char* protocol,
                                ClientOptions options);

}  // namespace ferry::net
