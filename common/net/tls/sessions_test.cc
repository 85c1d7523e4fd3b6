// TLS sessions that are taken up again.
#include "common/net/tls/sessions.h"

#include "common/net/dial.h"
#include "common/net/io/io_impl.h"
#include "common/net/test_support.h"

namespace ferry::net {
namespace {

class SessionsTest : public NetTest {
 protected:
  SessionsTest() { greeting_ = ToBytes(AsBytes("hello")); }

  // Connects, and reads a byte so that the ticket before it is seen. Whether the handshake was a
  // short one.
  Result<bool> Resumes(const ClientOptions& options = {}) {
    auto line = std::make_shared<Line>();
    line->context = context_;
    line->stream = std::make_shared<Stream>(tcp::socket(asio::make_strand(io_.impl().context)),
                                            context_->native_handle());
    line->watchdog = std::make_shared<Watchdog>(line->stream);
    Waiter<Result<bool>> done;
    Spawn(line->stream->get_executor(), Run(line, endpoint_, options, &done), "testing");
    return done.Take();
  }

  Context context_ = MakeClientContext({TestAuthority().certificate_pem}).value();

 private:
  static asio::awaitable<void> Run(std::shared_ptr<Line> line, sys::Endpoint to,
                                   ClientOptions options, Waiter<Result<bool>>* done) {
    const Status status = co_await Connect(line, to, kFrameProtocol, options);
    line->watchdog->Stop();
    if (!status.ok()) {
      done->Set(status);
      co_return;
    }
    uint8_t byte = 0;
    auto [error, got] = co_await line->stream->async_read_some(asio::buffer(&byte, 1), kUse);
    const bool resumed = SSL_session_reused(line->stream->native_handle()) == 1;
    CloseSocket(*line->stream);
    if (error) {
      done->Set(Status(Code::kUnavailable, error.message()));
    } else {
      done->Set(resumed);
    }
  }
};

TEST_F(SessionsTest, TheSecondHandshakeIsShort) {
  StartServer();
  EXPECT_EQ(Resumes().value(), false);
  EXPECT_EQ(Resumes().value(), true);
  EXPECT_EQ(Resumes().value(), true);
  ClientOptions whole;
  whole.resume = false;
  EXPECT_EQ(Resumes(whole).value(), false);
}

TEST_F(SessionsTest, AlsoAfterAStartOfTheServer) {
  StartServer();
  EXPECT_EQ(Resumes().value(), false);
  server_.reset();
  StartServer();
  EXPECT_EQ(Resumes().value(), true);
}

// Nodes of one server are copies of it, at addresses of their own.
TEST_F(SessionsTest, AlsoAtAnotherNodeOfTheServer) {
  StartServer();
  EXPECT_EQ(Resumes().value(), false);
  const sys::Endpoint first = endpoint_;
  const auto first_server = std::move(server_);
  endpoint_.port = 0;
  StartServer();
  ASSERT_NE(endpoint_.port, first.port);
  EXPECT_EQ(Resumes().value(), true);
}

// The session would be taken up, and no certificate looked at.
TEST_F(SessionsTest, NotUnderANameThatTheCertificateDoesNotHave) {
  StartServer();
  EXPECT_EQ(Resumes().value(), false);
  endpoint_.host = "localhost";
  EXPECT_EQ(Resumes().code(), Code::kUntrustedServer);
}

TEST_F(SessionsTest, AServerWithAnotherKeyIsJudgedAnew) {
  StartServer();
  EXPECT_EQ(Resumes().value(), false);
  server_.reset();
  certificate_ =
      MakeServerCertificate(MakeAuthority("another", 30).value(), {"127.0.0.1"}, 30).value();
  StartServer();
  EXPECT_EQ(Resumes().code(), Code::kUntrustedServer);
}

TEST(Sessions, ForgetsRatherThanGrows) {
  Sessions sessions;
  const auto any = [](X509*) { return true; };
  EXPECT_EQ(sessions.Find("a", any), nullptr);
  const OpensslPtr<SSL_SESSION> session(SSL_SESSION_new());
  for (size_t i = 0; i < 10 * kMaxKeptSessions; ++i) {
    sessions.Keep(std::to_string(i), session.get());
  }
  EXPECT_EQ(sessions.Find("1", any), nullptr);  // a session without a ticket does not count anyway
}

}  // namespace
}  // namespace ferry::net
