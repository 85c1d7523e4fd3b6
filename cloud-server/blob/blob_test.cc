#include "cloud-server/blob/blob.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <set>

#include "common/crypto/hash.h"
#include "common/sys/sim/filesystem.h"

namespace ferry::server {
namespace {

// What every store keeps to, in a directory and in the bucket that FERRY_TEST_S3 names
// (tests/e2e/cluster/s3_test.py starts a server of S3).
class StoreTestBase : public testing::Test {
 protected:
  void OpenHere(bool bucket) {
    const char* url = std::getenv("FERRY_TEST_S3");
    if (bucket && url == nullptr) GTEST_SKIP() << "FERRY_TEST_S3 names no bucket";
    // A prefix of its own: nothing is left of another test.
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    const std::string name = test->name();
    std::string own = bucket ? url : "";
    if (bucket)
      own.insert(std::min(own.find('?'), own.size()), "/" + name.substr(0, name.find('/')));
    Result<std::unique_ptr<BlobStore>> store = bucket
                                                   ? OpenS3BlobStore(own, fs_, "/blobs", random_)
                                                   : OpenDirectoryBlobStore(fs_, "/blobs", random_);
    ASSERT_TRUE(store.ok()) << store.status().ToString();
    store_ = std::move(*store);
  }
  static std::string NameOf(ByteView bytes) { return crypto::Sha256Hex(bytes); }
  size_t Incoming() { return fs_.List("/blobs/incoming").value().size(); }

