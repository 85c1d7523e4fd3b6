// Online keys that were stolen: what a thief told a device ends with the root that takes the key
// away.
#include "common/base/json.h"
#include "device-runtime/agent/tests/fixture.h"

namespace ferry::agent {
namespace {

constexpr int64_t kForged = int64_t{1} << 40;

// A device that runs 1.0.0; 2.0.0 is published but not assigned yet.
class StolenKeys : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(f.Start().ok());
    ASSERT_TRUE(f.Until([&] { return f.agent->connected(); }));
    f.gateway.Publish("1.0.0", 1, "good");
    f.gateway.Sign();
    f.gateway.Assign("1.0.0");
    ASSERT_TRUE(f.UntilStep(Step::kConfirmed, "1.0.0"));
    f.gateway.Publish("2.0.0", 2, "good", "", "1.0.0");
    f.gateway.Sign();
  }

  int64_t Epoch() const { return GetInt(f.agent->StatusJson(), "epoch").value(); }

  // A thief of the director key says assignment 2^40: nothing to do.
  void Forge() {
    const trust::Assignment honest = f.gateway.assignment;
    trust::Assignment& forged = f.gateway.assignment;
    forged.counter = forged.epoch = kForged;
    forged.action = trust::Action::kNone;
    forged.release = "";
    forged.targets.clear();
    f.gateway.assignment_document = trust::SignAssignment(forged, f.gateway.director_key).value();
    f.gateway.Wake();
    ASSERT_TRUE(f.Until([&] { return Epoch() == kForged; }));
    f.gateway.assignment = honest;
    f.gateway.assignment_document = trust::SignAssignment(honest, f.gateway.director_key).value();
    f.gateway.Assign("2.0.0");
    f.world.RunFor(60'000);
    ASSERT_EQ(f.Version(), "1.0.0") << "the thief's counter is above all others";
  }

  void Reconnect() {
    f.network.SetReachable("server", false);
    ASSERT_TRUE(f.Until([&] { return !f.agent->connected(); }));
    f.network.SetReachable("server", true);
    ASSERT_TRUE(f.Until([&] { return f.agent->connected(); }));
  }

  // The device does what it is told, forward and back.
  void ExpectControl() {
    EXPECT_TRUE(f.UntilStep(Step::kConfirmed, "2.0.0"));
    EXPECT_EQ(f.Version(), "2.0.0");
    f.gateway.Assign("1.0.0", trust::Action::kRollback);
    EXPECT_TRUE(f.UntilStep(Step::kRolledBack, "1.0.0"));
    EXPECT_EQ(f.Version(), "1.0.0");
    EXPECT_EQ(f.gateway.Count(Step::kFailed, ""), 0);
    EXPECT_EQ(Epoch(), f.gateway.assignment.counter);
  }

  Fixture f;
};

TEST_F(StolenKeys, TheNextConnectionEndsAForgedCounter) {
  Forge();
  f.gateway.RotateKeys();
  Reconnect();
  ExpectControl();
}

TEST_F(StolenKeys, AWakeOnAnOpenLineEndsIt) {
  Forge();
  f.gateway.RotateKeys();
  f.gateway.WakeForRoot();
  ExpectControl();
}

TEST_F(StolenKeys, AServerThatDoesNotSayItsRootIsAskedOnceALine) {
  Forge();
  f.gateway.says_root = false;
  int asked = 0;
  f.gateway.bend = [&](const proto::Envelope& request, proto::Envelope*) {
    asked += request.metadata_request().role() == "root";
    return false;
  };
  Reconnect();
  f.world.RunFor(60'000);
  EXPECT_EQ(asked, 1);
  f.gateway.RotateKeys();
  Reconnect();
  ExpectControl();
}

TEST_F(StolenKeys, APollFindsTheRootWithoutPush) {
  f.Kill();
  f.options.push = false;
  f.options.poll_ms = 30'000;
  ASSERT_TRUE(f.Start().ok());
  ASSERT_TRUE(f.Until([&] { return f.agent->connected(); }));
  Forge();
  f.gateway.RotateKeys();
  ExpectControl();
}

// Whichever change of the disk the power is cut at: the device comes back under control.
TEST_F(StolenKeys, PowerCutsInBetween) {
  uint64_t cuts = 0;
  for (bool cut = true; cut; ++cuts) {
    Fixture one(100);
    ASSERT_TRUE(one.Start().ok());
    ASSERT_TRUE(one.Until([&] { return one.agent->connected(); }));
    one.gateway.Publish("1.0.0", 1, "good");
    one.gateway.Sign();
    one.gateway.assignment.counter = kForged - 1;
    one.gateway.Assign("1.0.0");
    ASSERT_TRUE(one.UntilStep(Step::kConfirmed, "1.0.0"));
    one.gateway.assignment.counter = 6;
    one.gateway.Publish("2.0.0", 2, "good", "", "1.0.0");
    one.gateway.RotateKeys();
    cut = false;
    uint64_t left = cuts + 1;
    one.disk.SetFault([&](const char*, const std::string& path) {
      if (cut || --left == 0) {
        cut = true;
        return Status::Of(Code::kIo, "{}: the power is gone", path);
      }
      return OkStatus();
    });
    one.gateway.Assign("2.0.0");
    one.gateway.WakeForRoot();
    one.Until([&] { return cut || one.gateway.Reported(Step::kConfirmed, "2.0.0"); }, 60'000);
    one.Kill();
    one.disk.CutPower();
    one.disk.SetFault(nullptr);
    ASSERT_TRUE(one.Start().ok()) << "cut " << cuts;
    ASSERT_TRUE(one.Until([&] { return one.agent->connected(); }));
    EXPECT_TRUE(one.UntilStep(Step::kConfirmed, "2.0.0")) << "cut " << cuts;
    EXPECT_EQ(one.Version(), "2.0.0") << "cut " << cuts;
  }
  EXPECT_GT(cuts, 20u);
}

// The root comes after the device asked for roots and before it asks what to run: no device fails.
TEST_F(StolenKeys, ARootBetweenTwoAnswersIsNoFailure) {
  for (const char* before : {"poll", "timestamp"}) {
    bool rotated = false;
    f.gateway.bend = [&](const proto::Envelope& request, proto::Envelope*) {
      const bool here = std::string_view(before) == "poll"
                            ? request.has_poll()
                            : request.metadata_request().role() == before;
      if (here && !std::exchange(rotated, true)) f.gateway.RotateKeys();
      return false;
    };
    const bool forward = f.Version() == "1.0.0";
    f.gateway.Assign(forward ? "2.0.0" : "1.0.0",
                     forward ? trust::Action::kInstall : trust::Action::kRollback);
    ASSERT_TRUE(f.Until([&] { return f.Version() == (forward ? "2.0.0" : "1.0.0"); })) << before;
    EXPECT_TRUE(rotated);
  }
  EXPECT_EQ(f.gateway.Count(Step::kFailed, ""), 0);
}

// A thief who still has the old keys, and the line, is refused by name.
TEST_F(StolenKeys, OldKeysAreWorthNothingAfterTheRoot) {
  const auto stolen = f.gateway.director_key;
  f.gateway.RotateKeys();
  f.gateway.WakeForRoot();
  f.gateway.bend = [&](const proto::Envelope& request, proto::Envelope*) {
    if (!request.has_poll()) return false;
    f.gateway.assignment_document = trust::SignAssignment(f.gateway.assignment, stolen).value();
    return false;
  };
  f.gateway.Assign("2.0.0");
  ASSERT_TRUE(f.UntilStep(Step::kFailed, ""));
  EXPECT_EQ(f.gateway.Failure()->error_code(), static_cast<int>(Code::kBadSignature));
  EXPECT_EQ(f.Version(), "1.0.0");
}

}  // namespace
}  // namespace ferry::agent
