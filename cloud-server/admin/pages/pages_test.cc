#include "cloud-server/admin/pages/pages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include "cloud-server/admin/http/coding.h"
#include "cloud-server/admin/test_admin.h"

namespace ferry::server {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string Gunzip(const std::string& packed) {
  std::string text(1 << 20, '\0');
  z_stream stream{};
  EXPECT_EQ(inflateInit2(&stream, 15 + 16), Z_OK);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef*>(text.data());
  stream.avail_out = static_cast<uInt>(text.size());
  EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
  text.resize(stream.total_out);
  inflateEnd(&stream);
  return text;
}

TEST(Coding, GzipIsTakenWhereItIsAllowed) {
  for (const char* yes : {"gzip", "deflate, gzip;q=0.5", "br, GZIP", "*", "x-gzip", "*;q=0, gzip",
                          "gzip, *;q=0", "gzip;q=0.001"})
    EXPECT_TRUE(TakesGzip(yes)) << yes;
  for (const char* no :
       {"", "br", "gzip;q=0", "gzip; q=0.000, *", "*;q=0", "identity, *;q=0.0", "gzipped", ",,"})
    EXPECT_FALSE(TakesGzip(no)) << no;
}

TEST(Coding, EtagsAreComparedWeakly) {
  for (const char* yes : {"\"a\"", "W/\"a\"", "\"b\", \"a\"", "*", "\"b\",W/\"a\""})
    EXPECT_TRUE(NamesEtag(yes, "\"a\"")) << yes;
  for (const char* no : {"", "a", "\"b\"", "\"a", "\"a-gzip\""})
    EXPECT_FALSE(NamesEtag(no, "\"a\"")) << no;
}

TEST(Coding, GzipKeepsTheText) {
  std::string text;
  for (const size_t size : {size_t{0}, size_t{1}, size_t{300'000}}) {
    while (text.size() < size) text += static_cast<char>('a' + (text.size() * 7919) % 26);
    EXPECT_EQ(Gunzip(*Gzip(text)), text);
    EXPECT_EQ(*Gzip(text), *Gzip(text));
  }
}

TEST(Pages, NamesWithAHashAreKnown) {
  for (const char* yes :
       {"/app-5XQ2JH7A.js", "/chunks/app.0123abcd.css", "/app-5XQ2JH7A.js.map", "/a-b-ABCDEFGH.js"})
    EXPECT_TRUE(HasHash(yes)) << yes;
  for (const char* no : {"/app.js", "/page-settings.js", "/app-5XQ2.js", "/5XQ2JH7A", "/", "",
                         "/app-5xQ2JH7A.js", "/5XQ2JH7A/app.js", "/page-deadbeef.js"})
    EXPECT_FALSE(HasHash(no)) << no;
}

// The words of the policy that keep scripts of others out.
TEST(Pages, ThePolicyAllowsNothingInline) {
  const std::string policy = PagePolicy("abc");
  EXPECT_THAT(policy, Not(HasSubstr("unsafe")));
  for (const char* part :
       {"default-src 'none'", "script-src 'self';", "style-src 'self' 'nonce-abc'",
        "frame-ancestors 'none'", "base-uri 'none'", "require-trusted-types-for 'script'"})
    EXPECT_THAT(policy, HasSubstr(part));
  EXPECT_THAT(PagePolicy(""), HasSubstr("style-src 'self';"));
}

TEST(Pages, EachAnswerOfTheIndexHasANonceOfItsOwn) {
  AdminFixture fixture;
  httplib::Client client = fixture.Client();
  std::string before;
  for (int i = 0; i < 3; ++i) {
    const httplib::Result page = client.Get("/");
    ASSERT_TRUE(page);
    EXPECT_EQ(page->status, 200);
    const std::string policy = page->get_header_value("Content-Security-Policy");
    const size_t begin = policy.find("'nonce-");
    ASSERT_NE(begin, std::string::npos) << policy;
    const std::string nonce = policy.substr(begin + 7, policy.find('\'', begin + 7) - begin - 7);
    EXPECT_GE(nonce.size(), 22U);
    EXPECT_NE(nonce, before);
    EXPECT_THAT(page->body, Not(HasSubstr(std::string(kNonceMark))));
    if (console::ContentOf("/")->body.find(kNonceMark) != std::string_view::npos) {
      EXPECT_THAT(page->body, HasSubstr(nonce));
    }
    EXPECT_EQ(page->get_header_value("Cache-Control"), "no-store");
    before = nonce;
  }
}

// A page of the console that is no HTML, whichever there are.
std::string AnyScript(httplib::Client& client) {
  const std::string index = client.Get("/")->body;
  for (const char* mark : {"src=\"", "href=\""})
    for (size_t at = 0; (at = index.find(mark, at)) != std::string::npos; ++at) {
      const size_t begin = at + std::string_view(mark).size();
      std::string path = index.substr(begin, index.find('"', begin) - begin);
      if (path.starts_with("./")) path.erase(0, 1);
      if (!path.starts_with("/")) path = "/" + path;
      if (console::ContentOf(path) != nullptr && path.ends_with(".js")) return path;
    }
  return "";
}

TEST(Pages, ScriptsAreCompressedOnceAndNotSentTwice) {
  AdminFixture fixture;
  httplib::Client client = fixture.Client();
  client.set_decompress(false);
  const std::string path = AnyScript(client);
  ASSERT_NE(path, "");
  const std::string plain(console::ContentOf(path)->body);
  const httplib::Result whole = client.Get(path, {{"Accept-Encoding", "identity"}});
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->body, plain);
  EXPECT_EQ(whole->get_header_value("Vary"), "Accept-Encoding");
  const httplib::Result packed = client.Get(path, {{"Accept-Encoding", "gzip"}});
  EXPECT_EQ(packed->get_header_value("Content-Encoding"), "gzip");
  EXPECT_LT(packed->body.size(), plain.size());
  EXPECT_EQ(Gunzip(packed->body), plain);
  const std::string etag = packed->get_header_value("ETag");
  EXPECT_NE(etag, whole->get_header_value("ETag"));
  const httplib::Result again =
      client.Get(path, {{"Accept-Encoding", "gzip"}, {"If-None-Match", etag}});
  EXPECT_EQ(again->status, 304);
  EXPECT_EQ(again->body, "");
  EXPECT_FALSE(again->has_header("Content-Length"));
  EXPECT_EQ(again->get_header_value("ETag"), etag);
  EXPECT_EQ(client.Get(path, {{"If-None-Match", "\"other\""}})->status, 200);
}

TEST(Pages, AllAnswersKeepOthersOut) {
  AdminFixture fixture;
  httplib::Client client = fixture.Client();
  for (const char* path : {"/", "/no-such-page", "/api/v1/status", "/api/v1/nothing"}) {
    const httplib::Result answer = client.Get(path, fixture.Bearer());
    ASSERT_TRUE(answer) << path;
    EXPECT_EQ(answer->get_header_value("X-Content-Type-Options"), "nosniff") << path;
    EXPECT_EQ(answer->get_header_value("Referrer-Policy"), "same-origin") << path;
    EXPECT_THAT(answer->get_header_value("Permissions-Policy"), HasSubstr("camera=()")) << path;
    EXPECT_THAT(answer->get_header_value("Content-Security-Policy"),
                HasSubstr("frame-ancestors 'none'"))
        << path;
    EXPECT_FALSE(answer->has_header("Strict-Transport-Security")) << path;
  }
  EXPECT_EQ(client.Get("/api/v1/status", fixture.Bearer())->get_header_value("Cache-Control"),
            "no-store");
  HttpResponse over_tls;
  AddSafety(true, &over_tls);
  EXPECT_EQ(over_tls.headers["Strict-Transport-Security"], "max-age=31536000");
}

}  // namespace
}  // namespace ferry::server
