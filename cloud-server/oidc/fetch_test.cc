// Calls over real loopback sockets: what is refused, and whom TLS believes.
#include "cloud-server/oidc/fetch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>
#include <stdlib.h>
#include <unistd.h>

#include <thread>

#include "common/net/certificate.h"

namespace ferry::server::oidc {
namespace {

using testing::HasSubstr;

// Serves until it goes; `scheme` as it is called.
struct Loopback {
  Loopback(std::unique_ptr<httplib::Server> made, std::string scheme) : server(std::move(made)) {
    server->Get("/ok", [this](const httplib::Request& request, httplib::Response& response) {
      seen = request.get_header_value("Authorization");
      response.set_content("{}", "application/json");
    });
    server->Get("/moved", [](const httplib::Request&, httplib::Response& response) {
      response.set_redirect("/ok");
    });
    server->Get("/big", [](const httplib::Request&, httplib::Response& response) {
      response.set_content(std::string(kMaxFetchBytes + 1, 'x'), "text/plain");
    });
    server->Post("/form", [](const httplib::Request& request, httplib::Response& response) {
      response.status = 400;
      response.set_content(request.body + " " + request.get_header_value("Content-Type"), "x");
    });
    port = server->bind_to_any_port("127.0.0.1");
    thread = std::thread([this] { server->listen_after_bind(); });
    base = fmt::format("{}://127.0.0.1:{}", scheme, port);
    while (!server->is_running()) std::this_thread::yield();
  }
  ~Loopback() {
    server->stop();
    thread.join();
  }

  std::unique_ptr<httplib::Server> server;
  int port = 0;
  std::thread thread;
  std::string base, seen;
};

TEST(Fetch, AnswersAreGivenAsTheyAreAndNoRedirectIsFollowed) {
  Loopback loopback(std::make_unique<httplib::Server>(), "http");
  const Result<Fetched> got = Fetch({loopback.base + "/ok", "", "Bearer x", ""});
  ASSERT_TRUE(got.ok()) << got.status().ToString();
  EXPECT_EQ(got->status, 200);
  EXPECT_EQ(got->body, "{}");
  EXPECT_EQ(loopback.seen, "Bearer x");
  EXPECT_EQ(Fetch({loopback.base + "/moved", "", "", ""})->status, 302);
  const Result<Fetched> form = Fetch({loopback.base + "/form", FormOf({{"a b", "c&=d"}}), "", ""});
  ASSERT_TRUE(form.ok()) << form.status().ToString();
  EXPECT_EQ(form->status, 400);
  EXPECT_EQ(form->body, "a%20b=c%26%3Dd application/x-www-form-urlencoded");
}

TEST(Fetch, TooMuchAndNobodyAreErrors) {
  std::string gone;
  {
    Loopback loopback(std::make_unique<httplib::Server>(), "http");
    gone = loopback.base;
    EXPECT_EQ(Fetch({loopback.base + "/big", "", "", ""}).code(), Code::kLimitExceeded);
  }
  EXPECT_EQ(Fetch({gone + "/ok", "", "", ""}).code(), Code::kUnavailable);
  EXPECT_EQ(Fetch({"http://192.0.2.1/ok", "", "", ""}).code(), Code::kInvalidArgument);
  EXPECT_EQ(Fetch({"file:///etc/passwd", "", "", ""}).code(), Code::kInvalidArgument);
}

// A file that goes with the test.
struct PemFile {
  explicit PemFile(const std::string& text) {
    path = testing::TempDir() + "ferry_oidc_XXXXXX";
    const int file = mkstemp(path.data());
    EXPECT_GE(file, 0);
    EXPECT_EQ(::write(file, text.data(), text.size()), static_cast<ssize_t>(text.size()));
    ::close(file);
  }
  ~PemFile() { ::unlink(path.c_str()); }
  std::string path;
};

TEST(Fetch, TlsBelievesAnAuthorityAndTheNameThatWasCalled) {
  const net::CertificateAndKey authority = *net::MakeAuthority("a test", 10);
  const net::CertificateAndKey other = *net::MakeAuthority("another", 10);
  const PemFile ca(authority.certificate_pem), stranger(other.certificate_pem);
  for (const char* name : {"127.0.0.1", "issuer.example"}) {
    const net::CertificateAndKey own = *net::MakeServerCertificate(authority, {name}, 10);
    const PemFile chain(own.certificate_pem), key(own.private_key_pem);
    Loopback loopback(std::make_unique<httplib::SSLServer>(chain.path.c_str(), key.path.c_str()),
                      "https");
    const std::string url = loopback.base + "/ok";
    const bool right = std::string(name) == "127.0.0.1";
    EXPECT_EQ(Fetch({url, "", "", ca.path}).ok(), right) << name;
    EXPECT_EQ(Fetch({url, "", "", ""}).code(), Code::kUnavailable);
    EXPECT_THAT(Fetch({url, "", "", stranger.path}).status().message(), HasSubstr("no answer"));
  }
}

}  // namespace
}  // namespace ferry::server::oidc
