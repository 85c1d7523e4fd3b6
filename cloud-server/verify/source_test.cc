#include "cloud-server/verify/source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cloud-server/registry/test_publisher.h"
#include "common/package/manifest.h"
#include "common/package/writer.h"
#include "device-runtime/llm/file/writer.h"
#include "device-runtime/llm/testing/tiny_model.h"

namespace ferry::server {
namespace {

using testing::HasSubstr;

// A package with `files` (path, bytes); its text is what TestPublisher seals.
std::string PackageOf(const std::vector<std::pair<std::string, Bytes>>& files) {
  package::Manifest manifest;
  manifest.name = "digits";
  manifest.version = "1.0.0";
  manifest.content = "model";
  std::vector<package::SourceFile> sources;
  for (const auto& [path, bytes] : files) sources.push_back({path, bytes});
  return std::string(AsText(package::WritePackage(manifest, sources).value()));
}

class SourceTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(server_.registry->PutRoot(publisher_.RootDocument()).ok());
    ASSERT_TRUE(llm::testing::WriteTinyModel(server_.fs, "tiny", {}).ok());
    tiny_ = llm::Model::Load(server_.fs, "tiny").value();
    ASSERT_TRUE(
        llm::WriteModelFile(server_.fs, *tiny_, "tiny.flm", kernels::WeightType::kBF16).ok());
    file_ = sys::ReadFile(server_.fs, "tiny.flm").value();
  }
  void Publish(const std::string& version, int64_t counter, const std::string& package) {
    publisher_.Add(version, counter, package);
    const auto published = server_.registry->Publish(publisher_.Make());
    ASSERT_TRUE(published.ok()) << published.status().ToString();
  }

  TestServer server_;
  TestPublisher publisher_{server_};
  TargetSource source_{*server_.store, *server_.registry, server_.fs, "/targets"};
  std::shared_ptr<const llm::Model> tiny_;
  Bytes file_;
};

TEST_F(SourceTest, OpensWhatWasPublishedAndLeavesNothingPlain) {
  EXPECT_EQ(source_.Version({"digits", ""}).code(), Code::kNotFound);
  Publish("1.0.0", 1, PackageOf({{"tiny.flm", file_}}));
  EXPECT_EQ(source_.Version({"digits", ""}).value(), "1.0.0");
  const auto model = source_.Open("digits", "1.0.0");
  ASSERT_TRUE(model.ok()) << model.status().ToString();
  EXPECT_EQ((*model)->digest(), tiny_->digest());
  EXPECT_FALSE(sys::Exists(server_.fs, "/targets/target.fpk"));
  EXPECT_FALSE(sys::Exists(server_.fs, "/targets"));
  // A newer version is the one to serve, unless the older is asked for.
  Publish("1.1.0", 2, PackageOf({{"tiny.flm", file_}}));
  EXPECT_EQ(source_.Version({"digits", ""}).value(), "1.1.0");
  EXPECT_EQ(source_.Version({"digits", "1.0.0"}).value(), "1.0.0");
  EXPECT_EQ(source_.Version({"digits", "3.0.0"}).code(), Code::kNotFound);
  EXPECT_EQ(source_.Version({"letters", ""}).code(), Code::kNotFound);
}

TEST_F(SourceTest, WhatIsNoTargetIsNamed) {
  Publish("1.0.0", 1, PackageOf({{"a.txt", {1, 2, 3}}}));
  auto model = source_.Open("digits", "1.0.0");
  EXPECT_EQ(model.code(), Code::kBadPackage);
  EXPECT_THAT(model.status().message(), HasSubstr("target digits 1.0.0"));
  Publish("1.1.0", 2, PackageOf({{"a.flm", file_}, {"b.flm", file_}}));
  model = source_.Open("digits", "1.1.0");
  EXPECT_EQ(model.code(), Code::kBadPackage);
  EXPECT_THAT(model.status().message(), HasSubstr("a.flm and b.flm"));
  Bytes damaged = file_;
  damaged[damaged.size() / 2] ^= 1;
  Publish("1.2.0", 3, PackageOf({{"a.flm", damaged}}));
  model = source_.Open("digits", "1.2.0");
  EXPECT_FALSE(model.ok());
  EXPECT_THAT(model.status().message(), HasSubstr("target digits 1.2.0"));
  Publish("1.3.0", 4, "no package at all");
  EXPECT_FALSE(source_.Open("digits", "1.3.0").ok());
  EXPECT_FALSE(sys::Exists(server_.fs, "/targets"));
  EXPECT_EQ(source_.Open("digits", "9.0.0").code(), Code::kNotFound);
}

TEST(TargetNameTest, PackageAndVersion) {
  EXPECT_EQ(ParseTargetName("pair")->package, "pair");
  EXPECT_EQ(ParseTargetName("pair")->version, "");
  EXPECT_EQ(ParseTargetName("pair@1.0.0")->version, "1.0.0");
  EXPECT_EQ(ParseTargetName("").code(), Code::kInvalidArgument);
  EXPECT_EQ(ParseTargetName("@1").code(), Code::kInvalidArgument);
  EXPECT_EQ(ParseTargetName("pair@").code(), Code::kInvalidArgument);
}

}  // namespace
}  // namespace ferry::server
