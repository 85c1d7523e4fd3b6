// Strangers at the operators' door, over real loopback sockets: none of them has a token.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <fstream>
#include <utility>
#include <vector>

#include "cloud-server/admin/head.h"
#include "cloud-server/admin/http.h"
#include "cloud-server/admin/login_tries.h"

namespace ferry::server {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

// A socket that waits 5 s for an answer.
class Stranger {
 public:
  explicit Stranger(uint16_t port) : line_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(port);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    timeval most{5, 0};
    setsockopt(line_, SOL_SOCKET, SO_RCVTIMEO, &most, sizeof(most));
    EXPECT_EQ(connect(line_, reinterpret_cast<sockaddr*>(&to), sizeof(to)), 0);
  }
  Stranger(Stranger&& other) : line_(std::exchange(other.line_, -1)) {}
  ~Stranger() {
    if (line_ >= 0) close(line_);
  }
  bool Send(std::string_view text) {
    return send(line_, text.data(), text.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(text.size());
  }
  // The first piece of an answer; "" when none comes.
  std::string Answer() {
    std::string text(4096, ' ');
    const ssize_t size = recv(line_, text.data(), text.size(), 0);
    return size > 0 ? text.substr(0, static_cast<size_t>(size)) : "";
  }

 private:
  int line_;
};

// Refuses all calls without a look at their body, as who is not logged in is refused.
std::unique_ptr<HttpServer> StartDoor() {
  return *HttpServer::Start("127.0.0.1", 0, {"ferry.example"}, [](const HttpRequest&) {
    return ErrorResponse(Status(Code::kUnauthenticated, "log in first"));
  });
}

int64_t ResidentKb() {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("VmRSS:")) return std::stoll(line.substr(6));
  return 0;
}

std::string HeadTo(std::string_view host, std::string_view fields = "") {
  return fmt::format("POST /api/v1/login HTTP/1.1\r\nHost: {}\r\n{}\r\n", host, fields);
}

TEST(Door, AHugeBodyWithoutATokenCostsNoMemory) {
  const auto server = StartDoor();
  const int64_t before = ResidentKb();
  int64_t most = before;
  for (const char* size : {"Content-Length: 629145600\r\n", "Transfer-Encoding: chunked\r\n"}) {
    Stranger stranger(server->port());
    ASSERT_TRUE(stranger.Send(HeadTo("127.0.0.1", size)));
    EXPECT_THAT(stranger.Answer(), StartsWith("HTTP/1.1 401"));
    const std::string piece(1 << 20, 'x');
    for (int i = 0; i < 600 && stranger.Send(piece); ++i) most = std::max(most, ResidentKb());
  }
  EXPECT_LT(most - before, 16 << 10);
}

TEST(Door, CompressedBodiesAreRefused) {
  const auto server = StartDoor();
  Stranger stranger(server->port());
  ASSERT_TRUE(
      stranger.Send(HeadTo("127.0.0.1", "Content-Encoding: gzip\r\nContent-Length: 1048576\r\n")));
  const std::string answer = stranger.Answer();
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 415"));
  EXPECT_THAT(answer, HasSubstr("gzip"));
}

// Neither slow heads nor slow bodies hold what an operator needs.
TEST(Door, SlowStrangersShutNobodyOut) {
  const auto server = StartDoor();
  std::vector<Stranger> slow;
  for (int i = 0; i < kHttpThreads; ++i) {
    slow.emplace_back(server->port());
    slow.back().Send("POST /api/v1/login HTTP/1.1\r\nHo");
    slow.emplace_back(server->port());
    slow.back().Send(HeadTo("127.0.0.1", "Content-Length: 100\r\n") + "{");
  }
  Stranger quick(server->port());
  ASSERT_TRUE(quick.Send(HeadTo("localhost:8080")));
  EXPECT_THAT(quick.Answer(), StartsWith("HTTP/1.1 401"));
}

