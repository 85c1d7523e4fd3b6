#include "cloud-server/rollout/trial/draft.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/package/manifest.h"
#include "common/package/reader.h"
#include "common/package/writer.h"
#include "common/sys/sim/filesystem.h"

namespace ferry::server {
namespace {

using testing::HasSubstr;

class DraftTest : public testing::Test {
 protected:
  void SetUp() override {
    manifest_.name = "visits";
    manifest_.version = "1.0.0";
    manifest_.task = {{"name", "visits"}, {"version", "1.0.0"}, {"script", "task.py"}};
    manifest_.simulation = {{"cases", "seen.json"}};
    manifest_.git = trust::GitOrigin{"shop", "visits", "visits/1.0.0", std::string(40, 'a')};
  }
  Result<package::Package> Make(const Draft& draft) {
    const Status written = package::WritePackageFile(fs_, "base.fpk", manifest_,
                                                     {{"task.fbc", AsBytes(script_)},
                                                      {"other.fbc", AsBytes(script_)},
                                                      {"model.fm", AsBytes(model_)},
                                                      {"seen.json", AsBytes(seen_)}});
    EXPECT_TRUE(written.ok()) << written.ToString();
    FERRY_TRY(CheckDraft(draft));
    FERRY_TRY(WriteDraft(fs_, "base.fpk", draft, "draft.fpk"));
    return package::Package::OpenFile(fs_, "draft.fpk");
  }
  static std::string TextOf(const package::Package& package, const char* path) {
    const auto bytes = package.VerifiedFile(path);
    return bytes.ok() ? std::string(AsText(*bytes)) : bytes.status().ToString();
  }

  sys::SimFileSystem fs_;
  package::Manifest manifest_;
  const std::string script_ = "print(1)\n", model_ = "weights", seen_ = "{\"cases\":[]}";
};

TEST_F(DraftTest, TextsReplaceFilesAndTheRestStays) {
  Draft draft{"visits", "1.0.0", "1.0.1", {{"task.py", "print(2)\n"}, {"more.py", "x = 1\n"}}, {}};
  draft.cases = Json::array({{{"name", "one"}}});
  const auto package = Make(draft);
  ASSERT_TRUE(package.ok()) << package.status().ToString();
  EXPECT_EQ(package->manifest().version, "1.0.1");
  EXPECT_EQ(package->manifest().task["version"], "1.0.1");
  EXPECT_FALSE(package->manifest().git);
  EXPECT_EQ(TextOf(*package, "task.py"), "print(2)\n");
  EXPECT_EQ(TextOf(*package, "more.py"), "x = 1\n");
  EXPECT_FALSE(package->Has("task.fbc"));
  EXPECT_TRUE(package->Has("other.fbc"));
  EXPECT_EQ(TextOf(*package, "model.fm"), "weights");
  EXPECT_EQ(TextOf(*package, "seen.json"), "{\"cases\":[{\"name\":\"one\"}]}");
  EXPECT_TRUE(package->VerifyFiles().ok());
}

TEST_F(DraftTest, WithoutAVersionItKeepsThatOfTheBase) {
  const auto package = Make({"visits", "1.0.0", "", {}, {}});
  ASSERT_TRUE(package.ok()) << package.status().ToString();
  EXPECT_EQ(package->manifest().version, "1.0.0");
  EXPECT_EQ(TextOf(*package, "task.fbc"), script_);
  EXPECT_EQ(TextOf(*package, "seen.json"), seen_);
}

TEST_F(DraftTest, TheTaskCanBeDescribedAnew) {
  const auto package =
      Make({"visits", "1.0.0", "2.0.0", {{"task.json", R"({"script":"task.py","x":1})"}}, {}});
  ASSERT_TRUE(package.ok()) << package.status().ToString();
  EXPECT_EQ(package->manifest().task["x"], 1);
  EXPECT_FALSE(package->Has("task.json"));
  EXPECT_EQ(Make({"visits", "1.0.0", "", {{"task.json", "[1]"}}, {}}).code(), Code::kMalformed);
}

TEST_F(DraftTest, WhatIsNoDraftIsNamed) {
  const auto why = [](const Draft& draft) { return CheckDraft(draft).ToString(); };
  EXPECT_THAT(why({"v", "1", "", {{"../task.py", ""}}, {}}), HasSubstr("files: \"../task.py\""));
  EXPECT_THAT(why({"v", "1", "next", {}, {}}), HasSubstr("version: \"next\""));
  EXPECT_THAT(why({"v", "1", "", {}, Json::object()}), HasSubstr("cases:"));
  EXPECT_EQ(CheckDraft({"v", "1", "", {{"a.py", std::string(kMaxDraftBytes + 1, 'x')}}, {}}).code(),
            Code::kLimitExceeded);
  Draft many{"v", "1", "", {}, {}};
  for (size_t i = 0; i <= kMaxDraftFiles; ++i) many.files["f" + std::to_string(i)] = "";
  EXPECT_EQ(CheckDraft(many).code(), Code::kLimitExceeded);
}

TEST_F(DraftTest, AModelHasNoScript) {
  manifest_.content = "model";
  manifest_.task = Json::object();
  EXPECT_EQ(Make({"visits", "1.0.0", "", {{"task.py", ""}}, {}}).code(), Code::kFailedPrecondition);
}

}  // namespace
}  // namespace ferry::server
