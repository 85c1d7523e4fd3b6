// What a power cut, a full disk and injected failures leave on the disk in memory.
#include <gtest/gtest.h>

#include "common/sys/sim/filesystem.h"

namespace ferry::sys {
namespace {

std::string Get(FileSystem& fs, const std::string& path) {
  const Result<Bytes> bytes = ReadFile(fs, path);
  return bytes.ok() ? std::string(AsText(*bytes)) : "-";
}

TEST(PowerCut, UnsyncedBytesAreLost) {
  SimFileSystem fs;
  auto file = fs.OpenForWrite("/f", WriteMode::kTruncate);
  ASSERT_TRUE((*file)->Append(AsBytes("kept")).ok());
  ASSERT_TRUE((*file)->Sync().ok());
  ASSERT_TRUE(fs.SyncDirectory("/").ok());
  ASSERT_TRUE((*file)->Append(AsBytes("lost")).ok());
  EXPECT_EQ(Get(fs, "/f"), "keptlost");
  fs.CutPower();
  EXPECT_EQ(Get(fs, "/f"), "kept");
  EXPECT_EQ((*file)->Append(AsBytes("x")).code(), Code::kIo);
}

TEST(PowerCut, UnsyncedNamesAreLost) {
  SimFileSystem fs;
  auto file = fs.OpenForWrite("/f", WriteMode::kTruncate);
  ASSERT_TRUE((*file)->Append(AsBytes("x")).ok());
  ASSERT_TRUE((*file)->Sync().ok());
  fs.CutPower();
  EXPECT_FALSE(Exists(fs, "/f"));
}

TEST(PowerCut, AnUnsyncedRenameIsUndone) {
  SimFileSystem fs;
  ASSERT_TRUE(WriteFileAtomically(fs, "/a", AsBytes("a")).ok());
  ASSERT_TRUE(WriteFileAtomically(fs, "/b", AsBytes("b")).ok());
  ASSERT_TRUE(fs.Rename("/a", "/b").ok());
  EXPECT_EQ(Get(fs, "/b"), "a");
  fs.CutPower();
  EXPECT_EQ(Get(fs, "/a"), "a");
  EXPECT_EQ(Get(fs, "/b"), "b");
}

TEST(PowerCut, AnUnsyncedTruncationKeepsTheOldBytes) {
  SimFileSystem fs;
  ASSERT_TRUE(WriteFileAtomically(fs, "/a", AsBytes("old")).ok());
  auto file = fs.OpenForWrite("/a", WriteMode::kTruncate);
  ASSERT_TRUE((*file)->Append(AsBytes("newer")).ok());
  fs.CutPower();
  EXPECT_EQ(Get(fs, "/a"), "old");
}

TEST(PowerCut, TornWritesKeepAPrefix) {
  SeededRandom random(3);
  bool partial = false;
  for (int i = 0; i < 30; ++i) {
    SimFileSystem fs;
    ASSERT_TRUE(WriteFileAtomically(fs, "/f", AsBytes("0123")).ok());
    auto file = fs.OpenForWrite("/f", WriteMode::kAppend);
    ASSERT_TRUE((*file)->Append(AsBytes("456789")).ok());
    fs.CutPower(&random);
    const std::string left = Get(fs, "/f");
    EXPECT_EQ(left, std::string("0123456789").substr(0, left.size()));
    EXPECT_GE(left.size(), 4u);
    partial |= left.size() > 4 && left.size() < 10;
  }
  EXPECT_TRUE(partial);
}

// At whichever change the power goes, the atomic write leaves the old or the new file.
TEST(PowerCut, AtomicWritesAreAtomicAtEveryStep) {
  for (uint64_t cut_at = 1;; ++cut_at) {
    SimFileSystem fs;
    ASSERT_TRUE(WriteFileAtomically(fs, "/f", AsBytes("old")).ok());
    const uint64_t before = fs.changes();
    bool fired = false;
    uint64_t count = 0;
    fs.SetFault([&](const char* what, const std::string& path) {
      if (++count < cut_at) return OkStatus();
      fired = true;
      return Status::Of(Code::kIo, "{} {}: injected", what, path);
    });
    const Status status = WriteFileAtomically(fs, "/f", AsBytes("new"));
    fs.SetFault(nullptr);
    fs.CutPower();
    const std::string left = Get(fs, "/f");
    if (!fired) {
      EXPECT_TRUE(status.ok());
      EXPECT_EQ(left, "new");
      EXPECT_GT(fs.changes(), before);
      break;
    }
    EXPECT_FALSE(status.ok());
    EXPECT_EQ(left, "old") << "cut at change " << cut_at;
    ASSERT_LT(cut_at, 20u);
  }
}

TEST(FullDisk, WritesStopAtTheCapacity) {
  SimFileSystem fs;
  fs.SetCapacity(10);
  ASSERT_TRUE(WriteFileAtomically(fs, "/a", AsBytes("123456")).ok());
  EXPECT_EQ(*fs.FreeBytes("/"), 4u);
  EXPECT_EQ(WriteFileAtomically(fs, "/b", AsBytes("12345")).code(), Code::kDiskFull);
  EXPECT_EQ(*fs.FreeBytes("/"), 4u);
  EXPECT_TRUE(WriteFileAtomically(fs, "/b", AsBytes("1234")).ok());
}

TEST(SimFiles, CorruptFlipsBits) {
  SimFileSystem fs;
  ASSERT_TRUE(WriteFileAtomically(fs, "/a", AsBytes("abc")).ok());
  ASSERT_TRUE(fs.Corrupt("/a", 1, 1).ok());
  EXPECT_EQ(Get(fs, "/a"), "acc");
  EXPECT_EQ(fs.Corrupt("/a", 3, 1).code(), Code::kOutOfRange);
}

}  // namespace
}  // namespace ferry::sys
