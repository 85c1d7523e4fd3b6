// The whole set of packages that a device shall have: each gets there apart from the others.
#include "device-runtime/agent/tests/fixture.h"

namespace ferry::agent {
namespace {

using trust::DesiredState;

class DesiredSet : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(f.Start().ok());
    ASSERT_TRUE(f.Until([&] { return f.agent->connected(); }));
    EXPECT_TRUE(f.gateway.reads_desired);
  }
  void Publish(const std::string& package, const std::string& version, int64_t counter,
               const std::string& behaviour = "good", const std::string& fallback = "") {
    f.gateway.publishing = package;
    f.gateway.Publish(version, counter, behaviour, "", fallback);
    f.gateway.Sign();
  }
  void Restart() {
    f.Kill();
    ASSERT_TRUE(f.Start().ok());
    ASSERT_TRUE(f.Until([&] { return f.agent->connected(); }));
  }
  trust::DesiredPackage Run(const std::string& package, const std::string& version,
                            const std::string& release, int64_t attempt = 1) {
    return f.gateway.Run(package, version, release, attempt);
  }
  static trust::DesiredPackage Absent(const std::string& release, bool back) {
    trust::DesiredPackage wish;
    wish.state = DesiredState::kAbsent;
    wish.release = release;
    wish.attempt = 1;
    wish.back = back;
    return wish;
  }
  void Install(const std::string& package, const std::string& version, const std::string& release) {
    f.gateway.Want(package, Run(package, version, release));
    ASSERT_TRUE(f.UntilReported(package, Step::kConfirmed));
    ASSERT_EQ(f.VersionOf(package), version);
  }
  // A way back to a version, as `release` is taken back.
  void Back(const std::string& package, const std::string& version, const std::string& release) {
    trust::DesiredPackage wish = Run(package, version, release);
    wish.back = true;
    f.gateway.Want(package, wish);
  }
  bool Finished() {
    return f.Until([&] {
      return f.agent->StatusJson()["epoch"].get<int64_t>() == f.gateway.assignment.counter;
    });
  }
  Json Row(const std::string& package) {
    return f.agent->StatusJson()["desired"]["packages"][package];
  }

  Fixture f;
};

