#include <functional>

#include "common/package/manifest.h"
#include "common/package/test_fixture.h"

namespace ferry::package {
namespace {

TEST(PackageTest, FilesComeBackAndAreAligned) {
  const TestPackage source;
  const Bytes bytes = source.Write();
  const auto package = Package::Open(bytes);
  ASSERT_TRUE(package.ok()) << package.status().ToString();
  EXPECT_EQ(package->manifest().name, "digits");
  EXPECT_EQ(package->manifest().task, Json({{"script", "task.py"}, {"rate", 0.5}}));
  EXPECT_EQ(AsText(*package->VerifiedFile("task.py")), source.script);
  EXPECT_EQ(ToBytes(*package->VerifiedFile("layers/2.bin")), source.layers[2]);
  EXPECT_EQ(package->File("empty")->size(), 0u);
  for (const FileEntry& file : package->manifest().files) {
    EXPECT_EQ((package->File(file.path)->data() - bytes.data()) % kFileAlignment, 0) << file.path;
  }
  EXPECT_TRUE(package->VerifyFiles().ok());
  EXPECT_EQ(package->File("nothing").status().ToString(),
            "not_found: package digits 1.0.0 has no file \"nothing\"");
  EXPECT_EQ(source.Write(), bytes) << "the same input gives the same bytes";
}

TEST(PackageTest, FileOnDisk) {
  const TestFolder folder;
  Manifest manifest;
  manifest.name = "m";
  manifest.version = "0.1.0-rc.1+build.5";
  manifest.content = "model";
  const Bytes weights = TestWeights(1000, 4);
  auto& fs = sys::SystemFileSystem();
  ASSERT_TRUE(WritePackageFile(fs, folder / "m.fpk", manifest, {{"m.fm", weights}}).ok());
  const auto package = Package::OpenFile(fs, folder / "m.fpk");
  ASSERT_TRUE(package.ok()) << package.status().ToString();
  const Package copy = *package;
  EXPECT_EQ(ToBytes(*copy.VerifiedFile("m.fm")), weights);
  EXPECT_EQ(fs.Stat(folder / "m.fpk.partial").code(), Code::kNotFound);
  EXPECT_EQ(Package::OpenFile(fs, folder / "none.fpk").code(), Code::kNotFound);
}

// The first bytes of a package, for readers of every later version.
TEST(PackageTest, GoldenBytes) {
  Manifest manifest;
  manifest.name = "m";
  manifest.version = "1.0.0";
  const Bytes bytes = *WritePackage(manifest, {{"a", AsBytes("A")}, {"b", AsBytes("BB")}});
  const std::string text =
      R"({"content":"task","files":[{"length":1,"offset":0,"path":"a","sha256":")"
      R"(559aead08264d5795d3909718cdd05abd49572e84fe55590eef31a88a08fdffd"},)"
      R"({"length":2,"offset":64,"path":"b","sha256":")"
      R"(fc686c314491e1f68bf1899fc54b2327353c44dd1ab4ed56538ef623edd1e866"}],)"
      R"("name":"m","version":"1.0.0"})";
  EXPECT_EQ(AsText(ByteView(bytes).first(8)), "FERRYPKG");
  EXPECT_EQ(GetU32(&bytes[8]), 1u);
  EXPECT_EQ(GetU32(&bytes[12]), text.size());
  EXPECT_EQ(AsText(ByteView(bytes).subspan(48, text.size())), text);
  const size_t content = (48 + text.size() + 63) / 64 * 64;
  EXPECT_EQ(bytes[content], 'A');
  EXPECT_EQ(AsText(ByteView(bytes).subspan(content + 64, 2)), "BB");
  EXPECT_EQ(bytes.size(), content + 128);
}

TEST(PackageTest, AnyFlippedByteIsFound) {
  TestPackage source;
  for (Bytes& layer : source.layers) layer.resize(97);
  const Bytes good = source.Write();
  for (size_t at = 0; at < good.size(); ++at) {
    Bytes bad = good;
    bad[at] ^= static_cast<uint8_t>(1 + at % 255);
    const auto package = Package::Open(bad);
    const Status status = package.ok() ? package->VerifyFiles() : package.status();
    EXPECT_FALSE(status.ok()) << "offset " << at;
  }
}

TEST(PackageTest, AnyCutIsFound) {
  TestPackage source;
  for (Bytes& layer : source.layers) layer.resize(97);
  Bytes bytes = source.Write();
  bytes.push_back(0);
  EXPECT_EQ(Package::Open(bytes).code(), Code::kBadPackage);
  bytes.pop_back();
  while (!bytes.empty()) {
    bytes.pop_back();
    const Code code = Package::Open(bytes).code();
    EXPECT_TRUE(code == Code::kTruncatedContent || code == Code::kBadPackage) << bytes.size();
  }
}

TEST(PackageTest, NewerFormatsAreNamed) {
  Bytes bytes = TestPackage().Write();
  PutU32(&bytes[8], 2);
  EXPECT_EQ(Package::Open(bytes).status().ToString(),
            "unsupported: package format 2, this reads 1");
  PutU32(&bytes[8], 1);
  PutU32(&bytes[12], kMaxManifestBytes + 1);
  EXPECT_EQ(Package::Open(bytes).code(), Code::kLimitExceeded);
}

