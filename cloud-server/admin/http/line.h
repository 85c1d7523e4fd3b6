// One connection and the request that is under way on it, and what a worker reads of its body.
// ---- body.cc
#pragma once

#include <array>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "cloud-server/admin/http.h"
#include "cloud-server/admin/http/wire.h"

namespace ferry::server {

namespace bhttp = boost::beast::http;
using Parser = bhttp::request_parser<bhttp::buffer_body>;

inline constexpr size_t kBodyPiece = 64 << 10;

inline std::string TextOf(boost::beast::string_view text) {
  return {text.data(), text.size()};
}

// Belongs to the thread of all connections or to one worker, as its wire does.
struct Line {
  Line(asio::ip::tcp::socket socket, std::string p, asio::ssl::context* tls)
      : wire(std::move(socket), tls), peer(std::move(p)), timer(wire.get_executor()) {}
  Wire wire;
  const std::string peer;  // the address of the other end of the socket
  asio::steady_timer timer;
  boost::beast::flat_buffer buffer{net::kMaxHttpHeadBytes + kBodyPiece};
  std::optional<Parser> parser;  // absent before the first head
  std::array<char, kMaxEagerBody + 1> eager;
  size_t eager_bytes = 0;
  uint64_t drained = 0;
  bool pushing = false;  // a piece of a pushed answer is being written
};
using LinePtr = std::shared_ptr<Line>;

// Gives `sink` the body of the line's request, what was read of it already first. kLimitExceeded
// past kMaxUpload, kTruncatedContent; the sink's error ends it and is returned.
Status ReadBody(Line& line, const std::function<Status(ByteView)>& sink);

}  // namespace ferry::server
