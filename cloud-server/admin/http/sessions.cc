#include "cloud-server/admin/http/sessions.h"

#include <openssl/err.h>
#include <openssl/sslerr.h>

#include <boost/asio/post.hpp>
#include <utility>

#include "cloud-server/admin/http/reply.h"
#include "cloud-server/admin/http/request.h"
#include "common/base/log.h"

namespace ferry::server {
namespace {

constexpr uint64_t kMaxDrained = uint64_t{64} << 20;  // of a body that nobody wants
constexpr int kDrainMs = 5'000;

bool IsPlainHttp(NetError error) {
  return error.category() == asio::error::get_ssl_category() &&
         ERR_GET_REASON(static_cast<unsigned long>(error.value())) == SSL_R_HTTP_REQUEST;
}

}  // namespace

void Sessions::Begin(const LinePtr& line) {
  SetDeadline(line, net::kHttpHeadMs, "a head");
  if (!line->wire.encrypted()) return ReadHead(line);
  line->wire.AsyncHandshake([this, line](NetError error) { HaveHandshake(line, error); });
}

// Ends the line when `ms` pass before the timer is set anew or cancelled.
void Sessions::SetDeadline(const LinePtr& line, int ms, const char* what) {
  line->timer.expires_after(std::chrono::milliseconds(ms));
  line->timer.async_wait([this, what, ms, weak = std::weak_ptr<Line>(line)](NetError error) {
    const LinePtr late = weak.lock();
    if (error || late == nullptr) return;
    // Between two requests nothing is late.
    if (late->buffer.size() > 0 || !late->parser)
      refusals_.Note(what, late->peer, fmt::format("{} that took over {} ms", what, ms));
    late->wire.Shutdown(asio::socket_base::shutdown_both);
  });
}

void Sessions::HaveHandshake(const LinePtr& line, NetError error) {
  if (!error) return ReadHead(line);
  line->timer.cancel();
  if (stopping_ || !IsPlainHttp(error)) return;
  const HttpResponse refusal = Refusal(400, Code::kUnsupported, "this door speaks https, not http");
  refusals_.Note("plain http", line->peer, "plain HTTP where TLS is spoken");
  line->wire.WritePlain(HeadOf(refusal, false, false) + refusal.body);
  Drain(line);
}

void Sessions::ReadHead(const LinePtr& line) {
  if (stopping_) return;
  line->parser.emplace();
  line->parser->header_limit(net::kMaxHttpHeadBytes);
  line->parser->body_limit(kMaxUpload);
  line->eager_bytes = 0;
  bhttp::async_read_header(line->wire, line->buffer, *line->parser,
                           [this, line](NetError error, size_t) { HaveHead(line, error); });
}

void Sessions::HaveHead(const LinePtr& line, NetError error) {
  if (error) {
    line->timer.cancel();
    const bool parser_says =
        error.category() == bhttp::make_error_code(bhttp::error::bad_target).category();
    if (!parser_says || error == bhttp::error::end_of_stream ||
        error == bhttp::error::partial_message)
      return;
    return Answer(line, RefusalOf(error));
  }
  const auto length = line->parser->content_length();
  const bool expects = !line->parser->get()[bhttp::field::expect].empty();
  if (line->parser->is_done() || !length || *length > kMaxEagerBody || expects)
    return Answer(line, std::nullopt);
  auto& body = line->parser->get().body();
  body.data = line->eager.data();
  body.size = line->eager.size();
  bhttp::async_read(line->wire, line->buffer, *line->parser, [this, line](NetError failed, size_t) {
    if (failed) return;
    line->eager_bytes = line->eager.size() - line->parser->get().body().size;
    Answer(line, std::nullopt);
  });
}

// On the thread of all connections: a worker answers, with `refusal` when there is one.
void Sessions::Answer(const LinePtr& line, std::optional<HttpResponse> refusal) {
  line->timer.cancel();
  asio::post(workers_, [this, line, refusal = std::move(refusal)]() mutable {
    Next next;
    try {
      next = Work(*line, std::move(refusal));
    } catch (const std::exception& error) {
      LogError("admin", "{}: a request failed: {}", line->peer, error.what());
    }
    asio::post(io_, [this, line, next] {
      if (next.push && !stopping_) return BeginPush(line, next.push);
      if (!next.keep) return Drain(line);
      SetDeadline(line, net::kHttpHeadMs, "a head");
      ReadHead(line);
    });
  });
}

// The client may still be sending: an end now could take the answer away from it.
void Sessions::Drain(const LinePtr& line) {
  line->wire.Shutdown(asio::socket_base::shutdown_send);
  line->buffer.clear();
  SetDeadline(line, kDrainMs, "a body");
  DrainMore(line);
}

void Sessions::DrainMore(const LinePtr& line) {
  line->wire.AsyncDiscard(line->eager, [this, line](NetError error, size_t count) {
    line->drained += count;
    if (!error && line->drained < kMaxDrained && !stopping_) DrainMore(line);
  });
}

}  // namespace ferry::server
