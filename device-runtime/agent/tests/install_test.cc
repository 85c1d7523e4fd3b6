// The good ways: join, install, delta, exclusive file, roll back, poll.
#include "device-runtime/agent/tests/fixture.h"

namespace ferry::agent {
namespace {

TEST(Install, JoinsAndInstallsWhenWoken) {
  Fixture f;
  ASSERT_TRUE(f.Start().ok());
  ASSERT_TRUE(f.Until([&] { return f.agent->connected(); }));
  EXPECT_EQ(f.gateway.device, f.agent->identity().device_id);
  EXPECT_EQ(f.Version(), "");
  f.gateway.Publish("1.0.0", 1, "good");
  f.gateway.Sign();
  f.gateway.Assign("1.0.0");
  ASSERT_TRUE(f.UntilStep(Step::kConfirmed, "1.0.0", 10'000));
  EXPECT_EQ(f.Version(), "1.0.0");
  for (Step step : {Step::kPulled, Step::kVerified, Step::kInstalled, Step::kProbed}) {
    EXPECT_EQ(f.gateway.Count(step, "1.0.0"), 1) << NameOf(step);
  }
  EXPECT_TRUE(f.gateway.reports.back().by_push());
  EXPECT_GT(f.gateway.reports.back().bytes_pulled(), 20'000u);
  // Its runs are reported once.
  f.Event();
  f.Event();
  ASSERT_TRUE(f.UntilStep(Step::kHealthy, "1.0.0"));
  EXPECT_EQ(f.gateway.Count(Step::kHealthy, "1.0.0"), 1);
  ASSERT_EQ(f.outcomes.size(), 2u);
  EXPECT_EQ(f.outcomes[0].outcome.result["version"], "1.0.0");
}

TEST(Install, PrivateFilesAreReadableByTheirOwnerOnly) {
  Fixture f;
  ASSERT_TRUE(f.Start().ok());
  ASSERT_TRUE(f.Until([&] { return f.agent->connected(); }));
  for (const char* name : {kIdentityFile, kIdentityKeyFile, kSealKeyFile, kTrustFile}) {
    const auto info = f.disk.Stat(sys::JoinPath(kState, name));
    if (info.ok()) {
      EXPECT_EQ(info->permissions, 0600) << name;
    } else {
      EXPECT_STREQ(name, kTrustFile);
    }
  }
  const auto text = sys::ReadFile(f.disk, sys::JoinPath(kState, kIdentityFile)).value();
  EXPECT_EQ(AsText(text).find("0123456789abcdef"), std::string::npos) << "keeps the join secret";
}

TEST(Install, RestartGoesOnWithTheSameIdentityAndVersion) {
  Fixture f;
  ASSERT_TRUE(f.Start().ok());
  ASSERT_TRUE(f.Until([&] { return f.agent->connected(); }));
  f.gateway.Publish("1.0.0", 1, "good");
  f.gateway.Sign();
  f.gateway.Assign("1.0.0");
  ASSERT_TRUE(f.UntilStep(Step::kConfirmed, "1.0.0"));
  const std::string device = f.gateway.device;
  f.Kill();
  ASSERT_TRUE(f.Start().ok());
  ASSERT_TRUE(f.Until([&] { return f.agent->connected(); }));
  EXPECT_EQ(f.gateway.device, device);
  EXPECT_EQ(f.Version(), "1.0.0");
  f.world.RunFor(60'000);
  EXPECT_EQ(f.gateway.Count(Step::kConfirmed, ""), 1) << "installed once";
}

TEST(Install, PollingFindsItWithoutPush) {
  Fixture f;
  f.options.push = false;
  f.options.poll_ms = 4'000;
  ASSERT_TRUE(f.Start().ok());
  ASSERT_TRUE(f.Until([&] { return f.agent->connected(); }));
  f.gateway.Publish("1.0.0", 1, "good");
  f.gateway.Sign();
  f.gateway.Assign("1.0.0");
  ASSERT_TRUE(f.UntilStep(Step::kConfirmed, "1.0.0", 10'000));
  EXPECT_FALSE(f.gateway.push);
  EXPECT_FALSE(f.gateway.reports.back().by_push());
  EXPECT_EQ(f.gateway.Count(Step::kWoken, ""), 0);
}

TEST(Install, TakesTheDeltaWhenItsBaseRuns) {
  Fixture f;
  ASSERT_TRUE(f.Start().ok());
  ASSERT_TRUE(f.Until([&] { return f.agent->connected(); }));
  f.gateway.Publish("1.0.0", 1, "good");
  f.gateway.Publish("1.1.0", 2, "good", "1.0.0", "1.0.0");
  f.gateway.Sign();
  f.gateway.Assign("1.0.0");
  ASSERT_TRUE(f.UntilStep(Step::kConfirmed, "1.0.0"));
  f.gateway.Assign("1.1.0");
  ASSERT_TRUE(f.UntilStep(Step::kConfirmed, "1.1.0"));
  EXPECT_TRUE(f.gateway.reports.back().was_delta());
  const Json bytes = f.agent->StatusJson()["bytes"];
  EXPECT_LT(bytes["delta"].get<uint64_t>() * 3, bytes["full"].get<uint64_t>());
  EXPECT_EQ(f.agent->StatusJson()["packages"]["digits"]["timeline"].size(), 2u);
  EXPECT_EQ(f.agent->StatusJson()["packages"]["digits"]["timeline"][1]["how"], "delta");
}

TEST(Install, DeltaFromAVersionThatDoesNotRunIsLeftAside) {
  Fixture f;
  ASSERT_TRUE(f.Start().ok());
  ASSERT_TRUE(f.Until([&] { return f.agent->connected(); }));
  f.gateway.Publish("1.0.0", 1, "good");
  f.gateway.Publish("1.1.0", 2, "good", "1.0.0");
  f.gateway.Sign();
  f.gateway.Assign("1.1.0");
  ASSERT_TRUE(f.UntilStep(Step::kConfirmed, "1.1.0"));
  EXPECT_FALSE(f.gateway.reports.back().was_delta());
}

TEST(Install, ExclusiveFileComesBesideThePackage) {
  Fixture f;
  ASSERT_TRUE(f.Start().ok());
  ASSERT_TRUE(f.Until([&] { return f.agent->connected(); }));
  f.gateway.Publish("1.0.0", 1, "good");
  f.gateway.PublishExclusive("1.0.0", "calibration.json", AsBytes("{\"gain\":2}"));
  f.gateway.Sign();
  f.gateway.Assign("1.0.0", trust::Action::kInstall,
                   {trust::ExclusivePath("digits", "1.0.0", "calibration.json")});
  ASSERT_TRUE(f.UntilStep(Step::kConfirmed, "1.0.0"));
  const auto file =
      sys::ReadFile(f.disk, std::string(kState) + "/packages/digits/a/files/calibration.json");
  ASSERT_TRUE(file.ok()) << file.status().ToString();
  EXPECT_EQ(AsText(*file), "{\"gain\":2}");
  EXPECT_EQ(f.agent->StatusJson()["exclusive"], Json::array({"digits/calibration.json"}));
}

TEST(Rollback, GoesToTheOtherSlotWithoutADownload) {
  Fixture f;
  ASSERT_TRUE(f.Start().ok());
  ASSERT_TRUE(f.Until([&] { return f.agent->connected(); }));
  f.gateway.Publish("1.0.0", 1, "good");
  f.gateway.Publish("2.0.0", 2, "raise", "", "1.0.0");
  f.gateway.Sign();
  f.gateway.Assign("1.0.0");
  ASSERT_TRUE(f.UntilStep(Step::kConfirmed, "1.0.0"));
  f.gateway.Assign("2.0.0");
  ASSERT_TRUE(f.UntilStep(Step::kConfirmed, "2.0.0"));
  f.Event();
  f.Event();
  ASSERT_TRUE(f.UntilStep(Step::kTaskFailed, "2.0.0"));
  EXPECT_EQ(f.gateway.Count(Step::kTaskFailed, "2.0.0"), 1) << "once for a release";
  EXPECT_EQ(f.gateway.reports.back().error_code(), static_cast<int>(Code::kScriptRaised));
  EXPECT_NE(f.gateway.reports.back().error_text().find("task.py:7"), std::string::npos);
  const uint64_t served = f.gateway.bytes_served;
  f.gateway.Assign("1.0.0", trust::Action::kRollback);
  ASSERT_TRUE(f.UntilStep(Step::kRolledBack, "1.0.0"));
  EXPECT_EQ(f.Version(), "1.0.0");
  EXPECT_EQ(f.gateway.bytes_served, served);
  EXPECT_EQ(f.gateway.reports.back().previous_version(), "2.0.0");
  // A newer good version can follow.
  f.gateway.Publish("3.0.0", 3, "good", "", "1.0.0");
  f.gateway.Sign();
  f.gateway.Assign("3.0.0");
  ASSERT_TRUE(f.UntilStep(Step::kConfirmed, "3.0.0"));
}

TEST(Rollback, PullsTheFallbackWhenTheOtherSlotLostIt) {
  Fixture f;
  ASSERT_TRUE(f.Start().ok());
  ASSERT_TRUE(f.Until([&] { return f.agent->connected(); }));
  f.gateway.Publish("1.0.0", 1, "good");
  f.gateway.Publish("2.0.0", 2, "good", "", "1.0.0");
  f.gateway.Sign();
  f.gateway.Assign("1.0.0");
  ASSERT_TRUE(f.UntilStep(Step::kConfirmed, "1.0.0"));
  f.gateway.Assign("2.0.0");
  ASSERT_TRUE(f.UntilStep(Step::kConfirmed, "2.0.0"));
  ASSERT_TRUE(f.disk.Corrupt(std::string(kState) + "/packages/digits/a/package.fpk", 900, 1).ok());
  f.gateway.Assign("1.0.0", trust::Action::kRollback);
  ASSERT_TRUE(f.UntilStep(Step::kRolledBack, "1.0.0"));
  EXPECT_EQ(f.Version(), "1.0.0");
}

TEST(Rollback, OvertakesAnInstallThatIsUnderWay) {
  Fixture f;
  ASSERT_TRUE(f.Start().ok());
  ASSERT_TRUE(f.Until([&] { return f.agent->connected(); }));
  f.gateway.Publish("1.0.0", 1, "good");
  f.gateway.Publish("2.0.0", 2, "good", "", "1.0.0");
  f.gateway.Sign();
  f.gateway.Assign("1.0.0");
  ASSERT_TRUE(f.UntilStep(Step::kConfirmed, "1.0.0"));
  bool back = false;
  f.gateway.bend = [&](const proto::Envelope& request, proto::Envelope* answer) {
    if (!request.has_key_request() || back) return false;
    back = true;  // the release is taken back just before the device asks for the key
    f.gateway.Assign("1.0.0", trust::Action::kRollback);
    answer->mutable_error()->set_code(static_cast<int>(Code::kPermissionDenied));
    return true;
  };
  f.gateway.Assign("2.0.0");
  ASSERT_TRUE(f.UntilStep(Step::kRolledBack, "1.0.0"));
  EXPECT_EQ(f.gateway.Count(Step::kFailed, ""), 0);
  EXPECT_EQ(f.gateway.Count(Step::kConfirmed, "2.0.0"), 0);
  EXPECT_EQ(f.Version(), "1.0.0");
}

TEST(Rollback, NothingIsInstalledWhereThePackageNeverWas) {
  Fixture f;
  ASSERT_TRUE(f.Start().ok());
  ASSERT_TRUE(f.Until([&] { return f.agent->connected(); }));
  f.gateway.Publish("1.0.0", 1, "good");
  f.gateway.Publish("2.0.0", 2, "good", "", "1.0.0");
  f.gateway.Sign();
  f.gateway.Assign("1.0.0", trust::Action::kRollback);
  ASSERT_TRUE(f.UntilStep(Step::kRolledBack, ""));
  EXPECT_EQ(f.gateway.reports.back().package(), "digits");
  f.world.RunFor(10'000);
  EXPECT_EQ(f.Version(), "");
  EXPECT_EQ(f.gateway.bytes_served, 0u);
}

TEST(Rollback, OnlyAlongSignedFallbacks) {
  Fixture f;
  ASSERT_TRUE(f.Start().ok());
  ASSERT_TRUE(f.Until([&] { return f.agent->connected(); }));
  f.gateway.Publish("1.0.0", 1, "good");
  f.gateway.Publish("2.0.0", 2, "good");
  f.gateway.Publish("3.0.0", 3, "good", "", "2.0.0");
  f.gateway.Sign();
  f.gateway.Assign("3.0.0");
  ASSERT_TRUE(f.UntilStep(Step::kConfirmed, "3.0.0"));
  f.gateway.Assign("1.0.0", trust::Action::kRollback);
  ASSERT_TRUE(f.UntilStep(Step::kFailed, ""));
  EXPECT_EQ(f.gateway.Failure()->error_code(), static_cast<int>(Code::kVersionRollback));
  EXPECT_EQ(f.Version(), "3.0.0");
  // An old version by plain install is the same attack.
  f.gateway.reports.clear();
  f.gateway.Assign("2.0.0");
  ASSERT_TRUE(f.UntilStep(Step::kFailed, ""));
  EXPECT_EQ(f.gateway.Failure()->error_code(), static_cast<int>(Code::kVersionRollback));
  EXPECT_EQ(f.Version(), "3.0.0");
}

}  // namespace
}  // namespace ferry::agent
