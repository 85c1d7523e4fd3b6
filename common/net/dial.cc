#include "common/net/dial.h"

namespace ferry::net {
namespace {

asio::awaitable<ErrorCode> OpenSocket(Stream& stream, const sys::Endpoint& to) {
  tcp::resolver resolver(stream.get_executor());
  auto [resolve_error, found] =
      co_await resolver.async_resolve(to.host, std::to_string(to.port), kUse);
  if (resolve_error) co_return resolve_error;
  auto [error, endpoint] = co_await asio::async_connect(stream.next_layer(), found, kUse);
  if (error) co_return error;
  ErrorCode ignored;
  stream.next_layer().set_option(tcp::no_delay(true), ignored);
  co_return error;
}

}  // namespace

asio::awaitable<Status> Connect(std::shared_ptr<Line> line, sys::Endpoint to, const char* protocol,
                                ClientOptions options) {
  const std::string where = fmt::format("{}:{}", to.host, to.port);
  line->judgement.host = to.host;
  if (options.resume) line->judgement.server = where;
  const bool is_plain = to.kind == sys::Endpoint::Kind::kPlainWeb;
  Status prepared;
  if (to.kind == sys::Endpoint::Kind::kServer)
    prepared = PrepareClient(*line->stream, &line->judgement, protocol);
  if (to.kind == sys::Endpoint::Kind::kWeb) prepared = PrepareWebClient(*line->stream, to.host);
  if (!prepared.ok()) co_return prepared;
  line->watchdog->Set(Watchdog::kWrite, options.dial_timeout_ms);
  ErrorCode error = co_await OpenSocket(*line->stream, to);
  if (!error && !is_plain) {
    auto [handshake_error] = co_await line->stream->async_handshake(Stream::Side::kClient, kUse);
    error = handshake_error;
  }
  line->watchdog->Clear(Watchdog::kWrite);
  if (line->watchdog->fired()) {
    co_return Status::Of(Code::kDeadlineExceeded, "{}: no connection within {} ms", where,
                         options.dial_timeout_ms);
  }
  if (!line->judgement.why_untrusted.empty()) {
    co_return Status::Of(Code::kUntrustedServer, "{}: {}", where, line->judgement.why_untrusted);
  }
  if (error) co_return Status::Of(Code::kUnavailable, "{}: {}", where, error.message());
  // Web servers need not name what they speak.
  if (to.kind == sys::Endpoint::Kind::kServer && AgreedProtocol(*line->stream) != protocol) {
    co_return Status::Of(Code::kUnavailable, "{}: it does not speak {}", where, protocol);
  }
  co_return OkStatus();
}

}  // namespace ferry::net
