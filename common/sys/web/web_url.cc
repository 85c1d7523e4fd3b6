#include "common/sys/web/web_url.h"

#include <algorithm>
#include <charconv>

namespace ferry::sys {
namespace {

constexpr size_t kMaxHost = 253;
constexpr uint16_t kSecurePort = 443, kPlainPort = 80;

Status NoUrl(std::string_view url, const char* why) {
  return Status::Of(Code::kMalformed, "\"{:.80}\": {}", url, why);
}

bool IsHost(std::string_view host, bool bracketed) {
  if (host.empty() || host.size() > kMaxHost) return false;
  return std::all_of(host.begin(), host.end(), [&](char c) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    return letter || c == '.' || (bracketed ? c == ':' : c == '-' || c == '_');
  });
}

bool IsTarget(std::string_view target) {
  return std::all_of(target.begin(), target.end(),
                     [](char c) { return c > ' ' && c <= '~' && c != '#' && c != '"'; });
}

Result<uint16_t> PortOf(std::string_view text, uint16_t usual, std::string_view url) {
  if (text.empty()) return usual;
  uint16_t port = 0;
  const auto [end, error] = std::from_chars(text.data() + 1, text.data() + text.size(), port);
  if (text[0] != ':' || error != std::errc() || end != text.data() + text.size() || port == 0)
    return NoUrl(url, "its port is none");
  return port;
}

}  // namespace

Result<WebUrl> ParseWebUrl(std::string_view url) {
  if (url.size() > kMaxWebUrl) return NoUrl(url, "it is too long");
  WebUrl parsed;
  std::string_view rest = url;
  const bool secure = url.starts_with("https://");
  if (!secure && !url.starts_with("http://")) return NoUrl(url, "it begins with no http://");
  rest.remove_prefix(secure ? 8 : 7);
  parsed.at.kind = secure ? Endpoint::Kind::kWeb : Endpoint::Kind::kPlainWeb;
  const size_t end = std::min(rest.find_first_of("/?"), rest.size());
  const std::string_view authority = rest.substr(0, end), target = rest.substr(end);
  const bool bracketed = authority.starts_with('[');
  const size_t host_end = bracketed ? authority.find(']') : authority.find(':');
  if (bracketed && host_end == std::string_view::npos) return NoUrl(url, "its host is none");
  const std::string_view host =
      bracketed ? authority.substr(1, host_end - 1) : authority.substr(0, host_end);
  if (!IsHost(host, bracketed)) return NoUrl(url, "its host is none");
  parsed.at.host = std::string(host);
  const size_t port_at = std::min(bracketed ? host_end + 1 : host_end, authority.size());
  FERRY_ASSIGN_OR_RETURN(parsed.at.port,
                         PortOf(authority.substr(port_at), secure ? kSecurePort : kPlainPort, url));
  if (!IsTarget(target)) return NoUrl(url, "its path is none");
  parsed.target = (target.starts_with('/') ? "" : "/") + std::string(target);
  return parsed;
}

std::string HostFieldOf(const Endpoint& at) {
  const bool address = at.host.find(':') != std::string::npos;
  std::string text = address ? "[" + at.host + "]" : at.host;
  const bool usual = (at.kind == Endpoint::Kind::kWeb && at.port == kSecurePort) ||
                     (at.kind == Endpoint::Kind::kPlainWeb && at.port == kPlainPort);
  if (!usual) text += ":" + std::to_string(at.port);
  return text;
}

std::string PlaceOf(const Endpoint& at) {
  return (at.kind == Endpoint::Kind::kPlainWeb ? "http://" : "https://") + HostFieldOf(at);
}

}  // namespace ferry::sys
