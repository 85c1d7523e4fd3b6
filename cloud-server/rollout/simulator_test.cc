#include "cloud-server/rollout/simulator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cloud-server/rollout/child_process.h"
#include "cloud-server/rollout/confine.h"

namespace ferry::server {
namespace {

using testing::HasSubstr;

// Children are shell scripts in a folder of the test's own.
class SimulatorTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "ferry_simulator_XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    options_.program = folder_ + "/program";
    options_.timeout_ms = 5000;
    options_.max_memory = 0;  // sanitizers reserve more than any limit
  }
  void TearDown() override { EXPECT_TRUE(sys::SystemFileSystem().RemoveTree(folder_).ok()); }
  SimulationOutcome Run(const std::string& script) {
    const std::string text = "#!/bin/sh\n" + script + "\n";
    EXPECT_TRUE(
        sys::WriteFileAtomically(sys::SystemFileSystem(), options_.program, AsBytes(text), 0700)
            .ok());
    Result<SimulationOutcome> outcome = RunSimulationChild(options_, "/x/package.fpk");
    EXPECT_TRUE(outcome.ok()) << outcome.status().ToString();
    return outcome.ok() ? *outcome : SimulationOutcome{};
  }
  std::string folder_;
  ChildOptions options_;
};

TEST_F(SimulatorTest, AGoodReportPasses) {
  SimulationOutcome outcome =
      Run("[ \"$1 $2 $3\" = 'simulate /x/package.fpk --json' ] || exit 9\n"
          "echo progress; echo '{\"cases\":3,\"failed\":0}'");
  EXPECT_TRUE(outcome.passed) << outcome.text;
  EXPECT_EQ(outcome.text, "3 of 3 cases as expected");
}

TEST_F(SimulatorTest, AFailedCaseIsNamed) {
  SimulationOutcome outcome =
      Run("echo '{\"cases\":3,\"failed\":1,\"first_failure\":{\"name\":\"seven\","
          "\"text\":\"expected 7, got 1\"}}'; exit 1");
  EXPECT_FALSE(outcome.passed);
  EXPECT_THAT(outcome.text, HasSubstr("seven: expected 7, got 1"));
}

TEST_F(SimulatorTest, APackageThatDoesNotLoadSaysWhy) {
  SimulationOutcome outcome =
      Run("echo '{\"cases\":0,\"failed\":0,\"first_failure\":{\"name\":\"load\","
          "\"text\":\"task.py line 3: unexpected indent\"}}'; exit 1");
  EXPECT_FALSE(outcome.passed);
  EXPECT_EQ(outcome.text, "load: task.py line 3: unexpected indent");
  EXPECT_EQ(Run("echo '{\"cases\":0,\"failed\":0}'").text, "the package has no simulation cases");
}

TEST_F(SimulatorTest, StatusAndReportMustAgree) {
  EXPECT_FALSE(Run("echo '{\"cases\":3,\"failed\":0}'; exit 1").passed);
  EXPECT_FALSE(Run("echo '{\"cases\":3,\"failed\":1}'; exit 0").passed);
  EXPECT_FALSE(Run("echo '{\"cases\":0,\"failed\":0}'").passed);
  EXPECT_FALSE(Run("echo nonsense").passed);
  EXPECT_FALSE(Run("true").passed);
  EXPECT_FALSE(Run("echo '[]'").passed);
}

TEST_F(SimulatorTest, ACrashIsQuoted) {
  SimulationOutcome outcome = Run("echo 'line 3: unexpected indent' >&2; exit 4");
  EXPECT_FALSE(outcome.passed);
  EXPECT_THAT(outcome.text, HasSubstr("unexpected indent"));
  EXPECT_THAT(outcome.text, HasSubstr("status 4"));
  EXPECT_THAT(Run("kill -9 $$").text, HasSubstr("137"));
}

TEST_F(SimulatorTest, ALoopIsEndedWithItsChildren) {
  options_.timeout_ms = 200;
  SimulationOutcome outcome = Run("sleep 30 & sleep 30");
  EXPECT_FALSE(outcome.passed);
  EXPECT_THAT(outcome.text, HasSubstr("200 ms"));
}

TEST_F(SimulatorTest, AFloodOfOutputIsEnded) {
  SimulationOutcome outcome = Run("yes");
  EXPECT_FALSE(outcome.passed);
  EXPECT_THAT(outcome.text, HasSubstr("bytes"));
}

// What a package that broke out of its interpreter would find.
TEST_F(SimulatorTest, TheChildHasNoEnvironmentAndGainsNoRights) {
  ASSERT_EQ(setenv("FERRY_TEST_SECRET", "hunter2", 1), 0);
  EXPECT_THAT(Run("echo \"secret: $FERRY_TEST_SECRET.\" >&2; exit 4").text, HasSubstr("secret: ."));
  unsetenv("FERRY_TEST_SECRET");
  EXPECT_THAT(Run("grep NoNewPrivs /proc/self/status >&2; exit 4").text,
              HasSubstr("NoNewPrivs:\t1"));
}

TEST_F(SimulatorTest, TheChildReadsItsPackageAndNoKeysAndWritesNothing) {
  if (!Confinement::Make({})->holds()) GTEST_SKIP() << "this kernel has no Landlock";
  sys::FileSystem& fs = sys::SystemFileSystem();
  for (const char* name : {"/escrow.key", "/package.fpk"})
    ASSERT_TRUE(sys::WriteFileAtomically(fs, folder_ + name, AsBytes("content"), 0600).ok());
  ChildLimits limits;
  limits.max_memory = 0;
  limits.readable = {folder_ + "/package.fpk"};
  const auto run = [&](const std::string& script) {
    const std::string text = "#!/bin/sh\n" + script + "\n";
    EXPECT_TRUE(sys::WriteFileAtomically(fs, options_.program, AsBytes(text), 0700).ok());
    return RunChild({options_.program}, limits).value();
  };
  EXPECT_EQ(run("cat " + folder_ + "/package.fpk").output, "content");
  EXPECT_EQ(run("cat " + folder_ + "/escrow.key").output, "");
  EXPECT_EQ(run("cat /etc/passwd").output, "");
  EXPECT_NE(run("echo x > " + folder_ + "/package.fpk").exit_code, 0);
  EXPECT_NE(run("echo x > " + folder_ + "/new").exit_code, 0);
  EXPECT_NE(run("rm " + folder_ + "/escrow.key").exit_code, 0);
}

TEST_F(SimulatorTest, AMissingProgramIsAnError) {
  Result<SimulationOutcome> outcome = RunSimulationChild(options_, "/x/package.fpk");
  EXPECT_EQ(outcome.code(), Code::kNotFound);
  EXPECT_THAT(outcome.status().message(), HasSubstr(options_.program));
}

}  // namespace
}  // namespace ferry::server
