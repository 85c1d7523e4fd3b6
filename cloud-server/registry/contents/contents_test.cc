#include "cloud-server/registry/contents/contents.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cloud-server/registry/test_publisher.h"
#include "common/base/json.h"
#include "common/package/manifest.h"
#include "common/package/script_source.h"
#include "common/package/writer.h"

namespace ferry::server {
namespace {

using testing::HasSubstr;

std::string CompiledWith(const std::string& source) {
  std::string file(
      "\x7f"
      "FBC",
      4);
  file += std::string(5, '\1');
  file += source.empty() ? '\0' : '\1';
  if (source.empty()) return file + "rest";
  for (size_t left = source.size();; left >>= 7) {
    file += static_cast<char>((left & 0x7F) | (left > 0x7F ? 0x80 : 0));
    if (left <= 0x7F) break;
  }
  return file + source + "rest";
}

class ContentsTest : public testing::Test {
 protected:
  // A package with these files, published as digits of that version.
  void Publish(const std::string& version, const std::map<std::string, std::string>& files) {
    package::Manifest manifest;
    manifest.name = "digits";
    manifest.version = version;
    manifest.task = {{"name", "digits"}};
    std::vector<package::SourceFile> sources;
    for (const auto& [path, text] : files) sources.push_back({path, AsBytes(text)});
    const Result<Bytes> package = package::WritePackage(manifest, sources);
    ASSERT_TRUE(package.ok()) << package.status().ToString();
    PublishBytes(version, std::string(AsText(*package)));
  }
  void PublishBytes(const std::string& version, const std::string& plain) {
    if (counter_ == 0) {
      ASSERT_TRUE(server_.registry->PutRoot(publisher_.RootDocument()).ok());
    }
    publisher_.Add(version, ++counter_, plain);
    const auto published = server_.registry->Publish(publisher_.Make());
    ASSERT_TRUE(published.ok()) << published.status().ToString();
  }
  Result<PackageText> TextOf(const std::string& version, const std::string& path,
                             const std::string& needs = {}) {
    PackageRow row;
    row.name = "digits";
    row.version = version;
    row.requires_json = needs;
    return ReadPackageText(*server_.registry, row, path);
  }

