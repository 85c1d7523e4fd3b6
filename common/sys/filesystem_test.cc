// One contract, both disks.
#include "common/sys/filesystem.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "common/sys/pages.h"
#include "common/sys/sim/filesystem.h"

namespace ferry::sys {
namespace {

class Disk {
 public:
  virtual ~Disk() = default;
  virtual FileSystem& fs() = 0;
  virtual std::string root() = 0;
};

class PosixDisk : public Disk {
 public:
  PosixDisk() {
    char name[] = "/tmp/ferry-sys-XXXXXX";
    root_ = mkdtemp(name);
  }
  ~PosixDisk() override { (void)SystemFileSystem().RemoveTree(root_); }
  FileSystem& fs() override { return SystemFileSystem(); }
  std::string root() override { return root_; }

 private:
  std::string root_;
};

class SimDisk : public Disk {
 public:
  SimDisk() { EXPECT_TRUE(fs_.MakeDirectories("/data").ok()); }
  FileSystem& fs() override { return fs_; }
  std::string root() override { return "/data"; }

 private:
  SimFileSystem fs_;
};

class FileSystemContract : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (std::string(GetParam()) == "posix") {
      disk_ = std::make_unique<PosixDisk>();
    } else {
      disk_ = std::make_unique<SimDisk>();
    }
  }
  FileSystem& fs() { return disk_->fs(); }
  std::string Path(const std::string& name) { return JoinPath(disk_->root(), name); }
  Status Put(const std::string& name, std::string_view text,
             WriteMode mode = WriteMode::kTruncate) {
    FERRY_ASSIGN_OR_RETURN(auto file, fs().OpenForWrite(Path(name), mode));
    FERRY_TRY(file->Append(AsBytes(text)));
    FERRY_TRY(file->Sync());
    return file->Close();
  }
  std::string Get(const std::string& name) {
    const Result<Bytes> bytes = ReadFile(fs(), Path(name));
    return bytes.ok() ? std::string(AsText(*bytes)) : bytes.status().ToString();
  }

  std::unique_ptr<Disk> disk_;
};

INSTANTIATE_TEST_SUITE_P(Both, FileSystemContract, testing::Values("posix", "sim"),
                         [](const auto& info) { return std::string(info.param); });

TEST_P(FileSystemContract, WriteModes) {
  ASSERT_TRUE(Put("f", "one").ok());
  EXPECT_EQ(Get("f"), "one");
  ASSERT_TRUE(Put("f", "two", WriteMode::kAppend).ok());
  EXPECT_EQ(Get("f"), "onetwo");
  ASSERT_TRUE(Put("f", "3").ok());
  EXPECT_EQ(Get("f"), "3");
  EXPECT_EQ(Put("f", "4", WriteMode::kMustBeNew).code(), Code::kAlreadyExists);
  ASSERT_TRUE(Put("g", "5", WriteMode::kMustBeNew).ok());
  ASSERT_TRUE(Put("h", "6", WriteMode::kAppend).ok());
  EXPECT_EQ(Get("h"), "6");
}

TEST_P(FileSystemContract, ReadAtEdges) {
  ASSERT_TRUE(Put("f", "0123456789").ok());
  auto file = fs().OpenForRead(Path("f"));
  ASSERT_TRUE(file.ok());
  EXPECT_EQ(*(*file)->Size(), 10u);
  uint8_t out[6];
  EXPECT_EQ(*(*file)->ReadAt(3, out), 6u);
  EXPECT_EQ(AsText(out), "345678");
  EXPECT_EQ(*(*file)->ReadAt(7, out), 3u);
  EXPECT_EQ(*(*file)->ReadAt(10, out), 0u);
  EXPECT_EQ(*(*file)->ReadAt(UINT64_MAX, out), 0u);
}

TEST_P(FileSystemContract, MapSeesTheBytes) {
  ASSERT_TRUE(Put("f", "mapped").ok());
  ASSERT_TRUE(Put("empty", "").ok());
  auto map = fs().Map(Path("f"));
  ASSERT_TRUE(map.ok()) << map.status().ToString();
  EXPECT_EQ(AsText((*map)->bytes()), "mapped");
  EXPECT_EQ((*fs().Map(Path("empty")))->bytes().size(), 0u);
  EXPECT_EQ(fs().Map(Path("none")).code(), Code::kNotFound);
  EXPECT_FALSE(fs().Map(disk_->root()).ok());
}

TEST_P(FileSystemContract, DirectoriesAndLists) {
  ASSERT_TRUE(fs().MakeDirectories(Path("a/b/c")).ok());
  ASSERT_TRUE(fs().MakeDirectories(Path("a/b/c")).ok());
  ASSERT_TRUE(Put("a/z", "1").ok());
  ASSERT_TRUE(Put("a/m", "22").ok());
  EXPECT_EQ(*fs().List(Path("a")), (std::vector<std::string>{"b", "m", "z"}));
  EXPECT_TRUE(fs().Stat(Path("a/b"))->is_directory);
  EXPECT_EQ(fs().Stat(Path("a/m"))->size, 2u);
  EXPECT_EQ(fs().Stat(Path("a/m"))->permissions, kPrivateFile);
  EXPECT_EQ(fs().MakeDirectories(Path("a/z")).code(), Code::kAlreadyExists);
  EXPECT_EQ(fs().List(Path("none")).code(), Code::kNotFound);
  EXPECT_FALSE(fs().OpenForRead(Path("a")).ok());
  EXPECT_FALSE(fs().OpenForWrite(Path("a"), WriteMode::kTruncate).ok());
}

