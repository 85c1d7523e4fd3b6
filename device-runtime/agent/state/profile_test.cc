#include "device-runtime/agent/state/profile.h"

#include <gtest/gtest.h>

#include "common/base/json.h"

namespace ferry::agent {
namespace {

class ProfileTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::TempDir() + "ferry_profile_" +
              testing::UnitTest::GetInstance()->current_test_info()->name();
    ASSERT_TRUE(fs_.RemoveTree(folder_).ok());
    ASSERT_TRUE(fs_.MakeDirectories(folder_).ok());
  }
  void TearDown() override { EXPECT_TRUE(fs_.RemoveTree(folder_).ok()); }

  static target::Attributes Said() {
    target::Attributes said;
    said.os = "android";
    said.app_version = "1.2.0";
    said.device_class = "high";
    said.tags = {"beta", "eu/de"};
    said.extra["shop"] = "7";
    said.user["plan"] = "pro";
    return said;
  }
  // As JSON, the ways of which are compared; damage goes to damage_.
  Json Keep(const std::optional<target::Attributes>& said) {
    damage_.clear();
    const auto kept = KeepProfile(fs_, folder_, said, &damage_);
    EXPECT_TRUE(kept.ok()) << kept.status().ToString();
    return kept.ok() ? target::AttributesToJson(*kept) : Json();
  }
  std::string Path(const char* copy) const { return folder_ + "/profile.json" + copy; }
  void Damage(const char* copy) {
    ASSERT_TRUE(sys::WriteFileAtomically(fs_, Path(copy), AsBytes("{\"os\":\"x")).ok());
  }

  sys::FileSystem& fs_ = sys::SystemFileSystem();
  std::string folder_, damage_;
};

TEST_F(ProfileTest, NothingSaidKeepsWhatWasSaid) {
  const Json none = target::AttributesToJson({}), said = target::AttributesToJson(Said());
  EXPECT_EQ(Keep(std::nullopt), none);
  EXPECT_FALSE(sys::Exists(fs_, Path("")));
  EXPECT_EQ(Keep(Said()), said);
  EXPECT_EQ(Keep(std::nullopt), said);
  EXPECT_EQ(Keep(std::nullopt), said);
  // Saying that there is nothing is another thing than saying nothing.
  EXPECT_EQ(Keep(target::Attributes()), none);
  EXPECT_EQ(Keep(std::nullopt), none);
}

TEST_F(ProfileTest, OneDamagedCopyIsMadeAnewAndTwoBeginAnew) {
  const Json said = Keep(Said());
  for (const char* copy : {"", ".2"}) {
    Damage(copy);
    EXPECT_EQ(Keep(std::nullopt), said);
    EXPECT_NE(damage_.find("profile.json"), std::string::npos) << damage_;
    EXPECT_EQ(Keep(std::nullopt), said);
    EXPECT_EQ(damage_, "");
  }
  Damage("");
  Damage(".2");
  EXPECT_EQ(Keep(std::nullopt), target::AttributesToJson({}));
  EXPECT_NE(damage_.find("begun anew"), std::string::npos) << damage_;
  EXPECT_EQ(Keep(Said()), said);
  EXPECT_EQ(damage_, "");
}

TEST_F(ProfileTest, AnErasureTakesTheUserOutAlone) {
  EXPECT_TRUE(ForgetUser(fs_, folder_).ok());
  EXPECT_FALSE(sys::Exists(fs_, Path("")));
  (void)Keep(Said());
  ASSERT_TRUE(ForgetUser(fs_, folder_).ok());
  target::Attributes left = Said();
  left.user.clear();
  EXPECT_EQ(Keep(std::nullopt), target::AttributesToJson(left));
  for (const char* copy : {"", ".2"}) {
    const auto bytes = sys::ReadFile(fs_, Path(copy), 4096);
    ASSERT_TRUE(bytes.ok());
    EXPECT_EQ(AsText(*bytes).find("plan"), std::string_view::npos);
  }
}

}  // namespace
}  // namespace ferry::agent
