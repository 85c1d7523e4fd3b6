#include "cloud-server/admin/pages/pages.h"

#include <algorithm>

#include "cloud-server/admin/http/coding.h"
#include "common/base/bytes.h"
#include "common/crypto/hash.h"

namespace ferry::server {
namespace {

constexpr size_t kNonceBytes = 16;
constexpr size_t kEtagLetters = 32;
constexpr size_t kMinHash = 8;
constexpr const char* kForEver = "public, max-age=31536000, immutable";
// Of an answer that is data: nothing in it may run, whatever a browser takes it for.
constexpr const char* kDataPolicy = "default-src 'none'; frame-ancestors 'none'";

bool IsHtml(const console::Page& page) {
  return page.mime.starts_with("text/html");
}

bool LooksLikeHash(std::string_view text) {
  const auto all = [&](const char* of) {
    return text.find_first_not_of(of) == std::string_view::npos;
  };
  if (text.size() < kMinHash) return false;
  if (all("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")) return true;
  return all("0123456789abcdef") && text.find_first_of("0123456789") != std::string_view::npos;
}

void ReplaceAll(std::string_view mark, std::string_view by, std::string* text) {
  for (size_t at = 0; (at = text->find(mark, at)) != std::string::npos; at += by.size())
    text->replace(at, mark.size(), by);
}

// As the value of an attribute in double quotes.
std::string AttributeOf(std::string text) {
  ReplaceAll("&", "&amp;", &text);
  ReplaceAll("\"", "&quot;", &text);
  ReplaceAll("<", "&lt;", &text);
  return text;
}

}  // namespace

std::string PagePolicy(std::string_view nonce) {
  const std::string styles = nonce.empty() ? "" : fmt::format(" 'nonce-{}'", nonce);
  return fmt::format(
      "default-src 'none'; script-src 'self'; worker-src 'self'; connect-src 'self'; "
      "img-src 'self' data:; style-src 'self'{}; font-src 'self'; base-uri 'none'; "
      "form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; "
      "trusted-types ferry",
      styles);
}

bool HasHash(std::string_view path) {
  const size_t slash = path.rfind('/');
  std::string_view name = slash == std::string_view::npos ? path : path.substr(slash + 1);
  while (!name.empty()) {
    const size_t dot = name.rfind('.');
    if (dot == std::string_view::npos) return false;
    name = name.substr(0, dot);
    const size_t begin = name.find_last_of("-.");
    if (begin != std::string_view::npos && LooksLikeHash(name.substr(begin + 1))) return true;
  }
  return false;
}

void AddSafety(bool tls, HttpResponse* response) {
  auto& headers = response->headers;
  headers.emplace("Content-Security-Policy", kDataPolicy);
  headers.emplace("X-Content-Type-Options", "nosniff");
  // Whole addresses, which name devices and rules, are for this server alone.
  headers.emplace("Referrer-Policy", "same-origin");
  headers.emplace("Cross-Origin-Opener-Policy", "same-origin");
  headers.emplace("Cross-Origin-Resource-Policy", "same-origin");
  headers.emplace("Permissions-Policy",
                  "camera=(), display-capture=(), geolocation=(), microphone=(), midi=(), "
                  "payment=(), serial=(), usb=()");
  if (tls) headers.emplace("Strict-Transport-Security", "max-age=31536000");
}

HttpResponse Pages::Answer(const HttpRequest& request,
                           const std::function<std::string()>& session) {
  if (request.method != "GET")
    return ErrorResponse(Status::Of(Code::kUnsupported, "{} is for GET", request.path));
  const console::Page* page = console::ContentOf(request.path);
  if (!page)
    return ErrorResponse(
        Status::Of(Code::kNotFound, "there is no page {}", request.path.substr(0, 200)));
  const bool gzip = TakesGzip(request.Header("accept-encoding"));
  if (IsHtml(*page)) {
    const bool room = page->body.find(kSessionMark) != std::string_view::npos;
    return Fresh(*page, gzip, room ? session() : "");
  }
  const Packed& packed = PackedOf(*page);
  const bool is_packed = gzip && !packed.gzip.empty();
  // The two forms of one page are two things to a cache.
  const std::string etag =
      is_packed ? packed.etag.substr(0, packed.etag.size() - 1) + "-gzip\"" : packed.etag;
  HttpResponse response;
  response.content_type = page->mime;
  response.headers = {{"Content-Security-Policy", PagePolicy("")},
                      {"Cache-Control", HasHash(page->path) ? kForEver : "no-cache"},
                      {"ETag", etag},
                      {"Vary", "Accept-Encoding"}};
  if (NamesEtag(request.Header("if-none-match"), etag)) {
    response.status = 304;
    return response;
  }
  if (is_packed) response.headers["Content-Encoding"] = "gzip";
  response.body = is_packed ? packed.gzip : std::string(page->body);
  return response;
}

// A page with a number that is used once: no two answers are the same. With a session it also holds
// a secret, which neither a cache nor the length of what is packed shall tell (BREACH).
HttpResponse Pages::Fresh(const console::Page& page, bool gzip, const std::string& session) {
  Bytes raw(kNonceBytes);
  random_->Fill(raw);
  const std::string nonce = ToBase64(raw);
  HttpResponse response;
  response.content_type = page.mime;
  response.headers = {{"Content-Security-Policy", PagePolicy(nonce)},
                      {"Cache-Control", "no-store"},
                      {"Vary", "Accept-Encoding"}};
  response.body = page.body;
  ReplaceAll(kNonceMark, nonce, &response.body);
  ReplaceAll(kSessionMark, AttributeOf(session), &response.body);
  if (!gzip || !session.empty()) return response;
  if (Result<std::string> packed = Gzip(response.body); packed.ok()) {
    response.headers["Content-Encoding"] = "gzip";
    response.body = *std::move(packed);
  }
  return response;
}

const Pages::Packed& Pages::PackedOf(const console::Page& page) {
  const std::lock_guard lock(mutex_);
  const auto [at, is_new] = packed_.try_emplace(std::string(page.path));
  Packed& packed = at->second;
  if (!is_new) return packed;
  packed.etag = "\"" + crypto::Sha256Hex(AsBytes(page.body)).substr(0, kEtagLetters) + "\"";
  if (Result<std::string> gzip = Gzip(page.body); gzip.ok() && gzip->size() < page.body.size())
    packed.gzip = *std::move(gzip);
  return packed;
}

}  // namespace ferry::server
