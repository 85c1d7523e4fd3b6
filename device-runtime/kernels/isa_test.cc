#include "device-runtime/kernels/isa.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "device-runtime/kernels/table.h"

namespace ferry::kernels {
namespace {

class IsaTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const char* value = std::getenv("FERRY_ISA");
    if (value != nullptr) saved_ = value;
  }
  void TearDown() override {
    if (saved_.empty()) {
      unsetenv("FERRY_ISA");
    } else {
      setenv("FERRY_ISA", saved_.c_str(), 1);
    }
  }
  std::string saved_;
};

TEST_F(IsaTest, EnvironmentForcesEachThatRuns) {
  for (Isa isa : RunningIsas()) {
    setenv("FERRY_ISA", IsaName(isa), 1);
    const Result<Isa> chosen = ChooseIsa();
    ASSERT_TRUE(chosen.ok()) << chosen.status().ToString();
    EXPECT_EQ(*chosen, isa);
    EXPECT_EQ(TableOf(isa).isa, isa);
  }
}

TEST_F(IsaTest, WithoutEnvironmentTheFastestRuns) {
  unsetenv("FERRY_ISA");
  EXPECT_EQ(ChooseIsa().value(), RunningIsas().back());
  setenv("FERRY_ISA", "", 1);
  EXPECT_EQ(ChooseIsa().value(), RunningIsas().back());
}

TEST_F(IsaTest, AreToldToWhomeverAsks) {  // tests/cross reads it under several processors
  std::string names;
  for (Isa isa : RunningIsas()) names += std::string(names.empty() ? "" : " ") + IsaName(isa);
  RecordProperty("isas", names);
  EXPECT_EQ(names.substr(0, 9), "reference");
}

#if defined(__aarch64__)
TEST_F(IsaTest, NeonRunsOnEveryAarch64) {
  setenv("FERRY_ISA", "neon", 1);
  EXPECT_EQ(ChooseIsa().value(), Isa::kNeon);
}
#endif

TEST_F(IsaTest, UnknownNameIsAnErrorThatNamesIt) {
  setenv("FERRY_ISA", "mmx", 1);
  const Result<Isa> chosen = ChooseIsa();
  EXPECT_EQ(chosen.code(), Code::kInvalidArgument);
  EXPECT_NE(chosen.status().message().find("FERRY_ISA"), std::string::npos);
  EXPECT_NE(chosen.status().message().find("'mmx'"), std::string::npos);
}

}  // namespace
}  // namespace ferry::kernels
