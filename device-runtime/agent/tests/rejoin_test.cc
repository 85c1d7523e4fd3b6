// A server that came back from a backup and lacks this device.
#include "common/base/json.h"
#include "device-runtime/agent/tests/fixture.h"

namespace ferry::agent {
namespace {

struct Rejoin : testing::Test {
  void SetUp() override {
    ASSERT_TRUE(f.Start().ok());
    ASSERT_TRUE(f.Until([&] { return f.agent->connected(); }));
    f.gateway.Publish("1.0.0", 1, "good");
    f.gateway.Sign();
    f.gateway.Assign("1.0.0");
    ASSERT_TRUE(f.UntilStep(Step::kConfirmed, "1.0.0"));
    id = f.gateway.device;
  }
  void Forget() {
    f.gateway.device.clear();
    f.network.SetReachable("server", false);
    ASSERT_TRUE(f.Until([&] { return !f.agent->connected(); }));
    f.network.SetReachable("server", true);
  }
  std::string LastError() {
    return f.agent->StatusJson()["last_error"].value("text", std::string());
  }

  Fixture f;
  std::string id;
};

TEST_F(Rejoin, UnderItsKeyWithATokenAndGoesOn) {
  Forget();
  ASSERT_TRUE(f.Until([&] { return f.agent->connected(); }));
  EXPECT_EQ(f.gateway.device, id);
  EXPECT_EQ(f.Version(), "1.0.0");
  ASSERT_TRUE(f.outbox->Append({{"s", 1, "{}"}}).ok());
  ASSERT_TRUE(f.Until([&] { return f.outbox->stats().waiting == 0; }));
  // Known again: a token that was used up since then does not matter.
  f.token.secret[0] ^= 1;
  f.Kill();
  ASSERT_TRUE(f.Start().ok());
  ASSERT_TRUE(f.Until([&] { return f.agent->connected(); }));
}

TEST_F(Rejoin, WithoutATokenItSaysWhatToDo) {
  f.Kill();
  f.give_token = false;
  ASSERT_TRUE(f.Start().ok());
  ASSERT_TRUE(f.Until([&] { return f.agent->connected(); }));
  Forget();
  f.world.RunFor(60'000);
  EXPECT_FALSE(f.agent->connected());
  EXPECT_EQ(f.agent->StatusJson()["mode"], "local_only");
  EXPECT_EQ(f.LastErrorName(), "not_found");
  EXPECT_NE(LastError().find("--join"), std::string::npos) << LastError();
  EXPECT_EQ(f.Version(), "1.0.0");
  f.Event();
  f.world.RunFor(1'000);
  EXPECT_EQ(f.outcomes.size(), 1u);
  f.Kill();
  f.give_token = true;
  ASSERT_TRUE(f.Start().ok());
  ASSERT_TRUE(f.Until([&] { return f.agent->connected(); }));
  EXPECT_EQ(f.gateway.device, id);
}

TEST_F(Rejoin, ATokenOfAnotherServerIsNotUsed) {
  f.Kill();
  f.token.authority = "sha256:" + std::string(64, '1');
  ASSERT_TRUE(f.Start().ok());
  ASSERT_TRUE(f.Until([&] { return f.agent->connected(); }));
  Forget();
  f.world.RunFor(60'000);
  EXPECT_FALSE(f.agent->connected());
  EXPECT_EQ(f.gateway.device, "");
}

}  // namespace
}  // namespace ferry::agent
