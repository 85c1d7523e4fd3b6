// How browsers are logged in: a cookie that scripts cannot read, and a second secret that every
// write has to name. Programs use bearer tokens; neither stands in for the other.
#pragma once

#include <map>
#include <string>

#include "cloud-server/admin/admin.h"
#include "cloud-server/admin/http.h"

namespace ferry::server {

inline constexpr int64_t kCookieLifeMs = 7 * int64_t{86'400'000};  // from the login on
inline constexpr int64_t kCookieIdleMs = 12 * int64_t{3'600'000};  // from the last call on
inline constexpr size_t kMaxUserCookies = 32;                      // more end the oldest
inline constexpr size_t kMaxAgentBytes = 200;                      // kept of a browser's name
inline constexpr const char* kCsrfHeader = "x-ferry-csrf";
// The one call that browsers make on behalf of another site: back from an issuer of OpenID Connect.
inline constexpr const char* kOidcReturnPath = "/api/v1/oidc/return";
inline constexpr int64_t kBegunLifeMs = 600'000;  // of the cookie for the way there and back

// Whose cookies they are. Browsers send those of a host to each of its ports: servers that share
// one have names of their own, or the sign-in at one would end the session at the other.
struct CookieSite {
  bool tls = false;
  std::string server;  // what tells it from others; empty: nothing
};
CookieSite CookieSiteOf(const AdminOptions& options);

// The token of the session cookie; empty when the call has none, or several that differ.
std::string CookieOf(const HttpRequest& request, const CookieSite& site);
// What a write with this cookie names in kCsrfHeader: only pages of this server could read it.
std::string CsrfOf(const std::string& cookie);
// Values of Set-Cookie.
std::string SetCookie(const std::string& token, const CookieSite& site);
std::string ClearCookie(const CookieSite& site);

// What tells the browser that began a sign-in at an issuer, by a cookie of its own that comes along
// from there (SameSite=Lax) and logs nobody in.
std::string BegunCookieOf(const HttpRequest& request, const CookieSite& site);
std::string SetBegunCookie(const std::string& secret, const CookieSite& site);
std::string ClearBegunCookie(const CookieSite& site);

}  // namespace ferry::server
