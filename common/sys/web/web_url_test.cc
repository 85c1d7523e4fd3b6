#include "common/sys/web/web_url.h"

#include <gtest/gtest.h>

#include "common/sys/random.h"

namespace ferry::sys {
namespace {

TEST(WebUrl, SaysWhereAndWhat) {
  struct Case {
    const char *url, *host;
    uint16_t port;
    Endpoint::Kind kind;
    const char *target, *host_field;
  };
  using enum Endpoint::Kind;
  for (const Case& c : {
           Case{"http://cdn.example", "cdn.example", 80, kPlainWeb, "/", "cdn.example"},
           Case{"https://cdn.example/a/b?x=%2F&y=1", "cdn.example", 443, kWeb, "/a/b?x=%2F&y=1",
                "cdn.example"},
           Case{"https://h:8443/", "h", 8443, kWeb, "/", "h:8443"},
           Case{"http://h:443/", "h", 443, kPlainWeb, "/", "h:443"},
           Case{"http://h?q", "h", 80, kPlainWeb, "/?q", "h"},
           Case{"http://[::1]:9/x", "::1", 9, kPlainWeb, "/x", "[::1]:9"},
           Case{"https://[2001:db8::2]/x", "2001:db8::2", 443, kWeb, "/x", "[2001:db8::2]"},
       }) {
    const Result<WebUrl> got = ParseWebUrl(c.url);
    ASSERT_TRUE(got.ok()) << got.status().ToString();
    EXPECT_EQ(got->at.host, c.host) << c.url;
    EXPECT_EQ(got->at.port, c.port) << c.url;
    EXPECT_EQ(got->at.kind, c.kind) << c.url;
    EXPECT_EQ(got->target, c.target) << c.url;
    EXPECT_EQ(HostFieldOf(got->at), c.host_field) << c.url;
  }
}

TEST(WebUrl, RefusesWhatIsNone) {
  for (const std::string& bad :
       {std::string(), std::string("cdn.example/a"), std::string("ftp://h/"),
        std::string("http://"), std::string("http:///a"), std::string("http://u@h/"),
        std::string("http://u:p@h/"), std::string("http://h:0/"), std::string("http://h:65536/"),
        std::string("http://h:x/"), std::string("http://h:80x/"), std::string("http://[::1/"),
        std::string("http://[::1]x/"), std::string("http://h/a b"), std::string("http://h/a#b"),
        std::string("http://h/\r\nX: 1"), std::string("http://h/\x7f"),
        std::string("http://h/") + std::string(kMaxWebUrl, 'a')})
    EXPECT_EQ(ParseWebUrl(bad).code(), Code::kMalformed) << bad.substr(0, 60);
}

// Whatever is taken stands in a request as it is.
TEST(WebUrl, RandomTextsBreakNoRequest) {
  SeededRandom random(5);
  const std::string alphabet = "htps:/[]@?#a.1-_%\r\n \"";
  int taken = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string url = random.Below(2) == 0 ? "http://" : "https://";
    for (uint64_t n = random.Below(12); n > 0; --n) url += alphabet[random.Below(alphabet.size())];
    const Result<WebUrl> got = ParseWebUrl(url);
    if (!got.ok()) continue;
    ++taken;
    ASSERT_NE(got->at.port, 0) << url;
    for (const std::string& text : {got->target, HostFieldOf(got->at)})
      ASSERT_EQ(text.find_first_of(" \r\n#\""), std::string::npos) << url;
  }
  EXPECT_GT(taken, 100);
}

}  // namespace
}  // namespace ferry::sys
