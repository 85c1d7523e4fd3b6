#include "common/net/http_head.h"

#include <gtest/gtest.h>

namespace ferry::net {
namespace {

TEST(Head, OwnHosts) {
  for (const char* own : {"127.0.0.1", "10.1.2.3:80", "[::1]", "[::1]:80", "LOCALHOST:1", "a.b"})
    EXPECT_TRUE(IsOwnHost(own, {"a.b"})) << own;
  for (const char* other : {"", ":80", "[::1", "[::1]x", "[x]", "localhost.evil", "a.b.c", "::1"})
    EXPECT_FALSE(IsOwnHost(other, {"a.b"})) << other;
}

TEST(Head, Targets) {
  std::string path;
  std::map<std::string, std::string> query;
  SplitTarget("/a%2Fb+c%zz%4?x=1+2%2b&y&=z&&w=a=b#f", &path, &query);
  EXPECT_EQ(path, "/a/b+c%zz%4");
  const std::map<std::string, std::string> expected = {{"x", "1 2+"}, {"y", ""}, {"w", "a=b"}};
  EXPECT_EQ(query, expected);
}

TEST(Head, LoopbackIsThisMachineAlone) {
  for (const char* name : {"localhost", "Localhost", "127.0.0.1", "127.8.9.10", "::1"})
    EXPECT_TRUE(IsLoopback(name)) << name;
  for (const char* name : {"", "127.0.0.1.example.com", "127.example.com", "localhost.example.com",
                           "127.0.0", "0.0.0.0", "128.0.0.1", "::", "::2", "[::1]"})
    EXPECT_FALSE(IsLoopback(name)) << name;
}

TEST(Head, OwnOrigins) {
  EXPECT_TRUE(IsOwnOrigin("http://LocalHost:1", "localhost:1"));
  EXPECT_TRUE(IsOwnOrigin("https://a.b", "a.b"));
  for (const char* other : {"", "null", "http://localhost", "http://localhost:2", "localhost:1"})
    EXPECT_FALSE(IsOwnOrigin(other, "localhost:1")) << other;
}

TEST(Head, AddressesInOneForm) {
  EXPECT_EQ(PlainAddress("192.0.2.1"), "192.0.2.1");
  EXPECT_EQ(PlainAddress("::ffff:192.0.2.1"), "192.0.2.1");
  EXPECT_EQ(PlainAddress("2001:DB8:0::1"), "2001:db8::1");
  for (const char* none : {"", "localhost", "192.0.2", "192.0.2.1:80", "[::1]"})
    EXPECT_EQ(PlainAddress(none), "") << none;
}

// What a caller wrote himself stands before what the proxy added.
TEST(Head, ForwardedClients) {
  const std::vector<std::string> proxies = {"192.0.2.1", "2001:db8::1"};
  const auto listed = [&](const char* list) { return ForwardedClient(list, "", proxies); };
  EXPECT_EQ(listed("198.51.100.7"), "198.51.100.7");
  EXPECT_EQ(listed("10.0.0.1, 198.51.100.7"), "198.51.100.7");
  EXPECT_EQ(listed("10.0.0.1,198.51.100.7:4711 , 192.0.2.1"), "198.51.100.7");
  EXPECT_EQ(listed("[2001:db8::2]:80,2001:db8:0::1"), "2001:db8::2");
  for (const char* nobody :
       {"", " ", ",", "192.0.2.1", "unknown", "198.51.100.7, x", "[x", "198.51.100.7,"})
    EXPECT_EQ(listed(nobody), "") << nobody;
  const auto paired = [&](const char* list) { return ForwardedClient("", list, proxies); };
  EXPECT_EQ(paired("for=198.51.100.7;proto=https"), "198.51.100.7");
  EXPECT_EQ(paired("for=10.0.0.1, proto=https; For=\"[2001:db8::2]:80\""), "2001:db8::2");
  for (const char* nobody : {"proto=https", "for=_hidden", "for=unknown"})
    EXPECT_EQ(paired(nobody), "") << nobody;
  EXPECT_EQ(ForwardedClient("198.51.100.7", "for=198.51.100.7", proxies), "198.51.100.7");
  EXPECT_EQ(ForwardedClient("198.51.100.7", "for=198.51.100.8", proxies), "");
}

}  // namespace
}  // namespace ferry::net