  sys::SimFileSystem fs_;
  sys::SeededRandom random_{1};
  std::unique_ptr<BlobStore> store_;
  const Bytes content_ = Bytes(300'000, 42);
  const std::string name_ = NameOf(content_);
};

class AnyBlobTest : public StoreTestBase, public testing::WithParamInterface<bool> {
 protected:
  void SetUp() override { OpenHere(GetParam()); }
};
INSTANTIATE_TEST_SUITE_P(Blobs, AnyBlobTest, testing::Bool(),
                         [](const auto& info) { return info.param ? "S3" : "Directory"; });

class BlobTest : public StoreTestBase {
 protected:
  void SetUp() override { Open(); }
  void Open() { OpenHere(false); }
};

TEST_P(AnyBlobTest, ComesBackWholeAndInParts) {
  ASSERT_TRUE(store_->PutBytes(name_, content_).ok());
  EXPECT_EQ(store_->Size(name_).value(), content_.size());
  std::unique_ptr<sys::ReadableFile> file = *store_->Open(name_);
  Bytes part(10);
  EXPECT_EQ(file->ReadAt(content_.size() - 4, part).value(), 4u);
  EXPECT_EQ(part[3], 42);
  ASSERT_TRUE(store_->CopyTo(name_, "/copy").ok());
  EXPECT_EQ(sys::ReadFile(fs_, "/copy").value(), content_);
  EXPECT_TRUE(store_->PutBytes(name_, content_).ok()) << "twice is fine";
}

// Parts of an upload, pieces that are read ahead, and what lies across their ends.
TEST_P(AnyBlobTest, LargeOnesComeBackFromAnyPlace) {
  Bytes large(45 << 20);
  sys::SeededRandom(7).Fill(large);
  const std::string name = NameOf(large);
  ASSERT_TRUE(store_->PutBytes(name, large).ok());
  EXPECT_EQ(store_->Size(name).value(), large.size());
  const std::unique_ptr<sys::ReadableFile> file = *store_->Open(name);
  Bytes part(300'000);
  for (const size_t offset : {size_t{0}, size_t{(1 << 20) - 10}, size_t{(16 << 20) - 5},
                              size_t{33 << 20}, large.size() - 100, large.size()}) {
    const size_t wanted = std::min(part.size(), large.size() - offset);
    ASSERT_EQ(file->ReadAt(offset, part).value(), wanted) << offset;
    ASSERT_TRUE(std::equal(part.begin(), part.begin() + static_cast<ptrdiff_t>(wanted),
                           large.begin() + static_cast<ptrdiff_t>(offset)))
        << offset;
  }
}

std::set<std::string> AsSet(const Result<std::vector<std::string>>& names) {
  EXPECT_TRUE(names.ok()) << names.status().ToString();
  return names.ok() ? std::set<std::string>(names->begin(), names->end()) : std::set<std::string>();
}

TEST_P(AnyBlobTest, WhatLacksIsCopiedFromAnother) {
  sys::SimFileSystem fs;
  const std::unique_ptr<BlobStore> other = *OpenDirectoryBlobStore(fs, "/other", random_);
  for (uint8_t i = 0; i < 5; ++i) {
    const Bytes bytes(100'000, i);
    ASSERT_TRUE(other->PutBytes(NameOf(bytes), bytes).ok());
    if (i < 2) {
      ASSERT_TRUE(store_->PutBytes(NameOf(bytes), bytes).ok());
    }
  }
  EXPECT_EQ(CopyMissingBlobs(*other, *store_).value(), 3);
  EXPECT_EQ(CopyMissingBlobs(*other, *store_).value(), 0);
  EXPECT_EQ(store_->Size(NameOf(Bytes(100'000, 4))).value(), 100'000u);
}

TEST_P(AnyBlobTest, WhatIsThereIsListedAndRemoved) {
  std::set<std::string> names;
  for (uint8_t i = 0; i < 20; ++i) {
    const Bytes bytes(10, i);
    names.insert(NameOf(bytes));
    ASSERT_TRUE(store_->PutBytes(NameOf(bytes), bytes).ok());
  }
  const auto all = [&] {
    std::set<std::string> found;
    for (int i = 0; i < 256; ++i) found.merge(AsSet(store_->List(fmt::format("{:02x}", i))));
    return found;
  };
  EXPECT_EQ(all(), names);
  const std::string gone = *names.begin();
  ASSERT_TRUE(store_->Remove(gone).ok());
  EXPECT_EQ(store_->Remove(gone).code(), Code::kNotFound);
  names.erase(gone);
  EXPECT_EQ(all(), names);
  for (const char* bad : {"", "0", "..", "000", "XY"})
    EXPECT_EQ(store_->List(bad).code(), Code::kInvalidArgument) << bad;
}

TEST_P(AnyBlobTest, WrongBytesNeverAppear) {
  Bytes wrong = content_;
  wrong[7] ^= 1;
  EXPECT_EQ(store_->PutBytes(name_, wrong).code(), Code::kCorruptContent);
  EXPECT_EQ(store_->Size(name_).code(), Code::kNotFound);
  EXPECT_EQ(store_->Open(name_).code(), Code::kNotFound);
  EXPECT_EQ(Incoming(), 0u);
}

TEST_P(AnyBlobTest, LimitIsExact) {
  std::unique_ptr<BlobWriter> writer = *store_->Put(name_, content_.size());
  EXPECT_TRUE(writer->Write(content_).ok());
  EXPECT_EQ(writer->Write(ByteView(content_).first(1)).code(), Code::kLimitExceeded);
  writer.reset();
  EXPECT_EQ(Incoming(), 0u);
}

TEST_P(AnyBlobTest, NamesThatAreNoHashAreRefused) {
  for (const std::string& name :
       {std::string("../../etc/passwd"), std::string(64, 'A'), std::string(63, 'a'),
        std::string(65, 'a'), std::string(), std::string(63, 'a') + "/"}) {
    EXPECT_EQ(store_->Put(name).code(), Code::kInvalidArgument) << name;
    EXPECT_EQ(store_->Size(name).code(), Code::kInvalidArgument) << name;
    EXPECT_EQ(store_->Open(name).code(), Code::kInvalidArgument) << name;
  }
}

TEST_F(BlobTest, APowerCutLeavesAllOrNothing) {
  // Cuts before each changing call of a put.
  for (uint64_t cut = 0;; ++cut) {
    sys::SimFileSystem fs;
    std::unique_ptr<BlobStore> store = *OpenDirectoryBlobStore(fs, "/b", random_);
    uint64_t calls = 0;
    fs.SetFault([&](const char*, const std::string&) {
      return ++calls > cut ? Status(Code::kIo, "no power") : OkStatus();
    });
    const bool stored = store->PutBytes(name_, content_).ok();
    fs.SetFault(nullptr);
    fs.CutPower();
    store = *OpenDirectoryBlobStore(fs, "/b", random_);
    Result<uint64_t> size = store->Size(name_);
    if (stored) {
      ASSERT_TRUE(size.ok()) << "cut " << cut;
    }
    if (size.ok()) {
      ASSERT_EQ(*size, content_.size());
      ASSERT_TRUE(store->CopyTo(name_, "/copy").ok());
      ASSERT_EQ(sys::ReadFile(fs, "/copy").value(), content_) << "cut " << cut;
    }
    if (stored) break;
    ASSERT_LT(cut, 100u);
  }
}

TEST_F(BlobTest, AFullDiskIsSaidAndLeavesNothing) {
  fs_.SetCapacity(1000);
  EXPECT_EQ(store_->PutBytes(name_, content_).code(), Code::kDiskFull);
  EXPECT_EQ(Incoming(), 0u);
}

TEST_F(BlobTest, IsListedAndRemoved) {
  ASSERT_TRUE(store_->PutBytes(name_, content_).ok());
  const std::string prefix = name_.substr(0, 2);
  ASSERT_TRUE(sys::WriteFileAtomically(fs_, "/blobs/" + prefix + "/else", content_).ok());
  EXPECT_EQ(store_->List(prefix).value(), std::vector<std::string>{name_});
  EXPECT_TRUE(store_->List(prefix == "00" ? "01" : "00")->empty());
  for (const char* bad : {"", "0", "..", "000", "XY"})
    EXPECT_EQ(store_->List(bad).code(), Code::kInvalidArgument) << bad;
  const auto reader = *store_->Open(name_);
  ASSERT_TRUE(store_->Remove(name_).ok());
  EXPECT_EQ(store_->Size(name_).code(), Code::kNotFound);
  EXPECT_EQ(store_->Remove(name_).code(), Code::kNotFound);
  EXPECT_EQ(store_->Remove("../x").code(), Code::kInvalidArgument);
}

TEST_F(BlobTest, LeftoversAreRemovedWhenItOpens) {
  std::unique_ptr<BlobWriter> writer = *store_->Put(name_);
  ASSERT_TRUE(writer->Write(content_).ok());
  EXPECT_EQ(Incoming(), 1u);
  Open();
  EXPECT_EQ(Incoming(), 0u);
}

}  // namespace
}  // namespace ferry::server
