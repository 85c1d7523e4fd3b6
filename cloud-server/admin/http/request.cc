#include "cloud-server/admin/http/request.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <utility>

#include "cloud-server/admin/http/reply.h"
#include "common/net/http_head.h"

namespace ferry::server {
namespace {

std::map<std::string, std::string> HeadersOf(const Parser::value_type& head) {
  std::map<std::string, std::string> headers;
  for (const auto& field : head) {
    std::string name = TextOf(field.name_string());
    for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    std::string& value = headers[name];
    if (!value.empty()) value += name == "cookie" ? "; " : ", ";
    value += TextOf(field.value());
  }
  return headers;
}

// The values of all headers of a name, joined as one list.
std::string ListOf(const Parser::value_type& head, const char* name) {
  std::string list;
  const auto [begin, end] = head.equal_range(name);
  for (auto at = begin; at != end; ++at) list += (list.empty() ? "" : ",") + TextOf(at->value());
  return list;
}

}  // namespace

std::optional<HttpResponse> CheckHead(const Parser& parser, const std::vector<std::string>& names) {
  const auto& head = parser.get();
  const std::string host = TextOf(head[bhttp::field::host]);
  if (std::distance(head.begin(), head.end()) > static_cast<ptrdiff_t>(net::kMaxHttpHeadFields))
    return Refusal(431, Code::kLimitExceeded,
                   fmt::format("the head has more than {} fields", net::kMaxHttpHeadFields));
  if (!net::IsOwnHost(host, names))
    return Refusal(421, Code::kPermissionDenied,
                   fmt::format("this server is not \"{}\": call it by its address or a name of its "
                               "certificate",
                               host.substr(0, 100)));
  const std::string origin = TextOf(head[bhttp::field::origin]);
  if (!origin.empty() && !net::IsOwnOrigin(origin, host))
    return Refusal(403, Code::kPermissionDenied, "calls from other sites are refused");
  const std::string encoding = TextOf(head[bhttp::field::content_encoding]);
  if (!encoding.empty() && encoding != "identity")
    return Refusal(415, Code::kUnsupported,
                   "a body in Content-Encoding " + encoding.substr(0, 40) + " is not decoded");
  if (parser.content_length().value_or(0) > kMaxUpload)
    return Refusal(413, Code::kLimitExceeded, fmt::format("the body is over {} bytes", kMaxUpload));
  return std::nullopt;
}

HttpResponse RefusalOf(NetError error) {
  if (error == bhttp::error::header_limit)
    return Refusal(431, Code::kLimitExceeded,
                   fmt::format("the head is over {} bytes", net::kMaxHttpHeadBytes));
  return Refusal(400, Code::kMalformed, "the request is not valid HTTP: " + error.message());
}

std::string ClientOf(const Line& line, const std::vector<std::string>& proxies) {
  if (std::find(proxies.begin(), proxies.end(), line.peer) == proxies.end()) return line.peer;
  if (!line.parser || !line.parser->is_header_done()) return line.peer;
  const auto& head = line.parser->get();
  const auto named =
      net::ForwardedClient(ListOf(head, "X-Forwarded-For"), ListOf(head, "Forwarded"), proxies);
  return named.empty() ? line.peer : named;
}

HttpRequest RequestOf(Line& line, std::string client) {
  const auto& head = line.parser->get();
  HttpRequest request;
  request.method = head.method() == bhttp::verb::head ? "GET" : TextOf(head.method_string());
  net::SplitTarget(TextOf(head.target()), &request.path, &request.query);
  request.authorization = TextOf(head[bhttp::field::authorization]);
  request.headers = HeadersOf(head);
  request.peer = std::move(client);
  const uint64_t unread = line.parser->is_done() ? 0 : line.parser->content_length().value_or(0);
  request.body_bytes =
      line.parser->chunked() ? std::nullopt : std::optional<uint64_t>(line.eager_bytes + unread);
  // Fetch Metadata (W3C): all present browsers say where a call comes from; others say nothing.
  const std::string site = TextOf(head["Sec-Fetch-Site"]);
  request.foreign = site == "cross-site" || site == "same-site";
  request.read_body = [&line](const auto& sink) { return ReadBody(line, sink); };
  return request;
}

}  // namespace ferry::server