TEST(ManifestTest, FilesMayNotOverlapEscapeOrBeOutOfOrder) {
  const Bytes bytes = TestPackage().Write();
  const Json good = ManifestToJson(Package::Open(bytes)->manifest());
  const auto message = [&](const std::function<void(Json&)>& change) {
    Json json = good;
    change(json);
    const Status status = ManifestFromJson(json).status();
    EXPECT_TRUE(status.code() == Code::kBadPackage) << status.ToString();
    return status.message();
  };
  EXPECT_TRUE(ManifestFromJson(good).ok());
  EXPECT_NE(message([](Json& j) { j["files"][1]["offset"] = 0; }).find("overlap"),
            std::string::npos);
  EXPECT_NE(message([](Json& j) { j["files"][3]["offset"] = 63; }).find("overlap"),
            std::string::npos);
  EXPECT_NE(message([](Json& j) {
              std::swap(j["files"][0]["path"], j["files"][1]["path"]);
            }).find("not sorted"),
            std::string::npos);
  EXPECT_NE(message([](Json& j) { j["files"][1]["path"] = j["files"][0]["path"]; }).find("twice"),
            std::string::npos);
  for (const char* path : {"/etc/passwd", "../up", "a/../b", "a//b", "a/", ".hidden", "", "a\\b"}) {
    EXPECT_NE(message([&](Json& j) { j["files"][0]["path"] = path; }).find("is no path"),
              std::string::npos)
        << path;
  }
  message([](Json& j) { j["files"][0]["length"] = -1; });
  message([](Json& j) { j["files"][0]["length"] = INT64_MAX; });
  message([](Json& j) { j["files"][0]["sha256"] = "00"; });
  message([](Json& j) { j["version"] = "1.0"; });
  message([](Json& j) { j["name"] = "a/b"; });
  message([](Json& j) { j["content"] = "film"; });
  message([](Json& j) { j["task"] = "text"; });
  message([](Json& j) { j.erase("files"); });
}

TEST(ManifestTest, Limits) {
  Manifest manifest;
  manifest.name = "m";
  manifest.version = "1.0.0";
  std::vector<SourceFile> files;
  for (size_t i = 0; i < kMaxPackageFiles; ++i) files.push_back({fmt::format("f{:04}", i), {}});
  EXPECT_TRUE(WritePackage(manifest, files).ok());
  files.push_back({"more", {}});
  EXPECT_EQ(WritePackage(manifest, files).code(), Code::kLimitExceeded);
  EXPECT_TRUE(IsFilePath(std::string(200, 'a') + "/" + std::string(54, 'b')));
  EXPECT_FALSE(IsFilePath(std::string(200, 'a') + "/" + std::string(55, 'b')));
  manifest.task["text"] = std::string(kMaxManifestBytes, 'x');
  EXPECT_EQ(WritePackage(manifest, {}).code(), Code::kLimitExceeded);
}

TEST(ManifestTest, SayingsComeBackAndAreLeftOutWhenUnset) {
  Manifest manifest;
  manifest.name = "digits";
  manifest.version = "1.0.0";
  EXPECT_FALSE(ManifestToJson(manifest).contains("licence"));
  EXPECT_FALSE(ManifestToJson(manifest).contains("description"));
  EXPECT_FALSE(ManifestToJson(manifest).contains("git"));
  manifest.licence = "Apache-2.0";
  manifest.description = "Reads digits";
  manifest.requires_ = {{"memory", "2 GiB"}};
  const auto read = ManifestFromJson(ManifestToJson(manifest));
  ASSERT_TRUE(read.ok()) << read.status().ToString();
  EXPECT_EQ(read->licence, manifest.licence);
  EXPECT_EQ(read->description, manifest.description);
  EXPECT_EQ(read->requires_, manifest.requires_);
  EXPECT_FALSE(read->git);
  manifest.git = trust::GitOrigin{"vision", "digits", "digits/1.0.0", std::string(40, 'a')};
  EXPECT_EQ(ManifestFromJson(ManifestToJson(manifest))->git, manifest.git);
  manifest.git->commit = "main";
  EXPECT_EQ(ManifestFromJson(ManifestToJson(manifest)).code(), Code::kBadPackage);
  manifest.git.reset();
  manifest.description = std::string(trust::kMaxDescriptionBytes + 1, 'x');
  EXPECT_EQ(ManifestFromJson(ManifestToJson(manifest)).code(), Code::kLimitExceeded);
}

TEST(ManifestTest, Versions) {
  for (const char* good : {"0.0.0", "1.2.3", "10.20.30", "1.0.0-rc.1", "1.0.0+b.5", "1.0.0-a+b"}) {
    EXPECT_TRUE(IsVersion(good)) << good;
  }
  for (const char* bad : {"", "1", "1.2", "1.2.3.4", "01.2.3", "1.2.x", "v1.2.3", "1.2.3-",
                          "1.2.3+", "1.2.3-a..b", "1.2.3-ä", "1..3"}) {
    EXPECT_FALSE(IsVersion(bad)) << bad;
  }
}

TEST(PackageTest, MutatedPackagesNeverCrash) {
  TestPackage source;
  for (Bytes& layer : source.layers) layer.resize(97);
  const Bytes good = source.Write();
  sys::SeededRandom random(5);
  for (int i = 0; i < 2000; ++i) {
    Bytes bad = good;
    for (uint64_t n = random.Below(4) + 1; n > 0; --n) {
      bad[random.Below(n % 2 == 0 ? 1200 : bad.size())] = static_cast<uint8_t>(random.Next64());
    }
    bad.resize(random.Below(8) == 0 ? random.Below(bad.size()) : bad.size());
    // Past the hash of the manifest, as someone with a key could make it.
    const size_t length = bad.size() < 48 ? 0 : std::min<size_t>(GetU32(&bad[12]), bad.size() - 48);
    if (length > 0) {
      const auto hash = crypto::Sha256(ByteView(bad).subspan(48, length));
      std::copy(hash.begin(), hash.end(), bad.begin() + 16);
    }
    const auto package = Package::Open(bad);
    if (!package.ok()) continue;
    (void)package->VerifyFiles();
  }
}

}  // namespace
}  // namespace ferry::package
