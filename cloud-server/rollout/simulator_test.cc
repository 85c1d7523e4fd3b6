#include "cloud-server/rollout/simulator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "cloud-server/rollout/child/child_process.h"
#include "common/sys/filesystem.h"

namespace ferry::server {
namespace {

using testing::HasSubstr;

// The child is this program (child/acts_test.cc), and its package a list of acts.
class SimulatorTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "ferry_simulator_XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    package_ = folder_ + "/package.fpk";
    options_.program = "/proc/self/exe";
    options_.timeout_ms = 5000;
    options_.max_memory = 0;  // sanitizers reserve more than any limit
  }
  void TearDown() override { EXPECT_TRUE(sys::SystemFileSystem().RemoveTree(folder_).ok()); }
  Result<SimulationOutcome> Try(const std::string& acts) {
    EXPECT_TRUE(
        sys::WriteFileAtomically(sys::SystemFileSystem(), package_, AsBytes(acts), 0600).ok());
    return RunSimulationChild(options_, package_);
  }
  SimulationOutcome Run(const std::string& acts) {
    Result<SimulationOutcome> outcome = Try(acts);
    EXPECT_TRUE(outcome.ok()) << outcome.status().ToString();
    return outcome.ok() ? *outcome : SimulationOutcome{};
  }
  std::string folder_, package_;
  ChildOptions options_;
};

TEST_F(SimulatorTest, AGoodReportPasses) {
  SimulationOutcome outcome = Run("out progress\nout {\"cases\":3,\"failed\":0}");
  EXPECT_TRUE(outcome.passed) << outcome.text;
  EXPECT_EQ(outcome.text, "3 of 3 cases as expected");
}

TEST_F(SimulatorTest, AFailedCaseIsNamed) {
  SimulationOutcome outcome =
      Run("out {\"cases\":3,\"failed\":1,\"first_failure\":{\"name\":\"seven\","
          "\"text\":\"expected 7, got 1\"}}\nexit 1");
  EXPECT_FALSE(outcome.passed);
  EXPECT_THAT(outcome.text, HasSubstr("seven: expected 7, got 1"));
}

TEST_F(SimulatorTest, APackageThatDoesNotLoadSaysWhy) {
  SimulationOutcome outcome =
      Run("out {\"cases\":0,\"failed\":0,\"first_failure\":{\"name\":\"load\","
          "\"text\":\"task.py line 3: unexpected indent\"}}\nexit 1");
  EXPECT_FALSE(outcome.passed);
  EXPECT_EQ(outcome.text, "load: task.py line 3: unexpected indent");
  EXPECT_EQ(Run("out {\"cases\":0,\"failed\":0}").text, "the package has no simulation cases");
}

TEST_F(SimulatorTest, StatusAndReportMustAgree) {
  EXPECT_FALSE(Run("out {\"cases\":3,\"failed\":0}\nexit 1").passed);
  EXPECT_FALSE(Run("out {\"cases\":3,\"failed\":1}").passed);
  EXPECT_FALSE(Run("out {\"cases\":0,\"failed\":0}").passed);
  EXPECT_FALSE(Run("out nonsense").passed);
  EXPECT_FALSE(Run("exit 0").passed);
  EXPECT_FALSE(Run("out []").passed);
}

TEST_F(SimulatorTest, ACrashIsQuoted) {
  SimulationOutcome outcome = Run("err line 3: unexpected indent\nexit 4");
  EXPECT_FALSE(outcome.passed);
  EXPECT_THAT(outcome.text, HasSubstr("unexpected indent"));
  EXPECT_THAT(outcome.text, HasSubstr("status 4"));
  EXPECT_THAT(Run("crash").text, HasSubstr("ended with status 1"));
}

TEST_F(SimulatorTest, ALoopIsEnded) {
  options_.timeout_ms = 200;
  SimulationOutcome outcome = Run("sleep");
  EXPECT_FALSE(outcome.passed);
  EXPECT_THAT(outcome.text, HasSubstr("200 ms"));
}

TEST_F(SimulatorTest, AFloodOfOutputIsEnded) {
  SimulationOutcome outcome = Run("flood");
  EXPECT_FALSE(outcome.passed);
  EXPECT_THAT(outcome.text, HasSubstr("bytes"));
}

