#include <utility>
#include <vector>

#include "cloud-server/admin/http/line.h"

namespace ferry::server {

Status ReadBody(Line& line, const std::function<Status(ByteView)>& sink) {
  if (line.eager_bytes > 0) {
    const size_t size = std::exchange(line.eager_bytes, 0);
    FERRY_TRY(sink(AsBytes(std::string_view(line.eager.data(), size))));
  }
  Parser& parser = *line.parser;
  if (parser.is_done()) return OkStatus();
  if (TextOf(parser.get()[bhttp::field::expect]) == "100-continue")
    line.wire.Write("HTTP/1.1 100 Continue\r\n\r\n");
  std::vector<char> piece(kBodyPiece);
  while (!parser.is_done()) {
    auto& body = parser.get().body();
    body.data = piece.data();
    body.size = piece.size();
    NetError error;
    bhttp::read(line.wire, line.buffer, parser, error);
    if (error == bhttp::error::body_limit)
      return Status::Of(Code::kLimitExceeded, "the body has more than {} bytes", kMaxUpload);
    if (error && error != bhttp::error::need_buffer)
      return Status::Of(Code::kTruncatedContent, "the request's body ended too early");
    const size_t got = piece.size() - body.size;
    FERRY_TRY(sink(AsBytes(std::string_view(piece.data(), got))));
  }
  return OkStatus();
}

}  // namespace ferry::server
