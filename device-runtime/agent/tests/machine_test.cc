#include "device-runtime/agent/machine.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "common/proto/envelope.h"
#include "device-runtime/agent/line/messages.h"

namespace ferry::agent {
namespace {

TEST(Machine, SaysWhatThisOneHasAndKeepsTheClass) {
  sys::FileSystem& fs = sys::SystemFileSystem();
  const std::string folder = testing::TempDir() + "ferry_machine";
  ASSERT_TRUE(fs.RemoveTree(folder).ok());
  ASSERT_TRUE(fs.MakeDirectories(folder).ok());
  target::Attributes found;
  FillMachine(fs, folder, &found);
  EXPECT_EQ(found.os, "linux");
  EXPECT_GT(found.memory_bytes.value_or(0), int64_t{64} << 20);
  EXPECT_GT(found.free_bytes.value_or(0), 0);
#if defined(__x86_64__)
  EXPECT_NE(std::find(found.isa.begin(), found.isa.end(), "x86_64"), found.isa.end());
#endif
  EXPECT_EQ(std::find(found.isa.begin(), found.isa.end(), "reference"), found.isa.end());
  ASSERT_TRUE(found.measured_class);

  // What was measured once holds; what the profile says wins; a damaged file is measured anew.
  const std::string path = folder + "/measured_class";
  ASSERT_TRUE(sys::WriteFileAtomically(fs, path, AsBytes("low")).ok());
  target::Attributes said;
  said.memory_bytes = 5;
  said.os = "ios";
  said.isa = {"neon"};
  FillMachine(fs, folder, &said);
  EXPECT_EQ(said.measured_class, "low");
  EXPECT_EQ(said.memory_bytes, 5);
  EXPECT_EQ(said.os, "ios");
  EXPECT_EQ(said.isa, std::vector<std::string>{"neon"});
  ASSERT_TRUE(sys::WriteFileAtomically(fs, path, AsBytes("lo")).ok());
  target::Attributes again;
  FillMachine(fs, folder, &again);
  EXPECT_NE(again.measured_class, "lo");
  EXPECT_TRUE(fs.RemoveTree(folder).ok());
}

TEST(Machine, Classes) {
  const int64_t gib = int64_t{1} << 30;
  EXPECT_EQ(ClassOf(2e9, 4, 4 * gib), "high");
  EXPECT_EQ(ClassOf(2e9, 4, -1), "high");
  EXPECT_EQ(ClassOf(2e9, 2, 4 * gib), "mid");
  EXPECT_EQ(ClassOf(2e9, 8, 2 * gib), "mid");
  EXPECT_EQ(ClassOf(1.9e9, 8, 8 * gib), "mid");
  EXPECT_EQ(ClassOf(5e8, 1, 8 * gib), "low");
  EXPECT_EQ(ClassOf(4e8, 8, 8 * gib), "low");
  EXPECT_EQ(ClassOf(5e9, 8, gib), "low");
}

// A full disk is said as such, and what is not known is not said.
TEST(Machine, TravelsInTheProfile) {
  target::Attributes attributes;
  proto::Profile none;
  FillProfile(attributes, &none);
  EXPECT_FALSE(none.has_memory_bytes());
  EXPECT_FALSE(none.has_free_bytes());
  attributes.free_bytes = 0;
  attributes.memory_bytes = 7;
  attributes.isa = {"arm64", "neon"};
  attributes.measured_class = "mid";
  attributes.user["plan"] = "pro";
  attributes.groups = {"staff"};  // the operator's to say
  proto::Profile profile;
  FillProfile(attributes, &profile);
  EXPECT_TRUE(profile.has_free_bytes());
  EXPECT_EQ(profile.memory_bytes(), 7);
  EXPECT_EQ(profile.isa_size(), 2);
  EXPECT_EQ(profile.measured_class(), "mid");
  EXPECT_EQ(profile.user().at("plan"), "pro");
}

}  // namespace
}  // namespace ferry::agent
