#include "cloud-server/webhook/post.h"

#include <arpa/inet.h>
#include <httplib.h>
#include <netdb.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <exception>

#include "common/crypto/hash.h"

namespace ferry::server {
namespace {

bool IsPrivateV4(uint32_t address) {
  struct Network {
    uint32_t base;
    int bits;
  };
  // RFC 6890: this network, private, shared, loopback, link-local, special, benchmarks, multicast
  // and what is above.
  constexpr Network kNetworks[] = {
      {0x00000000, 8},  {0x0a000000, 8},  {0x64400000, 10}, {0x7f000000, 8},  {0xa9fe0000, 16},
      {0xac100000, 12}, {0xc0000000, 24}, {0xc0a80000, 16}, {0xc6120000, 15}, {0xe0000000, 3}};
  return std::any_of(std::begin(kNetworks), std::end(kNetworks), [&](const Network& network) {
    return (address >> (32 - network.bits)) == (network.base >> (32 - network.bits));
  });
}

// The first address of the host that may be called; the error says why none may.
Result<std::string> Resolve(const WebhookUrl& url, bool allow_private) {
  addrinfo hints{}, *found = nullptr;
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  if (const int code = ::getaddrinfo(url.host.c_str(), nullptr, &hints, &found); code != 0)
    return Status::Of(Code::kUnavailable, "{}: {}", url.host, ::gai_strerror(code));
  std::string address;
  bool refused = false;
  for (const addrinfo* at = found; at != nullptr && address.empty(); at = at->ai_next) {
    char text[INET6_ADDRSTRLEN] = {};
    const void* raw =
        at->ai_family == AF_INET
            ? static_cast<const void*>(&reinterpret_cast<const sockaddr_in*>(at->ai_addr)->sin_addr)
            : &reinterpret_cast<const sockaddr_in6*>(at->ai_addr)->sin6_addr;
    if (::inet_ntop(at->ai_family, raw, text, sizeof text) == nullptr) continue;
    if (!allow_private && IsPrivateAddress(text))
      refused = true;
    else
      address = text;
  }
  ::freeaddrinfo(found);
  if (!address.empty()) return address;
  return refused ? Status::Of(Code::kPermissionDenied,
                              "{} is a private address: `ferry-server run --webhook-private` "
                              "allows them",
                              url.host)
                 : Status::Of(Code::kUnavailable, "{} has no address", url.host);
}

Result<int> Post(const WebhookPost& post, const WebhookUrl& url, const std::string& address) {
  httplib::Client client(fmt::format(
      "{}://{}:{}", url.secure ? "https" : "http",
      url.host.find(':') == std::string::npos ? url.host : "[" + url.host + "]", url.port));
  if (!client.is_valid()) return Status::Of(Code::kInvalidArgument, "\"{}\" is no URL", post.url);
  client.set_hostname_addr_map({{url.host, address}});
  client.set_follow_location(false);
  client.set_connection_timeout(kPostSeconds);
  client.set_read_timeout(kPostSeconds);
  client.set_write_timeout(kPostSeconds);
  httplib::Request request;
  request.method = "POST";
  request.path = url.path;
  request.body = post.body;
  request.headers = {
      {"Content-Type", "application/json"},
      {"User-Agent", "ferry-server"},
      {"Ferry-Event", post.kind},
      {"Ferry-Delivery", post.delivery},
      {"Ferry-Signature", WebhookSignature(post.secret, post.time_ms / 1000, post.body)}};
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(kPostSeconds);
  size_t bytes = 0;
  bool too_much = false;
  request.content_receiver = [&](const char*, size_t size, uint64_t, uint64_t) {
    bytes += size;
    too_much = bytes > kMaxAnswerBytes || std::chrono::steady_clock::now() > end;
    return !too_much;
  };
  const httplib::Result result = client.send(request);
  if (too_much)
    return Status::Of(Code::kLimitExceeded, "its answer is over {} bytes or {} s", kMaxAnswerBytes,
                      kPostSeconds);
  if (!result)
    return Status::Of(Code::kUnavailable, "no answer ({})", httplib::to_string(result.error()));
  return result->status;
}

}  // namespace

Result<WebhookUrl> ParseWebhookUrl(const std::string& url) {
  const Status wrong =
      Status::Of(Code::kInvalidArgument, "\"{}\": wanted http://HOST[:PORT][/PATH] or https://",
                 url.substr(0, 80));
  WebhookUrl parsed;
  parsed.secure = url.starts_with("https://");
  if (url.size() > kMaxWebhookUrl || (!parsed.secure && !url.starts_with("http://"))) return wrong;
  for (const char c : url)
    if (c <= ' ' || c > '~' || c == '"' || c == '\\' || c == '#') return wrong;
  std::string_view rest = std::string_view(url).substr(parsed.secure ? 8 : 7);
  const size_t slash = rest.find_first_of("/?");
  std::string_view host = rest.substr(0, slash);
  parsed.path = slash == std::string_view::npos ? "/" : std::string(rest.substr(slash));
  if (parsed.path[0] == '?') parsed.path = "/" + parsed.path;
  // A name and password would be kept and shown in lists.
  if (host.empty() || host.find('@') != std::string_view::npos) return wrong;
  parsed.port = parsed.secure ? 443 : 80;
  std::string_view port;
  if (host[0] == '[') {
    const size_t close = host.find(']');
    if (close == std::string_view::npos) return wrong;
    port = host.substr(close + 1);
    host = host.substr(1, close - 1);
  } else if (const size_t colon = host.find(':'); colon != std::string_view::npos) {
    port = host.substr(colon);
    host = host.substr(0, colon);
  }
  if (host.empty()) return wrong;
  if (!port.empty()) {
    const auto [end, error] =
        std::from_chars(port.data() + 1, port.data() + port.size(), parsed.port);
    if (port[0] != ':' || error != std::errc() || end != port.data() + port.size() ||
        parsed.port == 0)
      return wrong;
  }
  parsed.host = std::string(host);
  return parsed;
}

bool IsPrivateAddress(const std::string& address) {
  in_addr v4{};
  if (::inet_pton(AF_INET, address.c_str(), &v4) == 1) return IsPrivateV4(ntohl(v4.s_addr));
  in6_addr v6{};
  if (::inet_pton(AF_INET6, address.c_str(), &v6) != 1) return true;
  const uint8_t* bytes = v6.s6_addr;
  const auto embedded = [&](int at) {
    return uint32_t{bytes[at]} << 24 | uint32_t{bytes[at + 1]} << 16 |
           uint32_t{bytes[at + 2]} << 8 | bytes[at + 3];
  };
  // IPv4 in the clothes of IPv6: mapped, translated (RFC 6052), 6to4.
  if (IN6_IS_ADDR_V4MAPPED(&v6)) return IsPrivateV4(embedded(12));
  if (embedded(0) == 0x0064ff9b) return IsPrivateV4(embedded(12));
  if (bytes[0] == 0x20 && bytes[1] == 0x02) return IsPrivateV4(embedded(2));
  // Only 2000::/3 is everybody's.
  return (bytes[0] & 0xe0) != 0x20;
}

std::string WebhookSignature(const std::string& secret, int64_t seconds, const std::string& body) {
  const std::string text = fmt::format("{}.{}", seconds, body);
  return fmt::format("t={},v1={}", seconds,
                     ToHex(crypto::HmacSha256(AsBytes(secret), AsBytes(text))));
}

Result<int> SendWebhook(const WebhookPost& post) {
  FERRY_ASSIGN_OR_RETURN(const WebhookUrl url, ParseWebhookUrl(post.url));
  FERRY_ASSIGN_OR_RETURN(const std::string address, Resolve(url, post.allow_private));
  try {
    return Post(post, url, address);
  } catch (const std::exception& error) {
    return Status::Of(Code::kUnavailable, "{}", error.what());
  }
}

}  // namespace ferry::server
