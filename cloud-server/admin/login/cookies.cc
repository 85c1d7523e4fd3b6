#include "cloud-server/admin/login/cookies.h"

#include <string_view>

#include "common/crypto/hash.h"

namespace ferry::server {
namespace {

// Browsers let nobody but this host, over TLS, set a cookie of that prefix (RFC 6265bis, 4.1.3).
constexpr const char* kPlainName = "ferry-session";
constexpr const char* kTlsName = "__Host-ferry-session";

std::string WithAttributes(const std::string& value, int64_t seconds, bool tls) {
  return fmt::format("{}={}; Path=/; Max-Age={}; HttpOnly; SameSite=Strict{}",
                     tls ? kTlsName : kPlainName, value, seconds, tls ? "; Secure" : "");
}

std::string_view Trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

}  // namespace

std::string CookieOf(const HttpRequest& request, bool tls) {
  const std::string all = request.Header("cookie");
  std::string found;
  for (std::string_view rest = all; !rest.empty();) {
    const size_t end = rest.find(';');
    const std::string_view pair = Trimmed(rest.substr(0, end));
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
    const size_t equals = pair.find('=');
    if (equals == std::string_view::npos) continue;
    if (pair.substr(0, equals) != (tls ? kTlsName : kPlainName)) continue;
    // Two of one name: somebody else's page of this host may have set one of them.
    if (!found.empty() && found != pair.substr(equals + 1)) return {};
    found = pair.substr(equals + 1);
  }
  return found;
}

std::string CsrfOf(const std::string& cookie) {
  return ToHex(crypto::HmacSha256(AsBytes(cookie), AsBytes(std::string_view("ferry csrf"))));
}

std::string SetCookie(const std::string& token, bool tls) {
  return WithAttributes(token, kCookieLifeMs / 1000, tls);
}

std::string ClearCookie(bool tls) {
  return WithAttributes("", 0, tls);
}

}  // namespace ferry::server
