// Deltas that the server made: named by the director, checked against what offline keys signed.
#include "common/package/artefact.h"
#include "device-runtime/agent/tests/fixture.h"

namespace ferry::agent {
namespace {

class MadeDeltas : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(f.Start().ok());
    ASSERT_TRUE(f.Until([&] { return f.agent->connected(); }));
    f.gateway.Publish("1.0.0", 1, "good");
    f.gateway.Publish("2.0.0", 2, "good", "", "1.0.0");
    f.gateway.Sign();
    f.gateway.Want("digits", f.gateway.Run("digits", "1.0.0", "r1"));
    ASSERT_TRUE(f.UntilReported("digits", Step::kConfirmed));
    made = f.gateway.MakeDelta("2.0.0", "1.0.0");
    f.gateway.bytes_served = 0;
  }
  void Want() {
    trust::DesiredPackage wish = f.gateway.Run("digits", "2.0.0", "r2");
    wish.made = made;
    f.gateway.Want("digits", wish);
  }
  // It comes to run, and is right.
  void ExpectInstalled(bool was_delta) {
    ASSERT_TRUE(f.UntilReported("digits", Step::kConfirmed));
    EXPECT_EQ(f.VersionOf("digits"), "2.0.0");
    EXPECT_EQ(f.gateway.Last("digits")->was_delta(), was_delta);
    EXPECT_EQ(f.gateway.CountOf("digits", Step::kFailed), 0);
    EXPECT_EQ(*sys::ReadFile(f.disk, std::string(kState) + "/packages/digits/b/package.fpk"),
              f.gateway.packages["digits/2.0.0"]);
  }
  uint64_t full_length() const { return f.gateway.targets.entries.at("digits/2.0.0/full").length; }
  void Damage(const std::function<void(Bytes&)>& change) {
    const std::string path = "/content/" + ToHex(made.sha256);
    Bytes bytes = *sys::ReadFile(f.gateway.disk, path);
    change(bytes);
    ASSERT_TRUE(sys::WriteFileAtomically(f.gateway.disk, path, bytes).ok());
  }

  Fixture f;
  trust::MadeDelta made;
};

TEST_F(MadeDeltas, IsInstalled) {
  Want();
  ExpectInstalled(true);
  EXPECT_LT(f.gateway.bytes_served * 10, full_length());
}

TEST_F(MadeDeltas, OneOfAnotherBaseIsLeftAside) {
  made.base_sha256[0] ^= 1;
  Want();
  ExpectInstalled(false);
  EXPECT_EQ(f.gateway.bytes_served, full_length());
}

// The director says what it likes of a delta; what comes out must be what was signed.
TEST_F(MadeDeltas, OneThatMakesAnotherFileIsRefusedAndTheFullOneTaken) {
  Bytes other = f.gateway.packages["digits/2.0.0"];
  other.back() ^= 1;
  const auto sealed =
      package::SealDelta(f.gateway.disk, "/content/new", f.gateway.packages["digits/1.0.0"], other,
                         f.world.random())
          .value();
  made.length = sealed.length;
  made.sha256 = sealed.sha256;
  const std::string path = trust::MadeDeltaPath("digits", "2.0.0", "1.0.0");
  f.gateway.made[path] =
      trust::MadeEntryOf(f.gateway.targets.entries.at("digits/2.0.0/full"), made);
  f.gateway.keys.insert_or_assign(path, sealed.content_key);
  ASSERT_TRUE(f.gateway.disk.Rename("/content/new", "/content/" + ToHex(made.sha256)).ok());
  Want();
  ExpectInstalled(false);
}

TEST_F(MadeDeltas, DamagedOrMissingContentIsNoFailure) {
  Damage([](Bytes& bytes) { bytes[bytes.size() / 2] ^= 1; });
  Want();
  ExpectInstalled(false);
}

TEST_F(MadeDeltas, ContentThatIsGoneIsNoFailure) {
  ASSERT_TRUE(f.gateway.disk.Remove("/content/" + ToHex(made.sha256)).ok());
  Want();
  ExpectInstalled(false);
}

TEST_F(MadeDeltas, AKeyThatIsRefusedIsNoFailure) {
  f.gateway.bend = [](const proto::Envelope& request, proto::Envelope* answer) {
    if (!request.has_key_request() ||
        request.key_request().target_path().find("made-delta") == std::string::npos)
      return false;
    answer->mutable_error()->set_code(static_cast<int>(Code::kPermissionDenied));
    return true;
  };
  Want();
  ExpectInstalled(false);
}

// A version that offline keys did not sign cannot come by a delta.
TEST_F(MadeDeltas, NothingIsInstalledWithoutTheSignedFullPackage) {
  trust::DesiredPackage wish = f.gateway.Run("digits", "2.0.0", "r2");
  wish.version = "3.0.0";
  wish.targets = {"digits/3.0.0/full"};
  wish.made = made;
  f.gateway.Want("digits", wish);
  ASSERT_TRUE(f.UntilReported("digits", Step::kFailed));
  EXPECT_EQ(f.LastErrorName(), "not_authorized_target");
  EXPECT_EQ(f.VersionOf("digits"), "1.0.0");
  EXPECT_EQ(f.gateway.bytes_served, 0u);
}

// The process dies with a part of the delta on its disk: the next one goes on from there.
TEST_F(MadeDeltas, ItsDownloadGoesOnAfterARestart) {
  const Bytes sealed = *sys::ReadFile(f.gateway.disk, "/content/" + ToHex(made.sha256));
  f.Kill();
  const std::string part = std::string(kState) + "/downloads/" + ToHex(made.sha256) + ".part";
  ASSERT_TRUE(f.disk.MakeDirectories(std::string(kState) + "/downloads").ok());
  const size_t half = sealed.size() / 2;
  ASSERT_TRUE(sys::WriteFileAtomically(f.disk, part, ByteView(sealed).first(half)).ok());
  ASSERT_TRUE(f.Start().ok());
  ASSERT_TRUE(f.Until([&] { return f.agent->connected(); }));
  Want();
  ExpectInstalled(true);
  EXPECT_EQ(f.gateway.Last("digits")->bytes_pulled(), sealed.size() - half);
}

}  // namespace
}  // namespace ferry::agent
