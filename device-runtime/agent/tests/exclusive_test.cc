// Files for this device alone belong to the version that they came with: they are switched with it
// and go back with it.
#include "device-runtime/agent/tests/fixture.h"

namespace ferry::agent {
namespace {

class Exclusive : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(f.Start().ok());
    ASSERT_TRUE(f.Until([&] { return f.agent->connected(); }));
    Publish("1.0.0", 1, "good", "one");
  }
  void Publish(const std::string& version, int64_t counter, const std::string& behaviour,
               const std::string& gain, const std::string& fallback = "") {
    f.gateway.Publish(version, counter, behaviour, "", fallback);
    if (!gain.empty()) f.gateway.PublishExclusive(version, "gain", AsBytes(gain));
    f.gateway.Sign();
  }
  void Want(const std::string& version, const std::string& release, bool back = false) {
    trust::DesiredPackage wish = f.gateway.Run("digits", version, release, ++attempt_);
    wish.back = back;
    f.gateway.Want("digits", wish);
  }
  void Install(const std::string& version, const std::string& release) {
    Want(version, release);
    ASSERT_TRUE(f.UntilReported("digits", Step::kConfirmed));
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

  Fixture f;
  int64_t attempt_ = 0;
};

TEST_F(Exclusive, AFailedProbeLeavesThoseOfTheRunningVersion) {
  Install("1.0.0", "r1");
  EXPECT_EQ(Runs(), "1.0.0 one");
  Publish("2.0.0", 2, "probe", "two", "1.0.0");
  Want("2.0.0", "r2");
  ASSERT_TRUE(f.UntilReported("digits", Step::kFailed));
  EXPECT_EQ(Runs(), "1.0.0 one");
  f.Kill();
  ASSERT_TRUE(f.Start().ok());
  f.world.RunFor(5'000);
  EXPECT_EQ(Runs(), "1.0.0 one");
}

TEST_F(Exclusive, TheyGoBackWithTheirVersion) {
  Install("1.0.0", "r1");
  Publish("2.0.0", 2, "good", "two", "1.0.0");
  Install("2.0.0", "r2");
  EXPECT_EQ(Runs(), "2.0.0 two");
  const uint64_t served = f.gateway.bytes_served;
  Want("1.0.0", "r2", true);
  ASSERT_TRUE(f.UntilReported("digits", Step::kRolledBack));
  EXPECT_EQ(Runs(), "1.0.0 one");
  EXPECT_EQ(f.gateway.bytes_served, served) << "they lay in their slot";
  EXPECT_EQ(f.agent->StatusJson()["exclusive"], Json::array({"digits/gain"}));
}

// A server of the first release names no files on the way back.
TEST_F(Exclusive, TheyGoBackWithTheirVersionByAnAssignment) {
  const auto path = [](const char* version) {
    return trust::ExclusivePath("digits", version, "gain");
  };
  f.gateway.Assign("1.0.0", trust::Action::kInstall, {path("1.0.0")});
  ASSERT_TRUE(f.UntilStep(Step::kConfirmed, "1.0.0"));
  Publish("2.0.0", 2, "good", "two", "1.0.0");
  f.gateway.Assign("2.0.0", trust::Action::kInstall, {path("2.0.0")});
  ASSERT_TRUE(f.UntilStep(Step::kConfirmed, "2.0.0"));
  EXPECT_EQ(Runs(), "2.0.0 two");
  f.gateway.Assign("1.0.0", trust::Action::kRollback);
  ASSERT_TRUE(f.UntilStep(Step::kRolledBack, "1.0.0"));
  EXPECT_EQ(Runs(), "1.0.0 one");
}

TEST_F(Exclusive, AVersionWithoutAnyHasNoneOfTheOneBefore) {
  Install("1.0.0", "r1");
  Publish("2.0.0", 2, "good", "");
  Publish("3.0.0", 3, "good", "");
  Install("2.0.0", "r2");
  EXPECT_EQ(Runs(), "2.0.0 none");
  Install("3.0.0", "r3");  // into the slot that 1.0.0 had
  EXPECT_EQ(Runs(), "3.0.0 none");
  EXPECT_EQ(f.agent->StatusJson()["exclusive"], Json::array());
}

TEST_F(Exclusive, AChangedSetIsSwitchedTo) {
  Install("1.0.0", "r1");
  for (const char* gain : {"other", "third"}) {
    f.gateway.PublishExclusive("1.0.0", "gain", AsBytes(gain));
    f.gateway.PublishExclusive("1.0.0", "second", AsBytes("here"));
    f.gateway.Sign();
    Install("1.0.0", "r2");
    EXPECT_EQ(Runs(), std::string("1.0.0 ") + gain);
    EXPECT_EQ(f.outcomes[0].outcome.result["second"], "here");
  }
  f.Kill();
  ASSERT_TRUE(f.Start().ok());
  f.world.RunFor(5'000);
  EXPECT_EQ(Runs(), "1.0.0 third");
  const std::string slot = std::string(kState) + "/packages/digits/a";
  EXPECT_EQ(f.disk.List(slot).value(), (std::vector<std::string>{"files", "package.fpk"}));
}

// The same wish, but a file of it is gone.
TEST_F(Exclusive, ALostFileComesAgainWithTheNextDocument) {
  Install("1.0.0", "r1");
  ASSERT_TRUE(f.disk.RemoveTree(std::string(kState) + "/packages/digits/a/files").ok());
  f.gateway.Want("none", {.state = trust::DesiredState::kAbsent, .release = "r2"});
  ASSERT_TRUE(f.UntilReported("digits", Step::kConfirmed));
  EXPECT_EQ(Runs(), "1.0.0 one");
}

TEST_F(Exclusive, ThoseOfTheFirstReleaseAreMovedIntoTheirSlot) {
  f.gateway.Assign("1.0.0");
  ASSERT_TRUE(f.UntilStep(Step::kConfirmed, "1.0.0"));
  f.Kill();
  const std::string old = std::string(kState) + "/exclusive/digits";
  ASSERT_TRUE(f.disk.MakeDirectories(old).ok());
  ASSERT_TRUE(sys::WriteFileAtomically(f.disk, old + "/gain", AsBytes("old")).ok());
  ASSERT_TRUE(f.Start().ok());
  f.world.RunFor(5'000);
  EXPECT_EQ(Runs(), "1.0.0 old");
  EXPECT_FALSE(sys::Exists(f.disk, old));
  EXPECT_EQ(f.agent->StatusJson()["exclusive"], Json::array({"digits/gain"}));
}

TEST_F(Exclusive, TheAppReadsThem) {
  Install("1.0.0", "r1");
  Result<Bytes> read = Status(Code::kInternal, "no answer");
  const auto ask = [&](const char* package, const char* name) {
    f.agent->ReadFile(package, name, [&](Result<Bytes> file) { read = std::move(file); });
    f.world.RunFor(100);
    return read.ok() ? std::string(AsText(*read)) : std::string(InfoOf(read.code()).name);
  };
  EXPECT_EQ(ask("digits", "gain"), "one");
  EXPECT_EQ(ask("digits", "other"), "not_found");
  EXPECT_EQ(ask("other", "gain"), "not_found");
}

}  // namespace
}  // namespace ferry::agent
