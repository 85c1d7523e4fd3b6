// Files for this device alone that come after publication: beside the version that runs, read by
// its task, never in place of what the package brought.
#include "device-runtime/agent/tests/fixture.h"

namespace ferry::agent {
namespace {

class Personal : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(f.Start().ok());
    ASSERT_TRUE(f.Until([&] { return f.agent->connected(); }));
    f.gateway.Publish("1.0.0", 1, "good");
    f.gateway.Publish("2.0.0", 2, "good", "", "1.0.0");
    f.gateway.Delegate("personal/digits/*");
    f.gateway.Want("digits", f.gateway.Run("digits", "1.0.0", "r1"));
    ASSERT_TRUE(f.UntilReported("digits", Step::kConfirmed));
    EXPECT_EQ(f.gateway.personal_version, 0u);
  }
  void Put(const std::string& name, const std::string& content) {
    f.gateway.PutPersonal(name, AsBytes(content));
  }
  // Gives the device what was put, and starts it anew.
  void Give() {
    f.gateway.WantPersonal();
    ASSERT_TRUE(f.Until([&] {
      return f.agent->StatusJson()["epoch"] == f.gateway.assignment.counter;
    })) << f.agent->StatusJson().dump(1);
    EXPECT_EQ(f.gateway.personal_version, given_) << "as of the poll";
    given_ = static_cast<uint64_t>(f.gateway.personal.version);
    f.Kill();
    ASSERT_TRUE(f.Start().ok());
    f.world.RunFor(2'000);
  }
  // What the task that runs reads, and its version.
  std::string Runs() {
    f.outcomes.clear();
    f.Event();
    f.world.RunFor(1'000);
    if (f.outcomes.size() != 1) return fmt::format("{} outcomes", f.outcomes.size());
    const Json& result = f.outcomes[0].outcome.result;
    return result["version"].get<std::string>() + " " + result.value("gain", "none");
  }
  Json Names() const { return f.agent->StatusJson()["personal"]; }

  Fixture f;
  uint64_t given_ = 0;
};

TEST_F(Personal, ArePutReplacedAndRemoved) {
  EXPECT_EQ(Runs(), "1.0.0 none");
  Put("gain", "one");
  Put("second", "here");
  f.gateway.WantPersonal();
  given_ = static_cast<uint64_t>(f.gateway.personal.version);
  ASSERT_TRUE(f.Until([&] { return Names().size() == 2; }));
  EXPECT_EQ(Runs(), "1.0.0 one");
  const uint64_t served = f.gateway.bytes_served;
  Put("gain", "two");
  Give();
  EXPECT_EQ(Runs(), "1.0.0 two");
  EXPECT_EQ(f.outcomes[0].outcome.result["second"], "here");
  EXPECT_LT(f.gateway.bytes_served - served, 200u) << "only what changed was fetched";
  f.gateway.personal.entries.erase("personal/digits/gain");
  Give();
  EXPECT_EQ(Runs(), "1.0.0 none");
  EXPECT_EQ(Names(), Json::array({"digits/second"}));
  f.gateway.personal.entries.clear();
  Give();
  EXPECT_EQ(Names(), Json::array());
  EXPECT_EQ(f.disk.List(std::string(kState) + "/packages/digits").value().size(), 3u)
      << "current, its copy and the slot";
}

TEST_F(Personal, TheyStayOverVersionsAndRestarts) {
  Put("gain", "mine");
  Give();
  f.gateway.Want("digits", f.gateway.Run("digits", "2.0.0", "r2"));
  ASSERT_TRUE(f.UntilReported("digits", Step::kConfirmed));
  EXPECT_EQ(Runs(), "2.0.0 mine");
  trust::DesiredPackage back = f.gateway.Run("digits", "1.0.0", "r2", 2);
  back.back = true;
  f.gateway.Want("digits", back);
  ASSERT_TRUE(f.UntilReported("digits", Step::kRolledBack));
  EXPECT_EQ(Runs(), "1.0.0 mine");
  f.Kill();
  ASSERT_TRUE(f.Start().ok());
  f.world.RunFor(5'000);
  EXPECT_EQ(Runs(), "1.0.0 mine");
}

TEST_F(Personal, TheyComeWithAPackageThatIsInstalledLater) {
  f.gateway.publishing = "other";
  f.gateway.Publish("1.0.0", 1, "good");
  f.gateway.Delegate("personal/*/*");
  Put("gain", "early");
  Give();
  EXPECT_EQ(Names(), Json::array());
  f.gateway.Want("other", f.gateway.Run("other", "1.0.0", "r3"));
  ASSERT_TRUE(f.UntilReported("other", Step::kConfirmed));
  EXPECT_EQ(Names(), Json::array({"other/gain"}));
  f.gateway.Want("other", {.state = trust::DesiredState::kAbsent, .release = "r4"});
  ASSERT_TRUE(f.UntilReported("other", Step::kConfirmed));
  EXPECT_EQ(Names(), Json::array());
}

// What is wrong with one is reported without a release, so that no gate counts it.
TEST_F(Personal, OneWithANameOfThePackageIsLeftOut) {
  Put("weights", "not those");
  Put("gain", "mine");
  Give();
  EXPECT_EQ(Names(), Json::array({"digits/gain"}));
  const proto::Report* failure = f.gateway.Failure();
  ASSERT_NE(failure, nullptr);
  EXPECT_EQ(failure->error_code(), static_cast<int>(Code::kNotAuthorizedTarget));
  EXPECT_EQ(failure->release_id(), "");
  EXPECT_EQ(Runs(), "1.0.0 mine");
}

// The server had not heard of the key's rotation when it signed.
TEST_F(Personal, ADocumentOfTheKeyBeforeIsAskedForAgainAndKeepsWhatIsThere) {
  Put("gain", "mine");
  Give();
  const trust::SigningKey before = f.gateway.personal_key;
  f.gateway.personal_key = trust::SigningKey::Generate(f.world.random());
  f.gateway.Delegate("personal/digits/*");
  f.gateway.personal_key = before;
  Put("gain", "other");
  f.gateway.WantPersonal();
  ASSERT_TRUE(f.Until([&] { return f.gateway.Failure() != nullptr; }));
  f.world.RunFor(1'000);
  EXPECT_EQ(f.gateway.Failure()->error_code(), static_cast<int>(Code::kBadSignature));
  EXPECT_EQ(Runs(), "1.0.0 mine");
  f.gateway.Delegate("personal/digits/*");
  f.gateway.WantPersonal();
  ASSERT_TRUE(f.Until([&] { return Runs() == "1.0.0 other"; }));
  EXPECT_EQ(f.gateway.personal_version, given_) << "the one that was refused was not noted";
}

TEST_F(Personal, ADocumentThatTargetsDoNotAllowChangesNothing) {
  Put("gain", "mine");
  Give();
  f.gateway.Delegate("personal/digits/*", 100);
  Put("gain", std::string(101, 'x'));
  Give();
  const proto::Report* failure = f.gateway.Failure();
  ASSERT_NE(failure, nullptr);
  EXPECT_EQ(failure->error_code(), static_cast<int>(Code::kLimitExceeded));
  EXPECT_EQ(Runs(), "1.0.0 mine");
  // Packages go on beside it.
  f.gateway.Want("digits", f.gateway.Run("digits", "2.0.0", "r2"));
  ASSERT_TRUE(f.UntilReported("digits", Step::kConfirmed));
  EXPECT_EQ(Runs(), "2.0.0 mine");
}

TEST_F(Personal, DamagedContentIsLeftOutAndReported) {
  Put("gain", "mine");
  Put("second", "whole");
  const std::string sealed =
      "/content/" + ToHex(f.gateway.personal.entries.at("personal/digits/gain").sha256);
  Bytes bytes = sys::ReadFile(f.gateway.disk, sealed).value();
  bytes.back() ^= 1;
  ASSERT_TRUE(sys::WriteFileAtomically(f.gateway.disk, sealed, bytes).ok());
  Give();
  EXPECT_EQ(Names(), Json::array({"digits/second"}));
  ASSERT_NE(f.gateway.Failure(), nullptr);
  EXPECT_EQ(f.gateway.Failure()->release_id(), "");
}

TEST_F(Personal, ALostSetIsAskedForAgain) {
  Put("gain", "mine");
  Give();
  f.Kill();
  ASSERT_TRUE(f.disk.RemoveTree(std::string(kState) + "/packages/digits/personal").ok());
  ASSERT_TRUE(f.Start().ok());
  f.world.RunFor(10'000);
  EXPECT_EQ(Runs(), "1.0.0 mine");
}

TEST_F(Personal, WithoutTheDelegationTheyGo) {
  Put("gain", "mine");
  Give();
  f.gateway.targets.personal.reset();
  f.gateway.Sign();
  f.gateway.Want("digits", f.gateway.Run("digits", "2.0.0", "r2"));
  ASSERT_TRUE(f.UntilReported("digits", Step::kConfirmed));
  EXPECT_EQ(Runs(), "2.0.0 none");
  EXPECT_EQ(Names(), Json::array());
}

TEST_F(Personal, TheAppReadsThem) {
  Put("gain", "mine");
  Give();
  Result<Bytes> read = Status(Code::kInternal, "no answer");
  f.agent->ReadFile("digits", "gain", [&](Result<Bytes> file) { read = std::move(file); });
  f.world.RunFor(100);
  ASSERT_TRUE(read.ok()) << read.status().ToString();
  EXPECT_EQ(AsText(*read), "mine");
}

}  // namespace
}  // namespace ferry::agent
