// Which servers a client believes.
#include "common/net/authority.h"
#include "common/net/door_tls.h"
#include "common/net/test_support.h"
#include "common/sys/clock.h"

namespace ferry::net {
namespace {

using TrustTest = NetTest;

TEST_F(TrustTest, ThePinnedHashIsEnough) {
  StartServer();
  const std::string pin = *CertificatePin(TestAuthority().certificate_pem);
  EXPECT_EQ(pin.substr(0, 7), "sha256:");
  MakeDialer({pin});
  EXPECT_TRUE(Dial().ok());
}

TEST_F(TrustTest, ACertificateSaysHowLongItIsValid) {
  const int64_t now_ms = sys::SystemClock().NowUnixMs(), day_ms = 86'400'000;
  const auto made = MakeAuthority("Some", 30);
  const int64_t left_ms = *CertificateExpiresMs(made->certificate_pem) - now_ms;
  EXPECT_GT(left_ms, 30 * day_ms - day_ms / 10);
  EXPECT_LT(left_ms, 30 * day_ms + day_ms / 10);
  EXPECT_EQ(CertificateExpiresMs("no PEM").code(), Code::kInvalidArgument);
}

// Where a door has a certificate of somebody else's, the certificate itself can be pinned.
TEST_F(TrustTest, TheServersOwnCertificateMayBePinned) {
  const auto identity = MakeServerCertificate(TestAuthority(), {"127.0.0.1"}, 30);
  ServerOptions options;
  options.certificate_pem = identity->certificate_pem;
  options.private_key_pem = identity->private_key_pem;
  auto server = TlsServer::Start(io_, {server_executor_.get()}, options, nullptr,
                                 [](std::unique_ptr<sys::FrameChannel>, sys::Executor&) {});
  ASSERT_TRUE(server.ok());
  endpoint_ = {"127.0.0.1", (*server)->port()};
  MakeDialer({*CertificatePin(identity->certificate_pem)});
  EXPECT_TRUE(Dial().ok());
}

TEST_F(TrustTest, AnotherAuthorityIsRefused) {
  StartServer();
  const auto other = MakeAuthority("Someone else", 30);
  ASSERT_TRUE(other.ok());
  for (const std::string& authority :
       {other->certificate_pem, *CertificatePin(other->certificate_pem)}) {
    MakeDialer({authority});
    const Status status = Dial();
    EXPECT_EQ(status.code(), Code::kUntrustedServer) << status.ToString();
    EXPECT_NE(status.message().find("127.0.0.1"), std::string::npos);
    Bytes got;
    EXPECT_EQ(Fetch("/c", 0, &got).code(), Code::kUntrustedServer);
  }
}

// The pinned hash is public: sending the real authority along proves nothing.
TEST_F(TrustTest, AForgedChainIsRefused) {
  const auto forger = MakeAuthority("Ferry test authority", 30);
  const auto forged = MakeServerCertificate(*forger, {"127.0.0.1"}, 30);
  ServerOptions options;
  const size_t leaf_end = forged->certificate_pem.find("-----BEGIN", 10);
  options.certificate_pem =
      forged->certificate_pem.substr(0, leaf_end) + TestAuthority().certificate_pem;
  options.private_key_pem = forged->private_key_pem;
  auto server = TlsServer::Start(io_, {server_executor_.get()}, options, nullptr,
                                 [](std::unique_ptr<sys::FrameChannel>, sys::Executor&) {});
  ASSERT_TRUE(server.ok());
  endpoint_ = {"127.0.0.1", (*server)->port()};
  MakeDialer({*CertificatePin(TestAuthority().certificate_pem)});
  EXPECT_EQ(Dial().code(), Code::kUntrustedServer);
}

// An authority is replaced: clients that know the new one are shown it, all others the one before,
// and who believes the new one alone is not taken in by the one before.
TEST_F(TrustTest, EachClientIsShownTheAuthorityThatItBelieves) {
  const auto before = MakeAuthority("Same name", 30), after = MakeAuthority("Same name", 30);
  const auto old_chain = MakeServerCertificate(*before, {"127.0.0.1"}, 30);
  const auto new_chain = MakeServerCertificate(*after, {"127.0.0.1"}, 30);
  const std::string old_pin = *CertificatePin(before->certificate_pem);
  const std::string new_pin = *CertificatePin(after->certificate_pem);
  ServerOptions options;
  options.certificate_pem = old_chain->certificate_pem;
  options.private_key_pem = old_chain->private_key_pem;
  auto server = TlsServer::Start(io_, {server_executor_.get()}, options, nullptr,
                                 [](std::unique_ptr<sys::FrameChannel>, sys::Executor&) {});
  ASSERT_TRUE(server.ok());
  endpoint_ = {"127.0.0.1", (*server)->port()};
  MakeDialer({old_pin});
  EXPECT_TRUE(Dial().ok());
  ASSERT_TRUE(dialer_->Believe({new_pin}).ok());
  EXPECT_EQ(Dial().code(), Code::kUntrustedServer);

  options.further = {*new_chain};
  ASSERT_TRUE((*server)->UseCertificates(options).ok());
  EXPECT_TRUE(Dial().ok()) << "the new one alone";
  MakeDialer({old_pin});
  EXPECT_TRUE(Dial().ok()) << "the one before alone";
  MakeDialer({old_pin});
  ASSERT_TRUE(dialer_->Believe({new_pin, old_pin}).ok());
  EXPECT_TRUE(Dial().ok()) << "both";
  EXPECT_EQ(dialer_->Believe({"sha256:12"}).code(), Code::kInvalidArgument);
  EXPECT_TRUE(Dial().ok()) << "what was no authority changes nothing";

  // The one before is retired.
  options = {};
  options.certificate_pem = new_chain->certificate_pem;
  options.private_key_pem = new_chain->private_key_pem;
  ASSERT_TRUE((*server)->UseCertificates(options).ok());
  EXPECT_TRUE(Dial().ok());
  MakeDialer({old_pin});
  EXPECT_EQ(Dial().code(), Code::kUntrustedServer);
  options.further = {{new_chain->certificate_pem, old_chain->private_key_pem}};
  EXPECT_EQ((*server)->UseCertificates(options).code(), Code::kInvalidArgument);
}

TEST_F(TrustTest, TheCertificateMustNameTheHost) {
  StartServer({}, {"ferry.example", "10.0.0.1"});
  MakeDialer();
  const Status status = Dial();
  EXPECT_EQ(status.code(), Code::kUntrustedServer);
  EXPECT_NE(status.message().find("does not name this host"), std::string::npos);
}

TEST_F(TrustTest, NamesAndAddressesWork) {
  StartServer({}, {"localhost", "127.0.0.1"});
  MakeDialer();
  EXPECT_TRUE(Dial().ok());
  endpoint_.host = "localhost";
  EXPECT_TRUE(Dial().ok());
}

TEST_F(TrustTest, BadOptionsAreNamed) {
  ClientOptions options;
  for (const char* authority : {"", "junk", "sha256:", "sha256:zz", "sha256:aabb"}) {
    options.authority = authority;
    EXPECT_EQ(MakeTlsDialer(io_, *client_executor_, options).code(), Code::kInvalidArgument);
  }
  ServerOptions server;
  auto start = [&] {
    return TlsServer::Start(io_, {server_executor_.get()}, server, nullptr, nullptr).code();
  };
  EXPECT_EQ(start(), Code::kInvalidArgument);
  const auto one = MakeServerCertificate(TestAuthority(), {"a"}, 1);
  const auto two = MakeServerCertificate(TestAuthority(), {"a"}, 1);
  server.certificate_pem = one->certificate_pem;
  server.private_key_pem = two->private_key_pem;
  EXPECT_EQ(start(), Code::kInvalidArgument);
  server.private_key_pem = one->private_key_pem;
  server.listen.host = "not an address";
  EXPECT_EQ(start(), Code::kInvalidArgument);
}

TEST_F(TrustTest, ATakenPortIsNamed) {
  StartServer();
  const auto one = MakeServerCertificate(TestAuthority(), {"a"}, 1);
  ServerOptions options;
  options.listen = endpoint_;
  options.certificate_pem = one->certificate_pem;
  options.private_key_pem = one->private_key_pem;
  const auto second = TlsServer::Start(io_, {server_executor_.get()}, options, nullptr, nullptr);
  EXPECT_EQ(second.code(), Code::kUnavailable);
}

TEST(Pins, AsPeopleCopyThem) {
  const std::string digits(64, 'a');
  for (const std::string& text :
       {digits, "sha256:" + digits, std::string(64, 'A'), "sha256:" + std::string(64, 'A')}) {
    const auto pin = ParsePin(text);
    ASSERT_TRUE(pin.ok()) << text;
    EXPECT_EQ(*pin, "sha256:" + digits);
  }
  for (const std::string& text : {std::string(), std::string("sha256:"), digits + "a",
                                  std::string("sha1:") + digits, "-----BEGIN " + digits})
    EXPECT_EQ(ParsePin(text).code(), Code::kInvalidArgument) << text;
}

TEST(Certificates, DoorsWantBothHalves) {
  const auto one = MakeServerCertificate(TestAuthority(), {"a"}, 1);
  const auto two = MakeServerCertificate(TestAuthority(), {"a"}, 1);
  EXPECT_TRUE(MakeDoorTls(*one).ok());
  EXPECT_EQ(MakeDoorTls({one->certificate_pem, two->private_key_pem}).code(),
            Code::kInvalidArgument);
  EXPECT_EQ(MakeDoorTls({"junk", one->private_key_pem}).code(), Code::kInvalidArgument);
}

TEST(Certificates, NamesWithoutAddresses) {
  const auto one = MakeServerCertificate(TestAuthority(), {"a.example", "127.0.0.1", "b"}, 1);
  EXPECT_EQ(*CertificateNames(one->certificate_pem), (std::vector<std::string>{"a.example", "b"}));
  EXPECT_TRUE(CertificateNames(TestAuthority().certificate_pem)->empty());
  EXPECT_EQ(CertificateNames("junk").code(), Code::kInvalidArgument);
}

TEST(Certificates, BadInput) {
  EXPECT_EQ(MakeAuthority("x", 0).code(), Code::kInvalidArgument);
  EXPECT_EQ(MakeServerCertificate(TestAuthority(), {}, 1).code(), Code::kInvalidArgument);
  EXPECT_EQ(MakeServerCertificate(TestAuthority(), {"a,DNS:b"}, 1).code(), Code::kInvalidArgument);
  EXPECT_EQ(MakeServerCertificate({"junk", "junk"}, {"a"}, 1).code(), Code::kInvalidArgument);
  EXPECT_TRUE(MakeServerCertificate(TestAuthority(), {"::1", "a.example"}, 1).ok());
  EXPECT_EQ(CertificatePin("junk").code(), Code::kInvalidArgument);
}

}  // namespace
}  // namespace ferry::net
