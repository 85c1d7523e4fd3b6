// A worker's part of a request: the call and its answer.
#include <utility>

#include "cloud-server/admin/http/reply.h"
#include "cloud-server/admin/http/request.h"
#include "cloud-server/admin/http/sessions.h"
#include "common/base/log.h"

namespace ferry::server {

Sessions::Next Sessions::Work(Line& line, std::optional<HttpResponse> refusal) {
  const Parser& parser = *line.parser;
  const bool whole_head = parser.is_header_done();
  const std::string client = ClientOf(line, options_.proxies);
  if (!refusal && whole_head) refusal = CheckHead(parser, options_.names);
  if (refusal)
    refusals_.Note(fmt::format("http {}", refusal->status), client,
                   fmt::format("HTTP {}: {}", refusal->status, refusal->body.substr(0, 300)));
  const HttpResponse response = refusal ? std::move(*refusal) : Call(line, client);
  return Send(line, response, whole_head && parser.get().method() == bhttp::verb::head);
}

Sessions::Next Sessions::Send(Line& line, const HttpResponse& response, bool is_head) {
  const Parser& parser = *line.parser;
  const bool whole_head = parser.is_header_done();
  const bool streamed = response.stream != nullptr || response.push != nullptr;
  const bool chunked = streamed && whole_head && parser.get().version() >= 11;
  // What is left of a body would be taken for the connection's next request.
  const bool keep = whole_head && parser.is_done() && parser.get().keep_alive() && !stopping_ &&
                    (!streamed || chunked);
  std::string text = HeadOf(response, keep, chunked);
  if (!is_head && !streamed) text += response.body;
  if (!line.wire.Write(text)) return {};
  if (!streamed || is_head) return {keep, nullptr};
  if (response.push) {
    auto push = MakePush(chunked);
    response.push(push);
    return {false, std::move(push)};
  }
  for (std::string piece; !stopping_ && response.stream(&piece); piece.clear()) {
    if (piece.empty()) continue;
    if (chunked) piece = fmt::format("{:x}\r\n", piece.size()) + piece + "\r\n";
    if (!line.wire.Write(piece)) return {};
  }
  return {chunked && line.wire.Write("0\r\n\r\n") && keep, nullptr};
}

HttpResponse Sessions::Call(Line& line, const std::string& client) {
  const HttpRequest request = RequestOf(line, client);
  try {
    return handler_(request);
  } catch (const std::exception& error) {
    LogError("admin", "{} {}: {}", request.method, request.path.substr(0, 200), error.what());
    return ErrorResponse(Status(Code::kInternal, "the request failed inside"));
  }
}

}  // namespace ferry::server
