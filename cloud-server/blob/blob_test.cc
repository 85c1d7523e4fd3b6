#include "cloud-server/blob/blob.h"

#include <gtest/gtest.h>

#include "common/crypto/hash.h"
#include "common/sys/sim/filesystem.h"

namespace ferry::server {
namespace {

class BlobTest : public testing::Test {
 protected:
  void SetUp() override { Open(); }
  void Open() {
    Result<std::unique_ptr<BlobStore>> store = OpenDirectoryBlobStore(fs_, "/blobs", random_);
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

TEST_F(BlobTest, ComesBackWholeAndInParts) {
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

TEST_F(BlobTest, WrongBytesNeverAppear) {
  Bytes wrong = content_;
  wrong[7] ^= 1;
  EXPECT_EQ(store_->PutBytes(name_, wrong).code(), Code::kCorruptContent);
  EXPECT_EQ(store_->Size(name_).code(), Code::kNotFound);
  EXPECT_EQ(store_->Open(name_).code(), Code::kNotFound);
  EXPECT_EQ(Incoming(), 0u);
}

TEST_F(BlobTest, LimitIsExact) {
  std::unique_ptr<BlobWriter> writer = *store_->Put(name_, content_.size());
  EXPECT_TRUE(writer->Write(content_).ok());
  EXPECT_EQ(writer->Write(ByteView(content_).first(1)).code(), Code::kLimitExceeded);
  writer.reset();
  EXPECT_EQ(Incoming(), 0u);
}

TEST_F(BlobTest, NamesThatAreNoHashAreRefused) {
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