  TestServer server_;
  TestPublisher publisher_{server_};
  int64_t counter_ = 0;
};

TEST_F(ContentsTest, ListsFilesAndReadsTexts) {
  const std::string long_source(300, 'x');
  Publish("1.0.0", {{"a.txt", "first"},
                    {"folder/b.json",
                     "{\"gr\xC3\xB6\xC3\x9F"
                     "e\": 1}"},
                    {"empty.txt", ""},
                    {"task.fbc", CompiledWith(long_source)},
                    {"bare.fbc", CompiledWith("")},
                    {"weights.bin", std::string("\0\1\2", 3)},
                    {"latin.txt",
                     "gr\xF6\xDF"
                     "e"}});
  const Result<Json> manifest = ReadPackageManifest(*server_.registry, "digits", "1.0.0");
  ASSERT_TRUE(manifest.ok()) << manifest.status().ToString();
  EXPECT_EQ((*manifest)["files"].size(), 7u);
  const auto text = TextOf("1.0.0", "folder/b.json");
  ASSERT_TRUE(text.ok()) << text.status().ToString();
  EXPECT_EQ(text->text,
            "{\"gr\xC3\xB6\xC3\x9F"
            "e\": 1}");
  EXPECT_EQ(text->sha256, crypto::Sha256Hex(AsBytes(text->text)));
  EXPECT_FALSE(text->is_source);
  EXPECT_EQ(TextOf("1.0.0", "empty.txt")->text, "");
  const auto script = TextOf("1.0.0", "task.fbc");
  ASSERT_TRUE(script.ok()) << script.status().ToString();
  EXPECT_EQ(script->text, long_source);
  EXPECT_TRUE(script->is_source);
  EXPECT_THAT(TextOf("1.0.0", "bare.fbc").status().message(), HasSubstr("--no-source"));
  for (const char* path : {"weights.bin", "latin.txt"})
    EXPECT_THAT(TextOf("1.0.0", path).status().message(), HasSubstr("no text")) << path;
  EXPECT_EQ(TextOf("1.0.0", "none.txt").code(), Code::kNotFound);
  EXPECT_EQ(TextOf("2.0.0", "a.txt").code(), Code::kNotFound);
}

TEST_F(ContentsTest, LimitsAreNamed) {
  Publish("1.0.0", {{"most.txt", std::string(kMaxShownFileBytes, 'a')},
                    {"over.txt", std::string(kMaxShownFileBytes + 1, 'a')}});
  EXPECT_EQ(TextOf("1.0.0", "most.txt")->text.size(), kMaxShownFileBytes);
  const auto over = TextOf("1.0.0", "over.txt");
  EXPECT_EQ(over.code(), Code::kLimitExceeded);
  EXPECT_THAT(over.status().message(), HasSubstr("over.txt"));
}

TEST_F(ContentsTest, WhatIsEncryptedIsNotShown) {
  Publish("1.0.0", {{"a.txt", "first"}});
  const auto sealed = TextOf("1.0.0", "a.txt", R"({"at_rest":"sealed"})");
  EXPECT_EQ(sealed.code(), Code::kFailedPrecondition);
  EXPECT_THAT(sealed.status().message(), HasSubstr("encrypted"));
  EXPECT_TRUE(TextOf("1.0.0", "a.txt", R"({"os":"linux"})").ok());
  // A server without the escrow key that the content key was wrapped to.
  OnlineSecrets other = server_.secrets;
  other.escrow = crypto::AgreementKey::Generate(server_.random);
  Registry::Options options;
  options.store = server_.store.get();
  options.blobs = server_.blobs.get();
  options.clock = &server_.clock;
  options.random = &server_.random;
  options.secrets = &other;
  Registry stranger(options);
  const auto none = ReadPackageManifest(stranger, "digits", "1.0.0");
  EXPECT_EQ(none.code(), Code::kFailedPrecondition);
  EXPECT_THAT(none.status().message(), HasSubstr("cannot be read by this server"));
}

TEST_F(ContentsTest, WhatIsNoPackageOrIsGoneIsSaid) {
  PublishBytes("1.0.0", "package one");
  PublishBytes("1.1.0", "FERRYPKG" + std::string(40, '\xFF'));
  for (const char* version : {"1.0.0", "1.1.0"}) {
    const auto manifest = ReadPackageManifest(*server_.registry, "digits", version);
    EXPECT_EQ(manifest.code(), Code::kFailedPrecondition) << manifest.status().ToString();
    EXPECT_THAT(manifest.status().message(), HasSubstr("no package")) << version;
  }
  Publish("2.0.0", {{"a.txt", "first"}});
  const std::string sealed =
      ToHex(publisher_.targets.entries.at(trust::FullPath("digits", "2.0.0")).sha256);
  ASSERT_TRUE(server_.blobs->Remove(sealed).ok());
  EXPECT_EQ(TextOf("2.0.0", "a.txt").code(), Code::kFailedPrecondition);
}

TEST(ScriptSource, CutFilesHaveNone) {
  const std::string file = CompiledWith(std::string(200, 's'));
  EXPECT_EQ(package::SourceOfCompiled(AsBytes(file)), std::string(200, 's'));
  for (size_t size = 0; size < 4 + 5 + 1 + 2 + 200; ++size)
    EXPECT_EQ(package::SourceOfCompiled(AsBytes(file.substr(0, size))), "") << size;
  EXPECT_EQ(package::SourceOfCompiled(AsBytes("\x7f"
                                              "FBC\1\1\1\1\1\1" +
                                              std::string(20, '\xFF'))),
            "");
}

}  // namespace
}  // namespace ferry::server