TEST_F(SimulatorTest, AnActThatEndsTheChildFailsTheSimulationAndSaysSo) {
  const std::string report = "\nout {\"cases\":3,\"failed\":0}";
  SimulationOutcome outcome = Run("socket" + report);
  EXPECT_FALSE(outcome.passed);
  EXPECT_EQ(outcome.text, "it tried a system call, which no simulation may, and was ended");
  // As ferry-device says which.
  outcome = Run("err ferry-device: system call 101 is forbidden here\nexit 159");
  EXPECT_THAT(outcome.text, HasSubstr("which no simulation may"));
  EXPECT_THAT(outcome.text, testing::Not(HasSubstr("101")));
}

TEST_F(SimulatorTest, FiguresAndOutputsAreRead) {
  const SimulationOutcome outcome =
      Run("out {\"cases\":2,\"failed\":0,\"p50_ms\":1.5,\"peak_bytes\":4096,"
          "\"outputs\":[{\"case\":\"a\",\"output\":\"1\",\"tolerance\":0.1}],"
          "\"outputs_left_out\":1}");
  EXPECT_TRUE(outcome.passed && outcome.finished);
  EXPECT_EQ(outcome.median_ms, 1.5);
  EXPECT_EQ(outcome.peak_bytes, 4096);
  EXPECT_EQ(outcome.outputs, (std::vector<SimulatedOutput>{{"a", "1", 0.1}}));
  EXPECT_EQ(outcome.outputs_left_out, 1);
  EXPECT_THAT(outcome.numbers_json, testing::Not(HasSubstr("\"outputs\"")));
  EXPECT_FALSE(Run("out {\"cases\":2,\"failed\":0,\"outputs\":[1]}").passed);
  const SimulationOutcome absent = Run("out {\"passed\":false,\"not_here\":\"neon\"}\nexit 1");
  EXPECT_FALSE(absent.passed);
  EXPECT_EQ(absent.not_here, "neon");
  EXPECT_EQ(absent.text, "not runnable here: neon");
}

TEST_F(SimulatorTest, TheChildHasItsOrdersAndTheOtherPackage) {
  const std::string cases = folder_ + "/cases.fpk";
  sys::FileSystem& fs = sys::SystemFileSystem();
  const std::string acts = std::string("print ") + kChildSecondInput + "\nprint /proc/self/cmdline";
  ASSERT_TRUE(sys::WriteFileAtomically(fs, package_, AsBytes(acts), 0600).ok());
  const SimulatedMachine machine{"avx2", uint64_t{512} << 20};
  // The last line is what the child says, and no report: it is quoted.
  const auto quoted = [&](std::string_view second) {
    EXPECT_TRUE(sys::WriteFileAtomically(fs, cases, AsBytes(second), 0600).ok());
    Result<SimulationOutcome> outcome = RunSimulationChild(options_, package_, machine, cases);
    EXPECT_TRUE(outcome.ok()) << outcome.status().ToString();
    std::string text = outcome.ok() ? outcome->text : "";
    std::replace(text.begin(), text.end(), '\0', ' ');
    return text;
  };
  EXPECT_THAT(quoted("x"), HasSubstr("simulate /proc/self/fd/3 --json --outputs --isa avx2 "
                                     "--memory-mb 512 --cases-of /proc/self/fd/4"));
  const ChildLimits limits{.max_memory = 0, .input = package_, .second_input = cases};
  const Result<ChildResult> child = RunChild({"/proc/self/exe", "simulate", kChildInput}, limits);
  ASSERT_TRUE(child.ok()) << child.status().ToString();
  EXPECT_TRUE(child->output.starts_with("x\n")) << child->output;
}

TEST_F(SimulatorTest, AMissingProgramOrAScriptIsAnError) {
  options_.program = folder_ + "/program";
  Result<SimulationOutcome> outcome = Try("");
  EXPECT_EQ(outcome.code(), Code::kNotFound);
  EXPECT_THAT(outcome.status().message(), HasSubstr(options_.program));
  ASSERT_TRUE(sys::WriteFileAtomically(sys::SystemFileSystem(), options_.program,
                                       AsBytes(std::string_view("#!/bin/sh\n")), 0700)
                  .ok());
  outcome = Try("");
  EXPECT_EQ(outcome.code(), Code::kFailedPrecondition);
  EXPECT_THAT(outcome.status().message(), HasSubstr("is a script"));
}

}  // namespace
}  // namespace ferry::server
