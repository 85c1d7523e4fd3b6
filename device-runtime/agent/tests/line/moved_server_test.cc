// The root says where the server is and what it is believed by.
#include "device-runtime/agent/tests/fixture.h"

namespace ferry::agent {
namespace {

using testing::Test;

std::string Pin(char digit) {
  return "sha256:" + std::string(64, digit);
}

// Notes what the agent believes, and refuses to reach a server of another authority.
class JudgingDialer : public sys::Dialer {
 public:
  JudgingDialer(std::unique_ptr<sys::Dialer> inner, std::vector<std::string>* believed,
                const std::string* shown, sys::Executor& executor)
      : inner_(std::move(inner)), believed_(*believed), shown_(*shown), executor_(executor) {}

  Status Believe(const std::vector<std::string>& authorities) override {
    believed_ = authorities;
    return OkStatus();
  }
  void Dial(const sys::Endpoint& to, OnDial done) override {
    if (std::find(believed_.begin(), believed_.end(), shown_) != believed_.end())
      return inner_->Dial(to, std::move(done));
    executor_.Post([done = std::move(done)] { done(Status(Code::kUntrustedServer, "another")); });
  }
  void Fetch(const sys::Endpoint& to, const std::string& path, uint64_t offset,
             const std::string& authorization, OnData data, OnDone done, OnMoved moved) override {
    inner_->Fetch(to, path, offset, authorization, std::move(data), std::move(done),
                  std::move(moved));
  }

 private:
  std::unique_ptr<sys::Dialer> inner_;
  std::vector<std::string>& believed_;
  const std::string& shown_;
  sys::Executor& executor_;
};

struct MovedServer : Test {
  void SetUp() override {
    f.wrap_dialer = [this](std::unique_ptr<sys::Dialer> inner) {
      return std::make_unique<JudgingDialer>(std::move(inner), &believed, &shown, *f.executor);
    };
    shown = f.token.authority;
    ASSERT_TRUE(f.Start().ok());
    ASSERT_TRUE(f.Until([&] { return f.agent->connected(); }));
    f.gateway.Publish("1.0.0", 1, "good");
    f.gateway.Publish("2.0.0", 2, "good");
    f.gateway.Sign();
    f.gateway.Assign("1.0.0");
    ASSERT_TRUE(f.UntilStep(Step::kConfirmed, "1.0.0"));
    EXPECT_EQ(believed, std::vector<std::string>{f.token.authority});
  }
  // The next root says it; devices hear of the root.
  void Say(const trust::Line& line) {
    f.gateway.root.line = line;
    f.gateway.RotateKeys();
    f.gateway.WakeForRoot();
    ASSERT_TRUE(f.Until([&] { return LoadIdentity(f.disk, kState)->line == line; }));
  }
  void Restart() {
    f.Kill();
    f.give_token = false;
    ASSERT_TRUE(f.Start().ok());
  }

  Fixture f;
  std::vector<std::string> believed;
  std::string shown;
};

TEST_F(MovedServer, IsBelievedByWhatTheRootSays) {
  Say({{Pin('2'), f.token.authority}, {}});
  EXPECT_EQ(believed, (std::vector<std::string>{Pin('2'), f.token.authority}));
  shown = Pin('2');
  Restart();
  ASSERT_TRUE(f.Until([&] { return f.agent->connected(); })) << "over a restart too";
  Say({{Pin('2')}, {}});
  // The one that was retired is believed no longer, not even by a device that lost what it trusted.
  f.Kill();
  for (const char* copy : {"/trust.json", "/trust.json.2"})
    ASSERT_TRUE(sys::WriteFileAtomically(f.disk, std::string(kState) + copy, AsBytes("?")).ok());
  shown = f.token.authority;
  ASSERT_TRUE(f.Start().ok());
  f.world.RunFor(60'000);
  EXPECT_FALSE(f.agent->connected());
  EXPECT_EQ(f.LastErrorName(), "untrusted_server");
  shown = Pin('2');
  ASSERT_TRUE(f.Until([&] { return f.agent->connected(); }));
  f.gateway.Assign("2.0.0");
  ASSERT_TRUE(f.UntilStep(Step::kConfirmed, "2.0.0"));
  EXPECT_EQ(believed, std::vector<std::string>{Pin('2')}) << "walked up from the pinned root";
}

TEST_F(MovedServer, IsFoundAtItsNextAddress) {
  const sys::Endpoint moved{"elsewhere", 8443};
  Say({{}, {"nowhere:1", trust::AddressToText(moved)}});
  EXPECT_EQ(believed, std::vector<std::string>{f.token.authority});
  f.network.StopListening(kServer);
  f.network.CutChannels("server");
  f.network.Listen(
      moved, *f.server_executor, [&](auto channel) { f.gateway.Accept(std::move(channel)); },
      &f.gateway);
  ASSERT_TRUE(f.Until([&] { return !f.agent->connected(); }));
  ASSERT_TRUE(f.Until([&] { return f.agent->connected(); }));
  EXPECT_EQ(f.agent->server().host, "elsewhere");
  // Content comes from there as well.
  f.gateway.Assign("2.0.0");
  ASSERT_TRUE(f.UntilStep(Step::kConfirmed, "2.0.0"));
  // And back to where it joined, which no root has to name.
  f.network.StopListening(moved);
  f.network.Listen(
      kServer, *f.server_executor, [&](auto channel) { f.gateway.Accept(std::move(channel)); },
      &f.gateway);
  f.network.CutChannels("elsewhere");
  Restart();
  ASSERT_TRUE(f.Until([&] { return f.agent->connected(); }));
  EXPECT_EQ(f.agent->server().host, "server");
  f.network.StopListening(kServer);
}

// The first address is of a node that is down; the line stays where it is, at another one.
TEST_F(MovedServer, ContentComesFromWhereTheLineGoes) {
  Say({{}, {"nowhere:1"}});
  EXPECT_EQ(f.agent->server().host, "server");
  f.gateway.Assign("2.0.0");
  ASSERT_TRUE(f.UntilStep(Step::kConfirmed, "2.0.0", 60'000));
}

TEST_F(MovedServer, ATokenOfTheNextAuthorityIsOfThisServer) {
  Say({{Pin('2'), f.token.authority}, {}});
  f.Kill();
  trust::JoinToken token = f.token;
  token.authority = Pin('2');
  EXPECT_FALSE(OpenIdentity(f.disk, kState, token, f.world.random())->rejoin_secret.empty());
  token.authority = Pin('3');
  EXPECT_TRUE(OpenIdentity(f.disk, kState, token, f.world.random())->rejoin_secret.empty());
}

}  // namespace
}  // namespace ferry::agent
