// Packages that stay sealed on the disk: run from there with the key, of no use without it.
#include <algorithm>

#include "device-runtime/agent/tests/fixture.h"

namespace ferry::agent {
namespace {

class SealedAtRest : public testing::Test {
 protected:
  void SetUp() override {
    f.at_rest_tag = 1;
    f.gateway.requires_ = {{"at_rest", "sealed"}};
  }
  void Begin() {
    ASSERT_TRUE(f.Start().ok());
    ASSERT_TRUE(f.Until([&] { return f.agent->connected(); }));
    f.gateway.Publish("1.0.0", 1, "good");
    f.gateway.Publish("2.0.0", 2, "good", "1.0.0", "1.0.0");
    f.gateway.PublishExclusive("1.0.0", "gain", AsBytes(kMarker));
    f.gateway.Delegate("personal/digits/*");
  }
  void Install(const std::string& version, const std::string& release) {
    f.gateway.Want("digits", f.gateway.Run("digits", version, release));
    ASSERT_TRUE(f.UntilReported("digits", Step::kConfirmed));
  }
  // What the task that runs says; "" when none does.
  std::string Runs() {
    f.outcomes.clear();
    f.Event();
    f.world.RunFor(1'000);
    if (f.outcomes.empty()) return "";
    const Json& result = f.outcomes[0].outcome.result;
    return result["version"].get<std::string>() + " " + result.value("gain", "none");
  }
  // Whether a file below `path` has what is in the packages, or in the files for this device.
  bool LiesInPlain(const std::string& path = kState) {
    if (f.disk.Stat(path)->is_directory) {
      const std::vector<std::string> names = f.disk.List(path).value();
      return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
        return LiesInPlain(sys::JoinPath(path, name));
      });
    }
    const Bytes bytes = sys::ReadFile(f.disk, path).value();
    Bytes weights(20'000);
    sys::SeededRandom(7).Fill(weights);
    const std::string piece(AsText(ByteView(weights).subspan(5'000, 32)));
    for (const std::string& what : {piece, std::string("FERRYPKG"), std::string(kMarker)})
      if (AsText(bytes).find(what) != std::string_view::npos) return true;
    return false;
  }
  static constexpr char kPackage[] = "/data/ferry/packages/digits/a/package.fpk";
  static constexpr char kMarker[] = "what must not lie there";

  Fixture f;
};

TEST_F(SealedAtRest, APackageRunsAndNothingOfItLiesInPlain) {
  Begin();
  Install("1.0.0", "r1");
  f.gateway.PutPersonal("own", AsBytes(std::string(kMarker) + " either"));
  f.gateway.WantPersonal();
  ASSERT_TRUE(f.Until([&] { return f.agent->StatusJson()["personal"].size() == 1; }));
  EXPECT_EQ(Runs(), std::string("1.0.0 ") + kMarker);
  EXPECT_EQ(f.outcomes[0].outcome.result["own"], std::string(kMarker) + " either");
  EXPECT_FALSE(LiesInPlain());
  f.Kill();
  f.network.SetReachable("server", false);
  ASSERT_TRUE(f.Start().ok());
  f.world.RunFor(5'000);
  EXPECT_EQ(Runs(), std::string("1.0.0 ") + kMarker);
  EXPECT_FALSE(LiesInPlain());
}

TEST_F(SealedAtRest, WithoutTheRequirementAPackageLiesAsBefore) {
  f.gateway.requires_ = Json::object();
  Begin();
  Install("1.0.0", "r1");
  EXPECT_TRUE(LiesInPlain());
}

TEST_F(SealedAtRest, DeltasAndTheWayBackWorkOnWhatLiesSealed) {
  Begin();
  Install("1.0.0", "r1");
  Install("2.0.0", "r2");
  EXPECT_EQ(Runs(), "2.0.0 none");
  const Json status = f.agent->StatusJson();
  EXPECT_GT(status["bytes"]["delta"], 0);
  const uint64_t served = f.gateway.bytes_served;
  trust::DesiredPackage back = f.gateway.Run("digits", "1.0.0", "r2", 2);
  back.back = true;
  f.gateway.Want("digits", back);
  ASSERT_TRUE(f.UntilReported("digits", Step::kRolledBack));
  EXPECT_EQ(Runs(), std::string("1.0.0 ") + kMarker);
  EXPECT_EQ(f.gateway.bytes_served, served) << "it lay in its slot";
  EXPECT_FALSE(LiesInPlain());
}

TEST_F(SealedAtRest, ACopiedDirectoryRunsNothingUnderAnotherKeyOrNone) {
  Begin();
  Install("1.0.0", "r1");
  f.Kill();
  f.network.SetReachable("server", false);
  for (const std::optional<uint8_t> tag : {std::optional<uint8_t>(2), std::optional<uint8_t>()}) {
    f.at_rest_tag = tag;
    ASSERT_TRUE(f.Start().ok());
    f.world.RunFor(5'000);
    EXPECT_EQ(Runs(), "");
    f.Kill();
  }
  const auto other = crypto::Secret32::From(Bytes(32, 2), "key").value();
  package::AtRest wrong(f.disk, kState, other, f.world.random());
  EXPECT_EQ(wrong.reading().Map(kPackage).code(), Code::kWrongKey);
}

// The device lost its key store: what it had is made anew under the key that it has by then.
TEST_F(SealedAtRest, UnderANewKeyTheVersionIsFetchedAgain) {
  Begin();
  Install("1.0.0", "r1");
  f.Kill();
  f.at_rest_tag = 2;
  ASSERT_TRUE(f.Start().ok());
  ASSERT_TRUE(f.Until([&] { return f.VersionOf("digits") == "1.0.0"; }));
  EXPECT_FALSE(LiesInPlain());
}

TEST_F(SealedAtRest, ADamagedChunkIsNoPackage) {
  Begin();
  Install("1.0.0", "r1");
  f.Kill();
  ASSERT_TRUE(f.disk.Corrupt(kPackage, 17'000, 1).ok());
  f.network.SetReachable("server", false);
  ASSERT_TRUE(f.Start().ok());
  f.world.RunFor(5'000);
  EXPECT_EQ(Runs(), "");
  EXPECT_EQ(f.LastErrorName(), "corrupt_content");
  // It is fetched again.
  f.network.SetReachable("server", true);
  ASSERT_TRUE(f.Until([&] { return f.VersionOf("digits") == "1.0.0"; }));
}

TEST_F(SealedAtRest, ADeviceWithoutAKeySaysSoAndRefuses) {
  f.at_rest_tag.reset();
  bool says = true;
  f.gateway.bend = [&](const proto::Envelope& in, proto::Envelope*) {
    if (in.has_auth()) says = in.auth().profile().at_rest();
    return false;
  };
  Begin();
  EXPECT_FALSE(says);
  f.gateway.Want("digits", f.gateway.Run("digits", "1.0.0", "r1"));
  ASSERT_TRUE(f.UntilReported("digits", Step::kFailed));
  EXPECT_EQ(f.gateway.Failure()->error_code(), static_cast<int>(Code::kUnsupported));
  EXPECT_NE(f.gateway.Failure()->error_text().find("at_rest"), std::string::npos);
  EXPECT_FALSE(LiesInPlain());
}

TEST_F(SealedAtRest, ADeviceWithAKeySaysSo) {
  bool says = false;
  f.gateway.bend = [&](const proto::Envelope& in, proto::Envelope*) {
    if (in.has_auth()) says = in.auth().profile().at_rest();
    return false;
  };
  Begin();
  EXPECT_TRUE(says);
}

}  // namespace
}  // namespace ferry::agent
