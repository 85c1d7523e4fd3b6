// Strangers at the operators' door, over real loopback sockets: none of them has a token.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <fstream>
#include <utility>
#include <vector>

#include "cloud-server/admin/http.h"
#include "cloud-server/admin/login/login_tries.h"

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
std::unique_ptr<HttpServer> StartDoor(HttpOptions options = {}) {
  options.names = {"ferry.example"};
  return *HttpServer::Start(options, [](const HttpRequest& request) {
    return ErrorResponse(Status(Code::kUnauthenticated, request.peer + ": log in first"));
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
#ifndef FERRY_SANITIZED  // sanitizers keep freed memory back
  EXPECT_LT(most - before, 16 << 10);
#endif
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

TEST(Door, HeadersComeByLowerCaseName) {
  const auto server = *HttpServer::Start({}, [](const HttpRequest& request) {
    HttpResponse response;
    response.body = fmt::format("{}|{}|{}", request.Header("x-thing"), request.Header("cookie"),
                                request.Header("if-match"));
    return response;
  });
  Stranger stranger(server->port());
  ASSERT_TRUE(
      stranger.Send("GET / HTTP/1.1\r\nHost: localhost\r\nX-THING: a\r\nCookie: b=1\r\n"
                    "X-Thing: c\r\ncookie: d=2\r\nConnection: close\r\n\r\n"));
  EXPECT_THAT(stranger.Answer(), HasSubstr("\r\n\r\na, c|b=1; d=2|"));
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
  for (size_t i = 0; i < net::kMaxHttpConnectionsAnAddress + 1; ++i) {
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
  std::string many, large = "X: " + std::string(net::kMaxHttpHeadBytes, 'x') + "\r\n";
  for (size_t i = 0; i < net::kMaxHttpHeadFields; ++i) many += fmt::format("X{}: 1\r\n", i);
  for (const std::string& fields : {many, large}) {
    Stranger stranger(server->port());
    stranger.Send(HeadTo("127.0.0.1", fields));
    EXPECT_THAT(stranger.Answer(), StartsWith("HTTP/1.1 431"));
  }
}

// A certificate of an authority that nobody knows.
net::CertificateAndKey TestIdentity() {
  const auto authority = net::MakeAuthority("Test", 1);
  return *net::MakeServerCertificate(*authority, {"127.0.0.1"}, 1);
}

TEST(Door, BodiesOfAnySizeGoOverTls) {
  HttpOptions options;
  options.tls = TestIdentity();
  const auto server = *HttpServer::Start(options, [](const HttpRequest& request) {
    HttpResponse echo;
    const Status read = request.read_body([&](ByteView piece) {
      echo.body += AsText(piece);
      return OkStatus();
    });
    return read.ok() ? echo : ErrorResponse(read);
  });
  httplib::Client client(fmt::format("https://127.0.0.1:{}", server->port()));
  client.enable_server_certificate_verification(false);
  client.set_keep_alive(true);
  for (const size_t size : {size_t{0}, size_t{100}, kMaxEagerBody + 1, size_t{3} << 20}) {
    std::string body(size, 'x');
    for (size_t i = 0; i < size; ++i) body[i] = static_cast<char>('a' + i % 23);
    const httplib::Result answer = client.Post("/", body, "text/plain");
    ASSERT_TRUE(answer) << httplib::to_string(answer.error());
    EXPECT_EQ(answer->status, 200);
    EXPECT_TRUE(answer->body == body) << size;
  }
}

TEST(Door, PushedAnswersGoOverTls) {
  HttpOptions options;
  options.tls = TestIdentity();
  const auto server = *HttpServer::Start(options, [](const HttpRequest&) {
    HttpResponse response;
    response.push = [](const std::shared_ptr<Push>& push) {
      for (int i = 0; i < 5; ++i)
        EXPECT_TRUE(push->Send(std::make_shared<const std::string>(50'000, char('a' + i))));
    };
    return response;
  });
  httplib::Client client(fmt::format("https://127.0.0.1:{}", server->port()));
  client.enable_server_certificate_verification(false);
  client.set_read_timeout(10);
  std::string heard;
  client.Get("/", [&](const char* data, size_t size) {
    heard.append(data, size);
    return heard.size() < 250'000;
  });
  ASSERT_EQ(heard.size(), 250'000U);
  for (size_t i = 0; i < heard.size(); ++i) ASSERT_EQ(heard[i], char('a' + i / 50'000)) << i;
}

TEST(Door, PlainHttpIsToldToSpeakTls) {
  HttpOptions options;
  options.tls = TestIdentity();
  const auto server = StartDoor(options);
  Stranger stranger(server->port());
  ASSERT_TRUE(stranger.Send(HeadTo("127.0.0.1")));
  const std::string answer = stranger.Answer();
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 400"));
  EXPECT_THAT(answer, HasSubstr("https"));
}

// Whoever connects and says nothing, or half a handshake, holds no worker either.
TEST(Door, SlowHandshakesShutNobodyOut) {
  HttpOptions options;
  options.tls = TestIdentity();
  const auto server = StartDoor(options);
  std::vector<Stranger> slow;
  for (int i = 0; i < kHttpThreads; ++i) {
    slow.emplace_back(server->port());
    if (i % 2 == 0) slow.back().Send("\x16\x03\x01\x02");
  }
  httplib::Client client(fmt::format("https://127.0.0.1:{}", server->port()));
  client.enable_server_certificate_verification(false);
  client.set_read_timeout(5);
  const httplib::Result answer = client.Post("/api/v1/login");
  ASSERT_TRUE(answer) << httplib::to_string(answer.error());
  EXPECT_EQ(answer->status, 401);
}

// Else all who come through a proxy would share one address, and its tries to log in.
TEST(Door, AProxysWordOnItsClientIsTakenIfItIsTrusted) {
  const std::string told = "X-Forwarded-For: 10.0.0.9\r\nX-Forwarded-For: 198.51.100.7\r\n";
  const auto caller = [&](const HttpServer& server, const std::string& fields) {
    Stranger stranger(server.port());
    EXPECT_TRUE(stranger.Send(HeadTo("127.0.0.1", fields)));
    return stranger.Answer();
  };
  const auto alone = StartDoor();
  EXPECT_THAT(caller(*alone, told), HasSubstr("127.0.0.1: log in"));
  HttpOptions options;
  options.proxies = {"192.0.2.1", "::ffff:127.0.0.1"};
  const auto behind = StartDoor(options);
  EXPECT_THAT(caller(*behind, told), HasSubstr("198.51.100.7: log in"));
  EXPECT_THAT(caller(*behind, "Forwarded: for=198.51.100.8\r\n"), HasSubstr("198.51.100.8: log"));
  EXPECT_THAT(caller(*behind, ""), HasSubstr("127.0.0.1: log in"));
  EXPECT_THAT(caller(*behind, "X-Forwarded-For: me\r\n"), HasSubstr("127.0.0.1: log in"));
}

TEST(Door, WhatIsNoProxyOrCertificateIsNamed) {
  HttpOptions options;
  options.proxies = {"proxy.example"};
  const auto refused = HttpServer::Start(options, nullptr);
  EXPECT_EQ(refused.code(), Code::kInvalidArgument);
  EXPECT_THAT(refused.status().message(), HasSubstr("proxy.example"));
  options.proxies.clear();
  options.tls = {"no", "pem"};
  EXPECT_EQ(HttpServer::Start(options, nullptr).code(), Code::kInvalidArgument);
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
