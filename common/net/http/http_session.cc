#include "common/net/http/http_session.h"

#include <algorithm>

#include "common/base/buffers.h"
#include "common/base/log.h"
#include "common/net/http/range.h"

namespace ferry::net {
namespace {

constexpr size_t kServedPieceBytes = 64 << 10;

using RequestParser = http::request_parser<http::empty_body>;

// The start of an answer; an error's text is its body.
struct Answer {
  int status = 200;
  std::string fields;  // whole lines
  std::string body;
  sys::Content content;         // its file may be null
  uint64_t begin = 0, end = 0;  // of the content
};

Answer ErrorAnswer(int status, std::string text, std::string fields = "") {
  return {status, "Content-Type: text/plain\r\n" + std::move(fields), std::move(text) + "\n"};
}

Answer RefusalOf(const Status& why) {
  const int status = InfoOf(why.code()).http_status;
  return ErrorAnswer(status, why.ToString(), status == 401 ? "WWW-Authenticate: Bearer\r\n" : "");
}

Answer AnswerOf(const RequestParser& parser, sys::ContentSource* source) {
  const auto& request = parser.get();
  if (request.method() != http::verb::get && request.method() != http::verb::head) {
    return ErrorAnswer(405, "only GET and HEAD", "Allow: GET, HEAD\r\n");
  }
  if (source == nullptr) return ErrorAnswer(404, "nothing is served here");
  const std::string_view target(request.target().data(), request.target().size());
  const std::string_view query = target.substr(std::min(target.find('?'), target.size()));
  const std::string path(target.substr(0, target.size() - query.size()));
  const std::string authorization(request[http::field::authorization]);
  if (query == sys::kMayRedirectQuery) {
    const Result<std::string> elsewhere = source->Elsewhere(path, authorization);
    if (!elsewhere.ok()) return RefusalOf(elsewhere.status());
    // It may be signed for a while: nobody keeps it.
    if (!elsewhere->empty())
      return ErrorAnswer(307, "elsewhere",
                         fmt::format("Location: {}\r\nCache-Control: no-store\r\n", *elsewhere));
  }
  Result<sys::Content> content = source->Open(path, authorization);
  if (!content.ok()) return RefusalOf(content.status());
  const std::string range(request[http::field::range]);
  const RangeAnswer part = AnswerRange(range, content->size);
  if (part.status == 416) {
    return ErrorAnswer(416, "out of range",
                       fmt::format("Content-Range: bytes */{}\r\n", content->size));
  }
  Answer answer{part.status, "Content-Type: application/octet-stream\r\nAccept-Ranges: bytes\r\n"};
  if (part.status == 206) {
    answer.fields +=
        fmt::format("Content-Range: bytes {}-{}/{}\r\n", part.begin, part.end - 1, content->size);
  }
  answer.content = std::move(*content);
  answer.begin = part.begin;
  answer.end = part.end;
  return answer;
}

std::string HeadText(const Answer& answer, bool keep_alive) {
  const auto reason = http::obsolete_reason(http::int_to_status(answer.status));
  return fmt::format("HTTP/1.1 {} {}\r\n{}Content-Length: {}\r\nConnection: {}\r\n\r\n",
                     answer.status, std::string_view(reason.data(), reason.size()), answer.fields,
                     answer.body.size() + answer.end - answer.begin,
                     keep_alive ? "keep-alive" : "close");
}

asio::awaitable<bool> Write(Stream& stream, Watchdog& watchdog, ByteView bytes,
                            int64_t timeout_ms) {
  watchdog.Set(Watchdog::kWrite, timeout_ms);
  auto [error, put] =
      co_await asio::async_write(stream, asio::buffer(bytes.data(), bytes.size()), kUse);
  watchdog.Clear(Watchdog::kWrite);
  co_return !error;
}

asio::awaitable<bool> WriteContent(Stream& stream, Watchdog& watchdog, const Answer& answer,
                                   int64_t timeout_ms) {
  Bytes piece(BufferBytes(kServedPieceBytes));
  for (uint64_t at = answer.begin; at < answer.end;) {
    const size_t want = std::min<uint64_t>(piece.size(), answer.end - at);
    const Result<size_t> got = answer.content.file->ReadAt(at, std::span(piece).first(want));
    if (!got.ok() || *got == 0) {
      LogWarn("net", "content ends at byte {} of {}: {}", at, answer.end, got.status().ToString());
      co_return false;  // the length was promised: only a cut line says that it is not kept
    }
    if (!co_await Write(stream, watchdog, ByteView(piece).first(*got), timeout_ms)) {
      co_return false;
    }
    at += *got;
  }
  co_return true;
}

}  // namespace

asio::awaitable<void> ServeHttp(std::shared_ptr<Stream> stream, std::shared_ptr<Watchdog> watchdog,
                                std::shared_ptr<Seat> seat, sys::ContentSource* content,
                                ServerLimits limits) {
  beast::flat_buffer buffer;
  for (bool keep = true; keep;) {
    RequestParser parser;
    parser.header_limit(static_cast<uint32_t>(limits.max_header_bytes));
    watchdog->Set(Watchdog::kRead, limits.http_timeout_ms);
    auto [error, got] = co_await http::async_read(*stream, buffer, parser, kUse);
    watchdog->Clear(Watchdog::kRead);
    Answer answer;
    if (error == http::error::header_limit || error == http::error::body_limit ||
        error == http::error::unexpected_body) {
      answer = ErrorAnswer(413, "the request is too large");
    } else if (error == http::error::end_of_stream || watchdog->fired()) {
      break;
    } else if (error) {
      if (error.category() != http::make_error_code(http::error::bad_target).category()) break;
      answer = ErrorAnswer(400, "not HTTP: " + error.message());
    } else {
      answer = AnswerOf(parser, content);
      if (answer.content.file != nullptr) seat->Admit();
    }
    keep = !error && parser.get().keep_alive();
    const bool head_only = !error && parser.get().method() == http::verb::head;
    const std::string head = HeadText(answer, keep) + (head_only ? "" : answer.body);
    if (!co_await Write(*stream, *watchdog, AsBytes(head), limits.http_timeout_ms)) co_return;
    if (answer.content.file == nullptr) continue;
    if (!head_only && !co_await WriteContent(*stream, *watchdog, answer, limits.http_timeout_ms)) {
      co_return;
    }
    // Between transfers anybody may hold it.
    seat->Reenter();
  }
  watchdog->Set(Watchdog::kWrite, limits.http_timeout_ms);
  co_await stream->async_shutdown(kUse);
}

}  // namespace ferry::net
