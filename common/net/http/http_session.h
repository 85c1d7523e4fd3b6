// One connection that asks for content by HTTP/1.1. For this room only.
#pragma once

#include "common/net/io/asio.h"
#include "common/net/io/watchdog.h"
#include "common/net/server.h"
#include "common/net/server/seats.h"

namespace ferry::net {

// On the strand of `stream`, until the client goes, errs or is too slow. `content` may be null. Who
// is given content is no stranger.
asio::awaitable<void> ServeHttp(std::shared_ptr<Stream> stream, std::shared_ptr<Watchdog> watchdog,
                                std::shared_ptr<Seat> seat, sys::ContentSource* content,
                                ServerLimits limits);

}  // namespace ferry::net
