// What is sealed at rest: read as it was by whoever has the key, of no use to others, and nothing
// of it in plain on the disk.
#include "common/package/at_rest.h"

#include <gtest/gtest.h>

#include "common/package/manifest.h"
#include "common/package/reader.h"
#include "common/package/writer.h"
#include "common/sys/sim/filesystem.h"

namespace ferry::package {
namespace {

constexpr std::string_view kMarker = "a sentence that must not lie on the disk";

class AtRestTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(disk_.MakeDirectories("/data/packages").ok()); }
  AtRest With(uint8_t tag) {
    const Bytes key(32, tag);
    return AtRest(disk_, "/data", crypto::Secret32::From(key, "key").value(), random_);
  }
  AtRest Without() { return AtRest(disk_, "/data", std::nullopt, random_); }
  static Bytes Content(size_t bytes) {
    Bytes out;
    while (out.size() < bytes) out.insert(out.end(), kMarker.begin(), kMarker.end());
    out.resize(bytes);
    return out;
  }
  void Write(AtRest& rest, const Bytes& content, const std::string& path = kPath) {
    ASSERT_TRUE(sys::WriteFileAtomically(rest.sealing(), path, content).ok());
  }
  Bytes OnDisk() { return sys::ReadFile(disk_, kPath).value(); }

  static constexpr char kPath[] = "/data/packages/x";
  sys::SimFileSystem disk_;
  sys::SeededRandom random_{3};
};

TEST_F(AtRestTest, AnyLengthIsReadAsItWasWritten) {
  AtRest rest = With(1);
  for (const size_t bytes : {0u, 1u, 16383u, 16384u, 16385u, 300'000u}) {
    SCOPED_TRACE(bytes);
    const Bytes content = Content(bytes);
    Write(rest, content);
    const auto mapped = rest.reading().Map(kPath);
    ASSERT_TRUE(mapped.ok()) << mapped.status().ToString();
    EXPECT_EQ(ToBytes((*mapped)->bytes()), content);
    EXPECT_EQ(reinterpret_cast<uintptr_t>((*mapped)->bytes().data()) % 64, 0u);
    EXPECT_EQ(sys::ReadFile(rest.reading(), kPath).value(), content);
    EXPECT_EQ(rest.reading().Stat(kPath)->size, bytes);
    Bytes piece(10);
    const auto file = rest.reading().OpenForRead(kPath).value();
    const size_t read = file->ReadAt(bytes / 2, piece).value();
    EXPECT_TRUE(std::equal(piece.begin(), piece.begin() + static_cast<ptrdiff_t>(read),
                           content.begin() + static_cast<ptrdiff_t>(bytes / 2)));
  }
}

TEST_F(AtRestTest, NothingLiesInPlainAndNoTwoFilesAreAlike) {
  AtRest rest = With(1);
  Write(rest, Content(100'000));
  const Bytes first = OnDisk();
  EXPECT_EQ(AsText(first).find(kMarker.substr(0, 12)), std::string_view::npos);
  Write(rest, Content(100'000));
  EXPECT_NE(OnDisk(), first);
}

TEST_F(AtRestTest, ACopyWithoutTheKeyIsOfNoUse) {
  AtRest rest = With(1);
  Write(rest, Content(100));
  AtRest other = With(2), none = Without();
  EXPECT_EQ(other.reading().Map(kPath).code(), Code::kWrongKey);
  EXPECT_EQ(other.reading().OpenForRead(kPath).code(), Code::kWrongKey);
  const Status refused = none.reading().Map(kPath).status();
  EXPECT_EQ(refused.code(), Code::kWrongKey);
  EXPECT_NE(refused.message().find("no key was given"), std::string::npos);
  EXPECT_EQ(none.sealing().OpenForWrite(kPath, sys::WriteMode::kTruncate).code(),
            Code::kFailedPrecondition);
}

// Every byte of the header, and some of the chunks and tags.
TEST_F(AtRestTest, DamageIsFound) {
  AtRest rest = With(1);
  const Bytes content = Content(50'000);
  Write(rest, content);
  const Bytes whole = OnDisk();
  for (size_t at = 0; at < whole.size(); at += at < 200 ? 1 : 997) {
    Bytes damaged = whole;
    damaged[at] ^= 4;
    ASSERT_TRUE(sys::WriteFileAtomically(disk_, kPath, damaged).ok());
    const auto mapped = rest.reading().Map(kPath);
    // Without the magic it is no sealed file: what reads it as a package finds that it is none.
    EXPECT_EQ(mapped.ok(), at < kAtRestMagic.size()) << at;
    if (mapped.ok()) {
      EXPECT_FALSE(Package::Open((*mapped)->bytes()).ok()) << at;
    }
  }
  for (const size_t left : {whole.size() - 1, whole.size() / 2, kAtRestHeaderBytes + 10}) {
    ASSERT_TRUE(sys::WriteFileAtomically(disk_, kPath, ByteView(whole).first(left)).ok());
    EXPECT_FALSE(rest.reading().Map(kPath).ok()) << left;
  }
}

TEST_F(AtRestTest, PlainFilesAndThoseElsewhereAreAsTheyAre) {
  AtRest rest = With(1);
  ASSERT_TRUE(sys::WriteFileAtomically(rest.reading(), kPath, Content(70)).ok());
  EXPECT_EQ(OnDisk(), Content(70));
  EXPECT_EQ(ToBytes(rest.reading().Map(kPath).value()->bytes()), Content(70));
  EXPECT_EQ(rest.reading().Map("/data/none").code(), Code::kNotFound);
  EXPECT_EQ(rest.reading().OpenForRead("/data/none").code(), Code::kNotFound);
  ASSERT_TRUE(disk_.MakeDirectories("/elsewhere").ok());
  const std::string fake = std::string(kAtRestMagic) + std::string(100, 'x');
  ASSERT_TRUE(sys::WriteFileAtomically(disk_, "/elsewhere/x", AsBytes(fake)).ok());
  EXPECT_EQ(ToBytes(rest.reading().Map("/elsewhere/x").value()->bytes()), ToBytes(fake));
}

TEST_F(AtRestTest, APackageIsLoadedThroughIt) {
  AtRest rest = With(1);
  Manifest manifest;
  manifest.name = "t";
  manifest.version = "1.0.0";
  const Bytes weights = Content(200'000);
  const Bytes plain =
      WritePackage(manifest, {{"task.py", AsBytes("x = 1")}, {"weights", weights}}).value();
  Write(rest, plain);
  auto package = Package::OpenFile(rest.reading(), kPath);
  ASSERT_TRUE(package.ok()) << package.status().ToString();
  EXPECT_TRUE(package->VerifyFiles().ok());
  EXPECT_EQ(ToBytes(package->File("weights").value()), weights);
  // Without the view it says what it is.
  const Status bare = Package::OpenFile(disk_, kPath).status();
  EXPECT_EQ(bare.code(), Code::kWrongKey);
}

}  // namespace
}  // namespace ferry::package
