#include "common/net/http/fetch.h"

#include <optional>

#include "common/base/buffers.h"
#include "common/net/http/range.h"
#include "common/sys/web/web_url.h"

namespace ferry::net {
namespace {

constexpr size_t kFetchPieceBytes = 64 << 10;
constexpr size_t kMaxHeadBytes = 16 << 10;
constexpr unsigned kRedirect = 307;

using ResponseParser = http::response_parser<http::buffer_body>;

Code CodeOfHttp(unsigned status) {
  switch (status) {
    case 401:
      return Code::kUnauthenticated;
    case 403:
      return Code::kPermissionDenied;
    case 404:
      return Code::kNotFound;
    case 416:
      return Code::kOutOfRange;
    default:
      return status >= 500 || status == 429 ? Code::kUnavailable : Code::kInternal;
  }
}

// Hands a piece to the user's executor and waits for the answer.
class Delivery {
 public:
  Delivery(std::shared_ptr<Line> line, std::shared_ptr<Home> home,
           std::shared_ptr<FetchRequest> request)
      : line_(std::move(line)), home_(std::move(home)), request_(std::move(request)) {}

  asio::awaitable<Status> Give(uint64_t offset, Bytes piece) {
    auto answer = std::make_shared<Answer>(line_->stream->get_executor());
    const auto executor = line_->stream->get_executor();
    const bool posted = home_->PostUnlessLeft(
        [request = request_, answer, executor, offset, piece = std::move(piece)] {
          Status status = request->on_data(offset, piece);
          asio::post(executor, [answer, status] {
            answer->status = status;
            answer->arrived.cancel();
          });
        });
    if (!posted) co_return Status(Code::kCancelled, "nobody waits for it");
    while (!answer->status.has_value()) {
      // The user may take as long as it wants, unless it goes away: then look again.
      answer->arrived.expires_after(std::chrono::seconds(1));
      co_await answer->arrived.async_wait(kUse);
      if (!answer->status.has_value() && !home_->Post([] {})) {
        co_return Status(Code::kCancelled, "nobody waits for it");
      }
    }
    co_return *answer->status;
  }

 private:
  struct Answer {
    explicit Answer(const asio::any_io_executor& executor) : arrived(executor) {}
    asio::steady_timer arrived;
    std::optional<Status> status;
  };
  std::shared_ptr<Line> line_;
  std::shared_ptr<Home> home_;
  std::shared_ptr<FetchRequest> request_;
};

std::string RequestText(const FetchRequest& request) {
  std::string text = fmt::format("GET {} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n",
                                 request.path, sys::HostFieldOf(request.to));
  if (request.offset > 0) text += fmt::format("Range: bytes={}-\r\n", request.offset);
  if (!request.authorization.empty()) {
    text += fmt::format("Authorization: {}\r\n", request.authorization);
  }
  return text + "\r\n";
}

// Where the body begins; or the status that ends the fetch (ok: nothing is left to fetch).
Result<uint64_t> BodyStart(const ResponseParser& parser, const FetchRequest& request,
                           bool* nothing_left) {
  const auto& head = parser.get();
  const unsigned status = head.result_int();
  const std::string range(head[http::field::content_range]);
  if (status == 200) return uint64_t{0};
  if (status == 206) {
    const std::optional<ContentRange> got = ParseContentRange(range);
    if (got.has_value() && got->begin.has_value() && *got->begin == request.offset) {
      return request.offset;
    }
    return Status::Of(Code::kMalformed, "Content-Range \"{}\" does not begin at {}", range,
                      request.offset);
  }
  if (status == 416) {
    const std::optional<ContentRange> got = ParseContentRange(range);
    *nothing_left = got.has_value() && got->size == request.offset;
    if (*nothing_left) return request.offset;
  }
  return Status::Of(CodeOfHttp(status), "the server answers {}", status);
}

asio::awaitable<Status> ReadBody(std::shared_ptr<Line> line, ResponseParser& parser,
                                 beast::flat_buffer& buffer, Delivery& delivery, uint64_t at,
                                 uint64_t offset, int64_t stall_ms) {
  Bytes piece(BufferBytes(kFetchPieceBytes));
  while (!parser.is_done()) {
    parser.get().body().data = piece.data();
    parser.get().body().size = piece.size();
    line->watchdog->Set(Watchdog::kRead, stall_ms);
    auto [error, parsed] = co_await http::async_read(*line->stream, buffer, parser, kUse);
    line->watchdog->Clear(Watchdog::kRead);
    const size_t got = piece.size() - parser.get().body().size;
    // A server that knows no ranges sends it all: what is there already is passed over.
    const size_t known = at < offset ? std::min<uint64_t>(got, offset - at) : 0;
    if (got > known) {
      Status taken =
          co_await delivery.Give(at + known, Bytes(piece.begin() + known, piece.begin() + got));
      if (!taken.ok()) co_return taken;
    }
    at += got;
    if (error && error != http::error::need_buffer) {
      co_return Status::Of(Code::kTruncatedContent, "the line broke at byte {}: {}", at,
                           line->watchdog->fired() ? "nothing came for too long" : error.message());
    }
  }
  co_return OkStatus();
}

asio::awaitable<Status> Exchange(std::shared_ptr<Line> line, std::shared_ptr<Home> home,
                                 std::shared_ptr<FetchRequest> request, ClientOptions options) {
  Status connected = co_await Connect(line, request->to, kHttpProtocol, options);
  if (!connected.ok()) co_return connected;
  const std::string text = RequestText(*request);
  line->watchdog->Set(Watchdog::kRead, options.fetch_stall_ms);
  auto [write_error, put] = co_await asio::async_write(*line->stream, asio::buffer(text), kUse);
  ResponseParser parser;
  parser.header_limit(kMaxHeadBytes);
  parser.body_limit(boost::none);
  beast::flat_buffer buffer;
  ErrorCode error = write_error;
  if (!error) {
    auto [read_error, got] = co_await http::async_read_header(*line->stream, buffer, parser, kUse);
    error = read_error;
  }
  if (error) {
    co_return Status::Of(line->watchdog->fired() ? Code::kDeadlineExceeded : Code::kUnavailable,
                         "no answer: {}", error.message());
  }
  if (request->may_redirect && parser.get().result_int() == kRedirect) {
    request->elsewhere = std::string(parser.get()[http::field::location]);
    co_return OkStatus();
  }
  bool nothing_left = false;
  const Result<uint64_t> start = BodyStart(parser, *request, &nothing_left);
  if (!start.ok()) co_return start.status();
  if (nothing_left) co_return OkStatus();
  Delivery delivery(line, home, request);
  co_return co_await ReadBody(line, parser, buffer, delivery, *start, request->offset,
                              options.fetch_stall_ms);
}

}  // namespace

asio::awaitable<Status> Fetch(std::shared_ptr<Line> line, std::shared_ptr<Home> home,
                              std::shared_ptr<FetchRequest> request, ClientOptions options) {
  Status status = co_await Exchange(line, home, request, options);
  line->watchdog->Stop();
  CloseSocket(*line->stream);
  // What stands behind the question mark may be a signature.
  co_return status.Context("GET {}", request->path.substr(0, request->path.find('?')));
}

}  // namespace ferry::net