TEST(Door, ConnectionsAnAddressAreLimited) {
  const auto server = StartDoor();
  std::vector<Stranger> many;
  for (size_t i = 0; i < kMaxConnectionsAnAddress + 1; ++i) {
    many.emplace_back(server->port());
    many.back().Send("G");
  }
  EXPECT_EQ(many.back().Answer(), "");
  many.pop_back();
  many.pop_back();
  usleep(200'000);
  Stranger next(server->port());
  ASSERT_TRUE(next.Send(HeadTo("127.0.0.1")));
  EXPECT_THAT(next.Answer(), StartsWith("HTTP/1.1 401"));
}

TEST(Door, ForeignHostsAndOriginsAreRefused) {
  const auto server = StartDoor();
  const auto status = [&](const std::string& head) {
    Stranger stranger(server->port());
    EXPECT_TRUE(stranger.Send(head));
    return stranger.Answer().substr(0, 12);
  };
  EXPECT_EQ(status(HeadTo("evil.example")), "HTTP/1.1 421");
  EXPECT_EQ(status("GET / HTTP/1.1\r\n\r\n"), "HTTP/1.1 421");
  EXPECT_EQ(status(HeadTo("Ferry.Example:80")), "HTTP/1.1 401");
  EXPECT_EQ(status(HeadTo("localhost", "Origin: http://evil.example\r\n")), "HTTP/1.1 403");
  EXPECT_EQ(status(HeadTo("localhost", "Origin: null\r\n")), "HTTP/1.1 403");
  EXPECT_EQ(status(HeadTo("localhost:1", "Origin: http://localhost:1\r\n")), "HTTP/1.1 401");
}

TEST(Door, HeadsAreLimited) {
  const auto server = StartDoor();
  std::string many, large = "X: " + std::string(kMaxHeaderBytes, 'x') + "\r\n";
  for (size_t i = 0; i < kMaxHeaderFields; ++i) many += fmt::format("X{}: 1\r\n", i);
  for (const std::string& fields : {many, large}) {
    Stranger stranger(server->port());
    stranger.Send(HeadTo("127.0.0.1", fields));
    EXPECT_THAT(stranger.Answer(), StartsWith("HTTP/1.1 431"));
  }
}

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

constexpr int64_t kMinuteNs = 60'000'000'000;

int TriesOf(LoginTries& tries, const std::string& peer, int64_t now_ns) {
  int taken = 0;
  while (taken < 100 && tries.Take(peer, now_ns).ok()) ++taken;
  return taken;
}

TEST(LoginTries, AnAddressWaitsForItself) {
  LoginTries tries;
  EXPECT_EQ(TriesOf(tries, "192.0.2.1", 5), kMaxLoginFailures);
  const Status refused = tries.Take("192.0.2.1", kMinuteNs + 4);
  EXPECT_EQ(refused.code(), Code::kUnavailable);
  EXPECT_NE(refused.message().find("192.0.2.1"), std::string::npos);
  EXPECT_EQ(TriesOf(tries, "192.0.2.2", 5), kMaxLoginFailures);
  EXPECT_EQ(TriesOf(tries, "192.0.2.1", kMinuteNs + 5), kMaxLoginFailures);
}

TEST(LoginTries, WhatWasGivenBackDoesNotCount) {
  LoginTries tries;
  for (int i = 0; i < 3 * kMaxLoginFailures; ++i) {
    EXPECT_TRUE(tries.Take("192.0.2.1", 5).ok());
    tries.GiveBack("192.0.2.1");
  }
  EXPECT_EQ(tries.addresses(), 0U);
}

TEST(LoginTries, NetworksCountAsOneWhereOneOwnsThem) {
  LoginTries tries;
  EXPECT_EQ(TriesOf(tries, "2001:db8::1", 5), kMaxLoginFailures);
  EXPECT_EQ(TriesOf(tries, "2001:db8::ffff:2", 5), 0);
  EXPECT_EQ(TriesOf(tries, "2001:db8:0:1::1", 5), kMaxLoginFailures);
  EXPECT_EQ(TriesOf(tries, "::ffff:192.0.2.1", 5), kMaxLoginFailures);
  EXPECT_EQ(TriesOf(tries, "::ffff:192.0.2.2", 5), kMaxLoginFailures);
}

TEST(LoginTries, TheTableIsBounded) {
  LoginTries tries;
  for (size_t i = 0; i < 3 * kMaxLoginAddresses; ++i) {
    EXPECT_TRUE(tries.Take(fmt::format("10.{}.{}.1", i / 256, i % 256), int64_t(i)).ok());
    ASSERT_LE(tries.addresses(), kMaxLoginAddresses);
  }
  EXPECT_TRUE(tries.Take("192.0.2.1", 2 * kMinuteNs).ok());
  EXPECT_EQ(tries.addresses(), 1U);
}

}  // namespace
}  // namespace ferry::server
