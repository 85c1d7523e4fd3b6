// The device's half: frames and content over TLS 1.3. Source: RFC 8446, RFC 7301 (ALPN), RFC 9110
// (ranges).
#pragma once

#include <string>
#include <vector>

#include "common/net/io.h"
#include "common/sys/executor.h"
#include "common/sys/net.h"

namespace ferry::net {

// What a connection speaks, by its ALPN name. A frame on the wire is its length and its bytes: the
// length is u32 little-endian, or LEB128 (one byte below 128) where frames are many and small.
inline constexpr char kFrameProtocol[] = "ferry/1";
inline constexpr char kSplitFrameProtocol[] = "ferry-split/1";
inline constexpr char kHttpProtocol[] = "http/1.1";
inline constexpr size_t kMaxSplitFrameBytes = 64 << 10;  // one frame of ferry-split/1

struct ClientOptions {
  // The authority that is believed, and no other but those of `also`: its certificate in PEM, or
  // "sha256:<hex>" of its DER form (the server then sends it along). The server's certificate must
  // also name the dialled host.
  std::string authority;
  std::vector<std::string> also{};        // further authorities that are believed, in either form
  const char* protocol = kFrameProtocol;  // of Dial: that or kSplitFrameProtocol
  bool resume = true;  // keep and offer TLS sessions, in memory, until the dialer is dropped
  int64_t dial_timeout_ms = 10'000;   // name, connection and handshake together
  int64_t fetch_stall_ms = 20'000;    // no byte of a body for so long: kTruncatedContent
  int64_t idle_timeout_ms = 120'000;  // no byte from the server on a channel for so long: closed
};

// Callbacks run on `executor`, which outlives the dialer and its channels. Dropping the dialer
// cancels what it has under way, without callbacks; channels stay. kInvalidArgument for a bad
// authority.
Result<std::unique_ptr<sys::Dialer>> MakeTlsDialer(IoThreads& io, sys::Executor& executor,
                                                   const ClientOptions& options);

}  // namespace ferry::net
