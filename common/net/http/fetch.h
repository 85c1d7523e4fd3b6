// One GET of content from an offset. For this room only.
#pragma once

#include <memory>
#include <string>

#include "common/net/client.h"
#include "common/net/dial.h"
#include "common/net/io/home.h"

namespace ferry::net {

struct FetchRequest {
  sys::Endpoint to;
  std::string path;
  uint64_t offset = 0;
  std::string authorization;
  sys::Dialer::OnData on_data;  // called on the user's executor
  bool may_redirect = false;
  std::string elsewhere{};  // where the server sends it on to, where it may
};

// On the strand of `line`. Returns when the body is complete, broken, or the user gone
// (kCancelled).
asio::awaitable<Status> Fetch(std::shared_ptr<Line> line, std::shared_ptr<Home> home,
                              std::shared_ptr<FetchRequest> request, ClientOptions options);

}  // namespace ferry::net