TEST_P(FileSystemContract, RenameReplaces) {
  ASSERT_TRUE(Put("a", "new").ok());
  ASSERT_TRUE(Put("b", "old").ok());
  ASSERT_TRUE(fs().Rename(Path("a"), Path("b")).ok());
  EXPECT_EQ(Get("b"), "new");
  EXPECT_FALSE(Exists(fs(), Path("a")));
  EXPECT_EQ(fs().Rename(Path("a"), Path("c")).code(), Code::kNotFound);
  ASSERT_TRUE(fs().MakeDirectories(Path("d")).ok());
  EXPECT_FALSE(fs().Rename(Path("b"), Path("d")).ok());
  EXPECT_TRUE(fs().SyncDirectory(disk_->root()).ok());
}

TEST_P(FileSystemContract, RemoveAndErrorsNameThePath) {
  ASSERT_TRUE(Put("f", "x").ok());
  ASSERT_TRUE(fs().Remove(Path("f")).ok());
  const Status again = fs().Remove(Path("f"));
  EXPECT_EQ(again.code(), Code::kNotFound);
  EXPECT_NE(again.message().find(Path("f")), std::string::npos);
  EXPECT_EQ(fs().OpenForRead(Path("f")).code(), Code::kNotFound);
  EXPECT_EQ(fs().OpenForWrite(Path("no/f"), WriteMode::kTruncate).code(), Code::kNotFound);
  ASSERT_TRUE(fs().MakeDirectories(Path("t/u")).ok());
  ASSERT_TRUE(Put("t/u/f", "x").ok());
  EXPECT_FALSE(fs().Remove(Path("t")).ok());
  ASSERT_TRUE(fs().RemoveTree(Path("t")).ok());
  EXPECT_FALSE(Exists(fs(), Path("t")));
  EXPECT_TRUE(fs().RemoveTree(Path("t")).ok());
}

TEST_P(FileSystemContract, WholeFilesWithALimit) {
  ASSERT_TRUE(WriteFileAtomically(fs(), Path("w"), AsBytes("12345")).ok());
  EXPECT_EQ(Get("w"), "12345");
  EXPECT_TRUE(ReadFile(fs(), Path("w"), 5).ok());
  EXPECT_EQ(ReadFile(fs(), Path("w"), 4).code(), Code::kLimitExceeded);
  EXPECT_EQ(*fs().List(disk_->root()), std::vector<std::string>{"w"});
}

TEST_P(FileSystemContract, AnOpenFileSurvivesItsRemoval) {
  ASSERT_TRUE(Put("f", "still").ok());
  auto file = fs().OpenForRead(Path("f"));
  ASSERT_TRUE(file.ok());
  ASSERT_TRUE(fs().Remove(Path("f")).ok());
  uint8_t out[5];
  EXPECT_EQ(*(*file)->ReadAt(0, out), 5u);
}

TEST_P(FileSystemContract, FreeBytesIsPositive) {
  EXPECT_GT(*fs().FreeBytes(disk_->root()), 0u);
}

TEST(DiskLimit, WritesPastItFail) {
  PosixDisk disk;
  // The count covers the whole process: allow nothing more.
  setenv("FERRY_DISK_LIMIT_BYTES", "0", 1);
  const Status status =
      WriteFileAtomically(disk.fs(), JoinPath(disk.root(), "f"), AsBytes("some bytes"));
  unsetenv("FERRY_DISK_LIMIT_BYTES");
  EXPECT_EQ(status.code(), Code::kDiskFull);
  EXPECT_TRUE(disk.fs().List(disk.root())->empty());
  EXPECT_TRUE(WriteFileAtomically(disk.fs(), JoinPath(disk.root(), "f"), AsBytes("x")).ok());
}

TEST(ReleaseMapped, BytesComeBack) {
  PosixDisk disk;
  const std::string path = JoinPath(disk.root(), "f");
  Bytes content(5 * 4096 + 17);
  for (size_t i = 0; i < content.size(); ++i) content[i] = static_cast<uint8_t>(i * 7 + i / 256);
  ASSERT_TRUE(WriteFileAtomically(disk.fs(), path, content).ok());
  {
    const auto mapped = disk.fs().Map(path);
    ASSERT_TRUE(mapped.ok());
    const ByteView bytes = (*mapped)->bytes();
    for (const auto& [offset, size] : {std::pair<size_t, size_t>{0, bytes.size()},
                                       {100, 9000},
                                       {4096, 4096},
                                       {20480, 17},
                                       {7, 0}}) {
      ReleaseMapped(bytes.subspan(offset, size));
      EXPECT_TRUE(std::ranges::equal(bytes, content));
    }
  }
  // Memory that is no mapping keeps what it holds.
  const Bytes before = content;
  ReleaseMapped(content);
  EXPECT_EQ(content, before);
}

}  // namespace
}  // namespace ferry::sys