TEST_F(DesiredSet, AllItsPackagesAreInstalled) {
  Publish("alpha", "1.0.0", 1);
  Publish("digits", "2.0.0", 1);
  f.gateway.desired.packages["alpha"] = Run("alpha", "1.0.0", "r1");
  f.gateway.Want("digits", Run("digits", "2.0.0", "r2"));
  ASSERT_TRUE(Finished());
  EXPECT_EQ(f.VersionOf("alpha"), "1.0.0");
  EXPECT_EQ(f.VersionOf("digits"), "2.0.0");
  f.world.RunFor(1'000);
  for (const auto& [package, release] : {std::pair("alpha", "r1"), std::pair("digits", "r2")}) {
    EXPECT_EQ(f.gateway.CountOf(package, Step::kWoken), 1);
    EXPECT_EQ(f.gateway.CountOf(package, Step::kConfirmed), 1);
    EXPECT_EQ(f.gateway.Last(package)->release_id(), release);
    EXPECT_EQ(f.gateway.Last(package)->epoch(),
              static_cast<uint64_t>(f.gateway.assignment.counter));
    EXPECT_EQ(Row(package)["outcome"], "confirmed");
    EXPECT_EQ(Row(package)["release"], release);
    EXPECT_TRUE(Row(package)["error"].is_null());
  }
  // What it has goes with the next poll.
  f.gateway.Want("digits", Absent("r2", false));
  ASSERT_TRUE(Finished());
  ASSERT_EQ(f.gateway.have.size(), 2u);
  EXPECT_EQ(f.gateway.have[0].name(), "alpha");
  EXPECT_EQ(f.gateway.have[1].version(), "2.0.0");
  EXPECT_EQ(f.gateway.have[1].release(), "r2");
}

TEST_F(DesiredSet, OneThatIsNeverAnsweredHoldsUpNoOther) {
  Publish("alpha", "1.0.0", 1);
  Publish("digits", "1.0.0", 1);
  bool silent = true;
  f.gateway.bend = [&](const proto::Envelope& request, proto::Envelope*) {
    return silent && request.has_key_request() &&
           request.key_request().target_path().starts_with("alpha/");
  };
  f.gateway.desired.packages["alpha"] = Run("alpha", "1.0.0", "r1");
  f.gateway.Want("digits", Run("digits", "1.0.0", "r2"));
  ASSERT_TRUE(f.UntilReported("digits", Step::kConfirmed));
  EXPECT_EQ(f.VersionOf("alpha"), "");
  EXPECT_EQ(f.gateway.Count(Step::kFailed, ""), 0);
  // A later release of the other one, too.
  Publish("digits", "2.0.0", 2);
  f.gateway.Want("digits", Run("digits", "2.0.0", "r3"));
  ASSERT_TRUE(f.UntilReported("digits", Step::kConfirmed));
  EXPECT_EQ(f.VersionOf("digits"), "2.0.0");
  silent = false;
  ASSERT_TRUE(f.UntilReported("alpha", Step::kConfirmed));
  EXPECT_TRUE(Finished());
}

TEST_F(DesiredSet, OneThatFailsIsTriedAgainWhenItsAttemptGrows) {
  Publish("alpha", "1.0.0", 1, "probe");
  Publish("digits", "1.0.0", 1);
  f.gateway.desired.packages["alpha"] = Run("alpha", "1.0.0", "r1");
  f.gateway.Want("digits", Run("digits", "1.0.0", "r2"));
  ASSERT_TRUE(Finished());
  f.world.RunFor(1'000);
  EXPECT_EQ(f.VersionOf("digits"), "1.0.0");
  EXPECT_EQ(f.VersionOf("alpha"), "");
  EXPECT_EQ(f.gateway.CountOf("alpha", Step::kFailed), 1);
  EXPECT_EQ(f.gateway.Failure()->release_id(), "r1");
  EXPECT_EQ(f.gateway.Failure()->version(), "1.0.0");
  EXPECT_EQ(f.gateway.Failure()->error_code(), static_cast<int>(Code::kProbeFailed));
  EXPECT_EQ(Row("alpha")["outcome"], "failed");
  EXPECT_EQ(Row("alpha")["error"]["name"], "probe_failed");
  // Another document does not try it again, nor does a restart.
  const uint64_t served = f.gateway.bytes_served;
  Restart();
  Install("digits", "1.0.0", "r3");
  ASSERT_TRUE(Finished());
  f.world.RunFor(60'000);
  EXPECT_EQ(f.gateway.CountOf("alpha", Step::kFailed), 1);
  EXPECT_EQ(f.gateway.bytes_served, served);
  f.gateway.Want("alpha", Run("alpha", "1.0.0", "r1", 2));
  ASSERT_TRUE(f.UntilReported("alpha", Step::kFailed));
  EXPECT_EQ(f.gateway.CountOf("alpha", Step::kFailed), 2);
  EXPECT_EQ(Row("alpha")["attempt"], 2);
}

TEST_F(DesiredSet, WhatIsThereIsConfirmedOnceForARelease) {
  Publish("digits", "1.0.0", 1);
  Publish("alpha", "1.0.0", 1);
  Install("digits", "1.0.0", "r1");
  Install("alpha", "1.0.0", "r2");
  ASSERT_TRUE(Finished());
  f.world.RunFor(10'000);
  EXPECT_EQ(f.gateway.CountOf("digits", Step::kConfirmed), 1);
  const uint64_t served = f.gateway.bytes_served;
  f.gateway.Want("digits", Run("digits", "1.0.0", "r3"));
  ASSERT_TRUE(f.UntilReported("digits", Step::kConfirmed));
  EXPECT_EQ(f.gateway.Last("digits")->release_id(), "r3");
  EXPECT_EQ(f.agent->StatusJson()["packages"]["digits"]["release"], "r3");
  trust::DesiredPackage back = Run("digits", "1.0.0", "r4");
  back.back = true;  // it never had what is taken back
  f.gateway.Want("digits", back);
  ASSERT_TRUE(f.UntilReported("digits", Step::kRolledBack));
  EXPECT_EQ(f.gateway.bytes_served, served);
  Restart();
  f.world.RunFor(60'000);
  EXPECT_EQ(f.gateway.CountOf("digits", Step::kConfirmed), 2);
  EXPECT_EQ(f.gateway.CountOf("digits", Step::kRolledBack), 1);
}

TEST_F(DesiredSet, DisabledStaysAndDoesNotRun) {
  Publish("digits", "1.0.0", 1);
  Install("digits", "1.0.0", "r1");
  f.Event();
  f.world.RunFor(1'000);
  ASSERT_EQ(f.outcomes.size(), 1u);
  trust::DesiredPackage wish = Run("digits", "1.0.0", "r1", 2);
  wish.state = DesiredState::kDisabled;
  f.gateway.Want("digits", wish);
  ASSERT_TRUE(f.UntilReported("digits", Step::kConfirmed));
  EXPECT_EQ(f.VersionOf("digits"), "");
  for (const bool restart : {false, true}) {
    if (restart) Restart();
    f.Event();
    f.world.RunFor(1'000);
    EXPECT_EQ(f.outcomes.size(), 1u) << "it runs";
    EXPECT_EQ(f.agent->StatusJson()["packages"]["digits"]["disabled"], true);
    EXPECT_EQ(f.agent->StatusJson()["packages"]["digits"]["version"], "1.0.0");
  }
  const uint64_t served = f.gateway.bytes_served;
  f.gateway.Want("digits", Run("digits", "1.0.0", "r1", 3));
  ASSERT_TRUE(f.UntilReported("digits", Step::kConfirmed));
  EXPECT_EQ(f.gateway.bytes_served, served) << "the files stayed";
  ASSERT_EQ(f.gateway.have.size(), 1u);
  EXPECT_TRUE(f.gateway.have[0].disabled());
  for (const size_t runs : {2u, 3u}) {
    f.Event();
    f.world.RunFor(1'000);
    EXPECT_EQ(f.outcomes.size(), runs);
    Restart();
  }
}

TEST_F(DesiredSet, AVersionMayComeWithoutRunning) {
  Publish("digits", "1.0.0", 1);
  Publish("digits", "2.0.0", 2, "probe", "1.0.0");
  Install("digits", "1.0.0", "r1");
  trust::DesiredPackage wish = Run("digits", "2.0.0", "r2");
  wish.state = DesiredState::kDisabled;
  f.gateway.Want("digits", wish);
  ASSERT_TRUE(f.UntilReported("digits", Step::kConfirmed));
  EXPECT_EQ(f.gateway.CountOf("digits", Step::kFailed), 0) << "its probe ran";
  Restart();
  EXPECT_EQ(f.VersionOf("digits"), "");
  // Its probe is made up for when it shall run.
  f.gateway.Want("digits", Run("digits", "2.0.0", "r2", 2));
  ASSERT_TRUE(f.UntilReported("digits", Step::kFailed));
  EXPECT_EQ(f.VersionOf("digits"), "");
  Back("digits", "1.0.0", "r2");
  ASSERT_TRUE(f.UntilReported("digits", Step::kRolledBack));
  EXPECT_EQ(f.VersionOf("digits"), "1.0.0");
}

TEST_F(DesiredSet, AbsentLeavesNothingBehind) {
  Publish("digits", "1.0.0", 1);
  f.gateway.PublishExclusive("1.0.0", "gain.json", AsBytes("2"));
  f.gateway.Sign();
  Publish("alpha", "1.0.0", 1);
  Install("alpha", "1.0.0", "r0");
  Install("digits", "1.0.0", "r1");
  // Back to before the release.
  f.gateway.Want("digits", Absent("r1", true));
  ASSERT_TRUE(f.UntilReported("digits", Step::kRolledBack));
  EXPECT_EQ(f.gateway.Last("digits")->release_id(), "r1");
  EXPECT_EQ(f.gateway.Last("digits")->previous_version(), "1.0.0");
  EXPECT_EQ(f.gateway.Last("digits")->version(), "");
  const std::string home = std::string(kState) + "/packages/digits";
  EXPECT_EQ(f.disk.List(home).value(), (std::vector<std::string>{"removed", "removed.2"}));
  f.outcomes.clear();
  f.Event();
  f.world.RunFor(1'000);
  ASSERT_EQ(f.outcomes.size(), 1u) << "the other one goes on";
  EXPECT_EQ(f.outcomes[0].package, "alpha");
  Restart();
  EXPECT_EQ(f.VersionOf("digits"), "");
  EXPECT_EQ(f.VersionOf("alpha"), "1.0.0");
  // Where it never was it is only said.
  f.gateway.Want("other", Absent("r9", false));
  ASSERT_TRUE(f.UntilReported("other", Step::kConfirmed));
  ASSERT_TRUE(Finished());
  // And it may come back.
  f.gateway.Want("digits", Run("digits", "1.0.0", "r1", 2));
  ASSERT_TRUE(f.UntilReported("digits", Step::kConfirmed));
  EXPECT_EQ(f.VersionOf("digits"), "1.0.0");
}

TEST_F(DesiredSet, NothingOlderComesBackAfterARemoval) {
  Publish("digits", "1.0.0", 1);
  Publish("digits", "2.0.0", 2);
  Publish("digits", "3.0.0", 3, "good", "2.0.0");
  Install("digits", "3.0.0", "r1");
  f.gateway.Want("digits", Absent("r1", false));
  ASSERT_TRUE(f.UntilReported("digits", Step::kConfirmed));
  f.gateway.Want("digits", Run("digits", "1.0.0", "r2"));
  ASSERT_TRUE(f.UntilReported("digits", Step::kFailed));
  EXPECT_EQ(f.gateway.Failure()->error_code(), static_cast<int>(Code::kVersionRollback));
  // Its signed fallback may.
  f.gateway.Want("digits", Run("digits", "2.0.0", "r3"));
  ASSERT_TRUE(f.UntilReported("digits", Step::kConfirmed));
  EXPECT_EQ(f.VersionOf("digits"), "2.0.0");
}

// As after the restore of a server's backup, which has lost the answer.
TEST_F(DesiredSet, WhatTheServerHasNoAnswerToIsAnsweredAgain) {
  Publish("alpha", "1.0.0", 1, "probe");
  Publish("digits", "1.0.0", 1);
  f.gateway.desired.packages["alpha"] = Run("alpha", "1.0.0", "r1");
  f.gateway.Want("digits", Run("digits", "1.0.0", "r2"));
  ASSERT_TRUE(Finished());
  f.world.RunFor(1'000);
  f.gateway.desired.unanswered = {"alpha", "digits"};
  f.gateway.Want("digits", Run("digits", "1.0.0", "r2"));
  ASSERT_TRUE(Finished());
  f.world.RunFor(1'000);
  EXPECT_EQ(f.gateway.CountOf("digits", Step::kConfirmed), 2);
  EXPECT_EQ(f.gateway.Last("digits")->epoch(), static_cast<uint64_t>(f.gateway.assignment.counter));
  EXPECT_EQ(f.gateway.CountOf("alpha", Step::kFailed), 2);
  EXPECT_EQ(f.gateway.Failure()->error_code(), static_cast<int>(Code::kProbeFailed));
  EXPECT_EQ(f.gateway.Failure()->release_id(), "r1");
  // Answered, it is not said a third time.
  f.gateway.desired.unanswered = {};
  f.gateway.Want("digits", Run("digits", "1.0.0", "r2"));
  ASSERT_TRUE(Finished());
  f.world.RunFor(1'000);
  EXPECT_EQ(f.gateway.CountOf("digits", Step::kConfirmed), 2);
}

// As after the restore of a server's backup: nobody is woken when its metadata is right again.
TEST_F(DesiredSet, MetadataThatIsTooOldIsAskedForAgain) {
  Publish("digits", "1.0.0", 1);
  const auto restored =
      std::tuple(f.gateway.timestamp, f.gateway.snapshot, f.gateway.targets_document);
  Publish("digits", "2.0.0", 2);
  const auto present =
      std::tuple(f.gateway.timestamp, f.gateway.snapshot, f.gateway.targets_document);
  Install("digits", "1.0.0", "r1");
  const auto serve = [this](const auto& documents) {
    std::tie(f.gateway.timestamp, f.gateway.snapshot, f.gateway.targets_document) = documents;
  };
  serve(restored);
  f.gateway.Want("digits", Run("digits", "2.0.0", "r2"));
  ASSERT_TRUE(f.Until([&] { return f.gateway.Count(Step::kFailed, "") == 1; }));
  EXPECT_EQ(f.gateway.Failure()->error_code(), static_cast<int>(Code::kVersionRollback));
  f.world.RunFor(30'000);
  EXPECT_EQ(f.gateway.Count(Step::kFailed, ""), 1);  // said once
  serve(present);
  ASSERT_TRUE(f.Until([&] { return f.VersionOf("digits") == "2.0.0"; }));
}

// As after ninety days without a publication: what is new waits, what was signed while it held may
// come back, and less may run.
TEST_F(DesiredSet, PastTheExpiryOfTargetsThingsGoBackAndStopAlone) {
  Publish("alpha", "1.0.0", 1);
  Publish("beta", "1.0.0", 1);
  Publish("digits", "1.0.0", 1);
  Publish("digits", "2.0.0", 2, "good", "1.0.0");
  f.gateway.Sign(86'400'000, 600'000);
  Install("digits", "1.0.0", "r1");
  Install("digits", "2.0.0", "r2");
  Install("alpha", "1.0.0", "r3");
  f.world.RunFor(700'000);
  f.gateway.SignOnline();
  f.gateway.desired.packages["alpha"] = Absent("r3", false);
  f.gateway.desired.packages["beta"] = Run("beta", "1.0.0", "r4");
  Back("digits", "1.0.0", "r2");
  ASSERT_TRUE(f.UntilReported("digits", Step::kRolledBack));
  EXPECT_EQ(f.VersionOf("digits"), "1.0.0");
  ASSERT_TRUE(f.Until([&] { return f.VersionOf("alpha").empty(); }));
  f.world.RunFor(60'000);
  EXPECT_EQ(f.VersionOf("beta"), "");
  EXPECT_EQ(f.gateway.Failure()->error_code(), static_cast<int>(Code::kExpired));
  f.gateway.Sign();
  ASSERT_TRUE(f.Until([&] { return f.VersionOf("beta") == "1.0.0"; }));
  EXPECT_TRUE(Finished());
}

TEST_F(DesiredSet, TwoStepsBack) {
  Publish("digits", "1.0.0", 1);
  Publish("digits", "2.0.0", 2, "good", "1.0.0");
  Publish("digits", "3.0.0", 3, "good", "2.0.0");
  Install("digits", "1.0.0", "r1");
  Install("digits", "2.0.0", "r2");
  Install("digits", "3.0.0", "r3");
  Back("digits", "2.0.0", "r3");
  ASSERT_TRUE(f.UntilReported("digits", Step::kRolledBack));
  EXPECT_EQ(f.VersionOf("digits"), "2.0.0");
  Back("digits", "1.0.0", "r2");
  ASSERT_TRUE(f.UntilReported("digits", Step::kRolledBack));
  EXPECT_EQ(f.VersionOf("digits"), "1.0.0");
  Restart();
  EXPECT_EQ(f.VersionOf("digits"), "1.0.0");
  // Not forward to what lies below the highest.
  f.gateway.Want("digits", Run("digits", "2.0.0", "r4"));
  ASSERT_TRUE(f.UntilReported("digits", Step::kFailed));
  Install("digits", "3.0.0", "r5");
  // Both steps at once.
  Back("digits", "1.0.0", "r5");
  ASSERT_TRUE(f.UntilReported("digits", Step::kRolledBack));
  EXPECT_EQ(f.VersionOf("digits"), "1.0.0");
}

TEST_F(DesiredSet, ALostPackageComesAgain) {
  Publish("digits", "1.0.0", 1);
  Publish("alpha", "1.0.0", 1);
  Install("alpha", "1.0.0", "r1");
  Install("digits", "1.0.0", "r2");
  for (const char* lost : {"/packages/digits", "/packages/digits/a/package.fpk"}) {
    f.Kill();
    ASSERT_TRUE(f.disk.RemoveTree(std::string(kState) + lost).ok());
    ASSERT_TRUE(f.Start().ok());
    ASSERT_TRUE(f.Until([&] { return f.VersionOf("digits") == "1.0.0"; })) << lost;
    ASSERT_TRUE(Finished());
  }
  EXPECT_EQ(f.gateway.CountOf("alpha", Step::kConfirmed), 1);
}

// Its directory being gone makes nothing older welcome.
TEST_F(DesiredSet, ALostPackageForgetsNothing) {
  Publish("digits", "1.0.0", 1);
  Publish("digits", "2.0.0", 2);
  Install("digits", "2.0.0", "r1");
  f.Kill();
  ASSERT_TRUE(f.disk.RemoveTree(std::string(kState) + "/packages/digits").ok());
  f.gateway.Want("digits", Run("digits", "1.0.0", "r2"));
  ASSERT_TRUE(f.Start().ok());
  ASSERT_TRUE(f.UntilReported("digits", Step::kFailed));
  EXPECT_EQ(f.gateway.Failure()->error_code(), static_cast<int>(Code::kVersionRollback));
  Install("digits", "2.0.0", "r3");
}

TEST_F(DesiredSet, ANewerDocumentTakesOverWhatItChanges) {
  Publish("alpha", "1.0.0", 1);
  Publish("digits", "1.0.0", 1);
  Publish("digits", "2.0.0", 2);
  // Both wait for their keys when the second document comes.
  bool hold = true;
  f.gateway.bend = [&](const proto::Envelope& request, proto::Envelope*) {
    if (!hold || !request.has_key_request()) return false;
    hold = false;
    f.gateway.Want("digits", Run("digits", "2.0.0", "r2"));
    return false;
  };
  f.gateway.desired.packages["alpha"] = Run("alpha", "1.0.0", "r1");
  f.gateway.Want("digits", Run("digits", "1.0.0", "r1"));
  ASSERT_TRUE(Finished());
  f.world.RunFor(1'000);
  EXPECT_EQ(f.VersionOf("alpha"), "1.0.0");
  EXPECT_EQ(f.VersionOf("digits"), "2.0.0");
  EXPECT_EQ(f.gateway.Count(Step::kFailed, ""), 0);
  EXPECT_EQ(f.gateway.CountOf("alpha", Step::kConfirmed), 1);
  for (const proto::Report& report : f.gateway.reports)
    if (report.step() == proto::Report::CONFIRMED && report.package() == "digits") {
      EXPECT_EQ(report.version(), "2.0.0");
    }
}

TEST_F(DesiredSet, WhatAPackageRequiresComesFirst) {
  f.gateway.requires_ = {{"packages", {{"base", ">=1.0.0"}}}};
  Publish("adapter", "1.0.0", 1);
  f.gateway.requires_ = Json::object();
  Publish("base", "1.0.0", 1);
  f.gateway.desired.packages["adapter"] = Run("adapter", "1.0.0", "r1");
  f.gateway.Want("base", Run("base", "1.0.0", "r2"));
  ASSERT_TRUE(Finished());
  f.world.RunFor(1'000);
  std::vector<std::string> order;
  for (const proto::Report& report : f.gateway.reports)
    if (report.step() == proto::Report::CONFIRMED) order.push_back(report.package());
  EXPECT_EQ(order, (std::vector<std::string>{"base", "adapter"}));
}

TEST_F(DesiredSet, WhatAPackageRequiresMustBeThere) {
  f.gateway.requires_ = {{"packages", {{"base", "*"}}}};
  Publish("adapter", "1.0.0", 1);
  f.gateway.requires_ = Json::object();
  Publish("base", "1.0.0", 1, "load");
  f.gateway.desired.packages["adapter"] = Run("adapter", "1.0.0", "r1");
  f.gateway.Want("base", Run("base", "1.0.0", "r2"));
  ASSERT_TRUE(Finished());
  f.world.RunFor(1'000);
  EXPECT_EQ(f.gateway.CountOf("adapter", Step::kFailed), 1);
  EXPECT_NE(f.gateway.Last("adapter")->error_text().find("needs package base *, which the device"),
            std::string::npos);
}

TEST_F(DesiredSet, WhatAPackageRequiresMustBeOfAVersionInTheRange) {
  f.gateway.requires_ = {{"packages", {{"base", ">=1.1 <2"}}}};
  Publish("adapter", "1.0.0", 1);
  f.gateway.requires_ = Json::object();
  Publish("base", "1.0.0", 1);
  Publish("base", "1.2.0", 2);
  f.gateway.desired.packages["adapter"] = Run("adapter", "1.0.0", "r1");
  f.gateway.Want("base", Run("base", "1.0.0", "r2"));
  ASSERT_TRUE(Finished());
  f.world.RunFor(1'000);
  EXPECT_EQ(f.VersionOf("adapter"), "");
  EXPECT_NE(f.gateway.Last("adapter")->error_text().find(
                "adapter 1.0.0: needs package base >=1.1 <2, the device has 1.0.0"),
            std::string::npos);
  f.gateway.desired.packages["adapter"] = Run("adapter", "1.0.0", "r1", 2);
  f.gateway.Want("base", Run("base", "1.2.0", "r3"));
  ASSERT_TRUE(f.UntilReported("adapter", Step::kConfirmed));
  EXPECT_EQ(f.VersionOf("base"), "1.2.0");
}

TEST_F(DesiredSet, PackagesThatRequireEachOtherGoOnTogether) {
  for (const auto& [package, other] : {std::pair("ann", "bob"), std::pair("bob", "ann")}) {
    f.gateway.requires_ = {{"packages", {{other, "*"}}}};
    Publish(package, "1.0.0", 1);
  }
  f.gateway.desired.packages["ann"] = Run("ann", "1.0.0", "r1");
  f.gateway.Want("bob", Run("bob", "1.0.0", "r2"));
  ASSERT_TRUE(Finished()) << "they wait for ever";
}

TEST_F(DesiredSet, ADocumentOfAnotherKeyOrDeviceIsRefused) {
  Publish("digits", "1.0.0", 1);
  f.gateway.Want("digits", Run("digits", "1.0.0", "r1"));
  f.gateway.assignment_document =
      trust::SignDesired(f.gateway.desired, trust::SigningKey::Generate(f.world.random())).value();
  ASSERT_TRUE(f.UntilStep(Step::kFailed, ""));
  EXPECT_EQ(f.gateway.Failure()->error_code(), static_cast<int>(Code::kBadSignature));
  EXPECT_EQ(f.gateway.Failure()->release_id(), "") << "evidence against nobody";
  EXPECT_EQ(f.VersionOf("digits"), "");
  f.gateway.Want("digits", Run("digits", "1.0.0", "r1"));
  ASSERT_TRUE(f.UntilReported("digits", Step::kConfirmed));
  // A wish for one package cannot be filled with another's artefacts.
  f.gateway.Want("other", Run("digits", "1.0.0", "r2"));
  ASSERT_TRUE(f.UntilReported("other", Step::kFailed));
  EXPECT_EQ(f.gateway.Last("other")->error_code(), static_cast<int>(Code::kNotAuthorizedTarget));
}

}  // namespace
}  // namespace ferry::agent
