// A server that came back from a backup and lacks this device, or knows it by other keys.
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

// New keys of a device that keeps its id and what it is at.
struct NewKeys : testing::Test {
  void SetUp() override { Begin(&f); }
  static void Begin(Fixture* f) {
    ASSERT_TRUE(f->Start().ok());
    ASSERT_TRUE(f->Until([&] { return f->agent->connected(); }));
    f->gateway.Publish("1.0.0", 1, "good");
    f->gateway.Publish("2.0.0", 2, "good", "1.0.0", "1.0.0");
    f->gateway.Sign();
    f->gateway.Want("digits", f->gateway.Run("digits", "1.0.0", "r1"));
    ASSERT_TRUE(f->UntilStep(Step::kConfirmed, "1.0.0"));
  }
  // It is told of a version, and gets it under the keys that the server knows.
  static void Installs(Fixture* f) {
    ASSERT_TRUE(f->Until([&] { return f->agent->connected(); }));
    f->gateway.Want("digits", f->gateway.Run("digits", "2.0.0", "r2"));
    ASSERT_TRUE(f->UntilStep(Step::kConfirmed, "2.0.0"));
  }
  void Restart() {
    f.Kill();
    f.give_token = false;
    ASSERT_TRUE(f.Start().ok());
  }

  Fixture f;
};

TEST_F(NewKeys, CountFromThenOnAndTheIdStays) {
  const std::string id = f.gateway.device;
  const Bytes identity = f.gateway.identity_public, seal = f.gateway.seal_public;
  f.gateway.AskForKeys();
  ASSERT_TRUE(f.Until([&] { return f.gateway.identity_public != identity; }));
  EXPECT_NE(f.gateway.seal_public, seal);
  Installs(&f);
  Restart();
  ASSERT_TRUE(f.Until([&] { return f.agent->connected(); }));
  EXPECT_EQ(f.gateway.device, id);
  EXPECT_EQ(LoadIdentity(f.disk, kState)->device_id, id);
  EXPECT_FALSE(LoadIdentity(f.disk, kState)->next);
  // And once more.
  const Bytes second = f.gateway.identity_public;
  f.gateway.AskForKeys();
  ASSERT_TRUE(f.Until([&] { return f.gateway.identity_public != second; }));
  Restart();
  ASSERT_TRUE(f.Until([&] { return f.agent->connected(); }));
}

TEST_F(NewKeys, ComeWhileAReleaseIsUnderWay) {
  const Bytes identity = f.gateway.identity_public;
  bool asked = false;
  f.gateway.bend = [&](const proto::Envelope& request, proto::Envelope*) {
    // The key of the package is the next thing that it would ask for.
    if (request.has_report() && request.report().step() == proto::Report::PULLED && !asked) {
      asked = true;
      f.gateway.AskForKeys();
    }
    return false;
  };
  Installs(&f);
  EXPECT_TRUE(asked);
  ASSERT_TRUE(f.Until([&] { return f.gateway.identity_public != identity; }));
  EXPECT_EQ(f.gateway.Count(Step::kFailed, "2.0.0"), 0);
}

// The server has them, and its answer is lost with the line, or with the process.
TEST_F(NewKeys, WithoutAnAnswerTheLoginTellsWhichOnesCount) {
  for (const bool restarts : {false, true}) {
    const Bytes identity = f.gateway.identity_public;
    f.gateway.bend = [&](const proto::Envelope& request, proto::Envelope*) {
      if (!request.has_new_keys()) return false;
      f.gateway.identity_public = ToBytes(request.new_keys().identity_public());
      f.gateway.seal_public = ToBytes(request.new_keys().seal_public());
      f.network.SetReachable("server", false);
      return true;
    };
    f.gateway.AskForKeys();
    ASSERT_TRUE(f.Until([&] { return !f.agent->connected(); }));
    ASSERT_NE(f.gateway.identity_public, identity);
    f.gateway.bend = nullptr;
    if (restarts) Restart();
    f.network.SetReachable("server", true);
    ASSERT_TRUE(f.Until([&] { return f.agent->connected(); })) << restarts;
    EXPECT_FALSE(LoadIdentity(f.disk, kState)->next);
  }
  Installs(&f);
}

// And never heard of them: those of before are its own again.
TEST_F(NewKeys, AServerThatWasRestoredKnowsItByTheOnesOfBefore) {
  const Bytes identity = f.gateway.identity_public, seal = f.gateway.seal_public;
  f.gateway.AskForKeys();
  ASSERT_TRUE(f.Until([&] { return f.gateway.identity_public != identity; }));
  f.world.RunFor(1'000);
  f.gateway.identity_public = identity;
  f.gateway.seal_public = seal;
  Restart();
  ASSERT_TRUE(f.Until([&] { return f.agent->connected(); }));
  Installs(&f);
  // It is asked again, as the rows say.
  f.gateway.AskForKeys();
  ASSERT_TRUE(f.Until([&] { return f.gateway.identity_public != identity; }));
  Restart();
  ASSERT_TRUE(f.Until([&] { return f.agent->connected(); }));
}

TEST_F(NewKeys, AServerThatForgotItNamesItByTheOnesThatItHas) {
  const Bytes identity = f.gateway.identity_public;
  const std::string id = f.gateway.device;
  f.gateway.AskForKeys();
  ASSERT_TRUE(f.Until([&] { return f.gateway.identity_public != identity; }));
  f.world.RunFor(1'000);
  f.gateway.device.clear();
  f.Kill();
  ASSERT_TRUE(f.Start().ok());
  ASSERT_TRUE(f.Until([&] { return f.agent->connected(); }));
  EXPECT_NE(f.gateway.device, id);
  Restart();
  ASSERT_TRUE(f.Until([&] { return f.agent->connected(); }));
}

// Whenever the power goes, it comes back by a pair that the server knows.
TEST(NewKeysPower, IsCutAtEveryChangeOfTheDisk) {
  for (uint64_t nth = 1;; ++nth) {
    Fixture f(nth);
    NewKeys::Begin(&f);
    if (testing::Test::HasFatalFailure()) return;
    const Bytes identity = f.gateway.identity_public;
    uint64_t left = nth;
    bool cut = false;
    f.disk.SetFault([&](const char*, const std::string& path) {
      if (!cut && --left > 0) return OkStatus();
      cut = true;
      return Status::Of(Code::kIo, "{}: the power is gone", path);
    });
    f.gateway.AskForKeys();
    f.Until([&] { return cut; }, 5'000);
    f.Kill();
    f.disk.SetFault(nullptr);
    if (!cut) {
      EXPECT_GT(nth, 10u);
      EXPECT_NE(f.gateway.identity_public, identity);
      return;
    }
    f.disk.CutPower(&f.world.random());
    f.give_token = false;
    ASSERT_TRUE(f.Start().ok()) << "cut at " << nth;
    ASSERT_TRUE(f.Until([&] { return f.agent->connected(); })) << "cut at " << nth;
    NewKeys::Installs(&f);
    if (testing::Test::HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace ferry::agent
