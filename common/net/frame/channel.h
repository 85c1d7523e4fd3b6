// Frames over an open TLS stream. For this room only.
#pragma once

#include <memory>
#include <string>

#include "common/net/frame/framing.h"
#include "common/net/io/home.h"
#include "common/net/io/stream.h"
#include "common/sys/net.h"

namespace ferry::net {

class Seat;

struct ChannelOptions {
  int64_t idle_timeout_ms = 0;  // nothing received for so long: closed
  Framing framing = Framing::kU32;
  // A server's count of this connection, a stranger until Admit; null: the other side is known.
  std::shared_ptr<Seat> seat;
  size_t max_stranger_frame = 0;
  std::shared_ptr<void> keep;  // dropped when the socket is closed
};

// Takes over a stream whose handshake is done; `home` is the user's executor. Call on any thread
// when nothing else uses the stream.
std::unique_ptr<sys::FrameChannel> MakeChannel(std::shared_ptr<Stream> stream,
                                               std::shared_ptr<Home> home, std::string peer,
                                               ChannelOptions options);

}  // namespace ferry::net
