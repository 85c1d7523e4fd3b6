#include "cloud-server/admin/login/cookies.h"

#include <string_view>

#include "common/crypto/hash.h"

namespace ferry::server {
namespace {

constexpr size_t kServerLetters = 8;

// Browsers let nobody but this host, over TLS, set a cookie of that prefix (RFC 6265bis, 4.1.3).
std::string NameOfCookie(std::string_view what, const CookieSite& site) {
  return fmt::format("{}ferry-{}{}{}", site.tls ? "__Host-" : "", what,
                     site.server.empty() ? "" : "-", site.server);
}

struct CookieForm {
  std::string_view what, same_site;
  int64_t life_ms;
};
constexpr CookieForm kSession = {"session", "Strict", kCookieLifeMs};
constexpr CookieForm kBegun = {"begun", "Lax", kBegunLifeMs};

std::string WithAttributes(const CookieForm& form, const std::string& value,
                           const CookieSite& site) {
  return fmt::format("{}={}; Path=/; Max-Age={}; HttpOnly; SameSite={}{}",
                     NameOfCookie(form.what, site), value, value.empty() ? 0 : form.life_ms / 1000,
                     form.same_site, site.tls ? "; Secure" : "");
}

std::string_view Trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

std::string ValueOfCookie(const HttpRequest& request, const CookieForm& form,
                          const CookieSite& site) {
  const std::string all = request.Header("cookie");
  const std::string name = NameOfCookie(form.what, site);
  std::string found;
  for (std::string_view rest = all; !rest.empty();) {
    const size_t end = rest.find(';');
    const std::string_view pair = Trimmed(rest.substr(0, end));
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
    const size_t equals = pair.find('=');
    if (equals == std::string_view::npos) continue;
    if (pair.substr(0, equals) != name) continue;
    // Two of one name: somebody else's page of this host may have set one of them.
    if (!found.empty() && found != pair.substr(equals + 1)) return {};
    found = pair.substr(equals + 1);
  }
  return found;
}

}  // namespace

CookieSite CookieSiteOf(const AdminOptions& options) {
  // "sha256:<hex>" of its authority, which no two servers have.
  const std::string& pin = options.authority_pin;
  const size_t hex = pin.find(':');
  const std::string server =
      hex == std::string::npos ? std::string() : pin.substr(hex + 1, kServerLetters);
  return {options.tls.has_value(), server};
}

std::string CookieOf(const HttpRequest& request, const CookieSite& site) {
  return ValueOfCookie(request, kSession, site);
}

std::string CsrfOf(const std::string& cookie) {
  return ToHex(crypto::HmacSha256(AsBytes(cookie), AsBytes(std::string_view("ferry csrf"))));
}

std::string SetCookie(const std::string& token, const CookieSite& site) {
  return WithAttributes(kSession, token, site);
}

std::string ClearCookie(const CookieSite& site) {
  return WithAttributes(kSession, "", site);
}

std::string BegunCookieOf(const HttpRequest& request, const CookieSite& site) {
  return ValueOfCookie(request, kBegun, site);
}

std::string SetBegunCookie(const std::string& secret, const CookieSite& site) {
  return WithAttributes(kBegun, secret, site);
}

std::string ClearBegunCookie(const CookieSite& site) {
  return WithAttributes(kBegun, "", site);
}

}  // namespace ferry::server
