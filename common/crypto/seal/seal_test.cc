#include "common/crypto/seal.h"

#include <gtest/gtest.h>

#include "common/crypto/hash.h"
#include "common/sys/sim/filesystem.h"

namespace ferry::crypto {
namespace {

Bytes RandomBytes(sys::Random& random, size_t size) {
  Bytes bytes(size);
  random.Fill(bytes);
  return bytes;
}

Result<std::unique_ptr<SealedReader>> ReaderOf(sys::FileSystem& fs, const Secret32& key,
                                               const Bytes& sealed) {
  FERRY_TRY(sys::WriteFileAtomically(fs, "/sealed", sealed));
  FERRY_ASSIGN_OR_RETURN(auto file, fs.OpenForRead("/sealed"));
  return SealedReader::Open(std::move(file), key);
}

class SealTest : public testing::Test {
 protected:
  sys::SeededRandom random_{9};
  Secret32 key_ = Secret32::Generate(random_);
  sys::SimFileSystem fs_;
};

// The derivation written out a second time from the text of the specification.
TEST_F(SealTest, HeaderFollowsTheSpecification) {
  const Bytes sealed = *Seal(key_, AsBytes("hello"), random_);
  Bytes info = ToBytes("c2sp.org/chunked-encryption@v1+AEAD_AES_256_GCM");
  info.push_back(0);
  info.insert(info.end(), sealed.begin(), sealed.begin() + 24);
  const Bytes derived = *HkdfSha512Expand(key_.bytes(), info, 76);
  EXPECT_EQ(ToHex(ByteView(derived).subspan(44)), ToHex(ByteView(sealed).subspan(24, 32)));
  EXPECT_EQ(sealed.size(), 56u + 5 + 16);
}

TEST_F(SealTest, SizesAtTheEdges) {
  for (size_t size : {size_t{0}, size_t{1}, kSealChunkBytes - 1, kSealChunkBytes,
                      kSealChunkBytes + 1, 2 * kSealChunkBytes, size_t{100'000}}) {
    const Bytes plain = RandomBytes(random_, size);
    const Bytes sealed = *Seal(key_, plain, random_);
    EXPECT_EQ(sealed.size(), SealedSize(size));
    EXPECT_EQ(*PlainSize(sealed.size()), size);
    EXPECT_EQ(*Unseal(key_, sealed), plain);
    auto reader = ReaderOf(fs_, key_, sealed);
    ASSERT_TRUE(reader.ok()) << reader.status().ToString();
    EXPECT_EQ(*(*reader)->Size(), size);
  }
  EXPECT_EQ(PlainSize(0).code(), Code::kTruncatedContent);
  EXPECT_EQ(PlainSize(56).code(), Code::kTruncatedContent);
  EXPECT_EQ(PlainSize(56 + 15).code(), Code::kTruncatedContent);
  EXPECT_EQ(PlainSize(56 + 16400).code(), Code::kTruncatedContent);
  EXPECT_EQ(PlainSize(56 + 16400 + 15).code(), Code::kTruncatedContent);
}

TEST_F(SealTest, PiecesOfAnySize) {
  const Bytes plain = RandomBytes(random_, 70'000);
  for (int round = 0; round < 10; ++round) {
    Bytes sealed, opened;
    SealWriter writer(key_, random_, [&](ByteView piece) {
      sealed.insert(sealed.end(), piece.begin(), piece.end());
      return OkStatus();
    });
    for (ByteView rest(plain); !rest.empty();) {
      const size_t n = std::min<size_t>(rest.size(), random_.Below(40'000));
      ASSERT_TRUE(writer.Write(rest.first(n)).ok());
      rest = rest.subspan(n);
    }
    ASSERT_TRUE(writer.Finish().ok());
    SealOpener opener(key_, sealed.size(), [&](ByteView piece) {
      opened.insert(opened.end(), piece.begin(), piece.end());
      return OkStatus();
    });
    for (ByteView rest(sealed); !rest.empty();) {
      const size_t n = std::min<size_t>(rest.size(), random_.Below(40'000));
      ASSERT_TRUE(opener.Write(rest.first(n)).ok());
      rest = rest.subspan(n);
    }
    ASSERT_TRUE(opener.Finish().ok());
    ASSERT_EQ(opened, plain);
    EXPECT_EQ(opener.Write(AsBytes("x")).code(), Code::kCorruptContent);
  }
}

TEST_F(SealTest, RandomAccessEqualsTheContent) {
  const Bytes plain = RandomBytes(random_, 3 * kSealChunkBytes + 77);
  auto reader = ReaderOf(fs_, key_, *Seal(key_, plain, random_));
  ASSERT_TRUE(reader.ok());
  for (int i = 0; i < 300; ++i) {
    const uint64_t offset = random_.Below(plain.size() + 10);
    Bytes out(random_.Below(40'000));
    const size_t got = *(*reader)->ReadAt(offset, out);
    const size_t want =
        offset >= plain.size() ? 0 : std::min<size_t>(out.size(), plain.size() - offset);
    ASSERT_EQ(got, want);
    if (got == 0) continue;
    ASSERT_EQ(ToHex(ByteView(out).first(got)), ToHex(ByteView(plain).subspan(offset, got)));
  }
}

TEST_F(SealTest, TheWrongKeyIsNamedBeforeAnyContent) {
  const Bytes sealed = *Seal(key_, RandomBytes(random_, 20'000), random_);
  const Secret32 other = Secret32::Generate(random_);
  bool called = false;
  SealOpener opener(other, 0, [&](ByteView) {
    called = true;
    return OkStatus();
  });
  EXPECT_EQ(opener.Write(sealed).code(), Code::kWrongKey);
  EXPECT_EQ(opener.Finish().code(), Code::kWrongKey);
  EXPECT_FALSE(called);
  EXPECT_EQ(ReaderOf(fs_, other, sealed).code(), Code::kWrongKey);
}

TEST_F(SealTest, EveryFlippedByteIsFound) {
  const Bytes plain = RandomBytes(random_, 150);
  Bytes sealed = *Seal(key_, plain, random_);
  for (size_t i = 0; i < sealed.size(); ++i) {
    sealed[i] ^= 0x10;
    const auto opened = Unseal(key_, sealed);
    EXPECT_EQ(opened.code(), i < kSealHeaderBytes ? Code::kWrongKey : Code::kCorruptContent) << i;
    sealed[i] ^= 0x10;
  }
}

TEST_F(SealTest, TheChunkIsNamed) {
  const Bytes plain = RandomBytes(random_, 3 * kSealChunkBytes);
  const Bytes sealed = *Seal(key_, plain, random_);
  for (size_t chunk = 0; chunk < 4; ++chunk) {
    Bytes bad = sealed;
    bad[kSealHeaderBytes + chunk * (kSealChunkBytes + kSealTagBytes)] ^= 1;
    const auto opened = Unseal(key_, bad);
    EXPECT_EQ(opened.code(), Code::kCorruptContent);
    EXPECT_NE(opened.status().message().find(fmt::format("chunk {}", chunk)), std::string::npos)
        << opened.status().ToString();
    auto reader = ReaderOf(fs_, key_, bad);
    if (chunk == 3) {  // the last is checked at once
      EXPECT_EQ(reader.code(), Code::kCorruptContent);
      continue;
    }
    uint8_t byte[1];
    ASSERT_TRUE(reader.ok());
    EXPECT_EQ((*reader)->ReadAt(chunk * kSealChunkBytes, byte).code(), Code::kCorruptContent);
    EXPECT_TRUE((*reader)->ReadAt((chunk + 1) % 3 * kSealChunkBytes, byte).ok());
  }
}

TEST_F(SealTest, SwappedChunksAreFound) {
  const Bytes sealed = *Seal(key_, RandomBytes(random_, 2 * kSealChunkBytes + 5), random_);
  Bytes bad = sealed;
  const ptrdiff_t chunk = kSealChunkBytes + kSealTagBytes;
  std::swap_ranges(bad.begin() + kSealHeaderBytes, bad.begin() + kSealHeaderBytes + chunk,
                   bad.begin() + kSealHeaderBytes + chunk);
  EXPECT_EQ(Unseal(key_, bad).code(), Code::kCorruptContent);
}

TEST_F(SealTest, EveryCutIsFound) {
  const Bytes sealed = *Seal(key_, RandomBytes(random_, kSealChunkBytes + 100), random_);
  for (size_t size = 0; size < sealed.size(); size += size < 80 ? 1 : 97) {
    const ByteView cut = ByteView(sealed).first(size);
    SealOpener opener(key_, sealed.size(), [](ByteView) { return OkStatus(); });
    ASSERT_TRUE(opener.Write(cut).ok());
    EXPECT_EQ(opener.Finish().code(), Code::kTruncatedContent) << size;
    const Code code = Unseal(key_, cut).code();
    EXPECT_TRUE(code == Code::kTruncatedContent || code == Code::kCorruptContent) << size;
    EXPECT_FALSE(ReaderOf(fs_, key_, ToBytes(cut)).ok()) << size;
  }
  // Cut at the end of a chunk: no promised length is needed to see it.
  EXPECT_EQ(Unseal(key_, ByteView(sealed).first(kSealHeaderBytes + 16400)).code(),
            Code::kTruncatedContent);
}

TEST_F(SealTest, TrailingBytesAreRefused) {
  Bytes sealed = *Seal(key_, RandomBytes(random_, 100), random_);
  const uint64_t promised = sealed.size();
  sealed.push_back(0);
  EXPECT_EQ(Unseal(key_, sealed).code(), Code::kCorruptContent);
  SealOpener opener(key_, promised, [](ByteView) { return OkStatus(); });
  EXPECT_EQ(opener.Write(sealed).code(), Code::kCorruptContent);
  sealed.resize(kSealHeaderBytes + 16400 * 2 + 20);
  EXPECT_EQ(Unseal(key_, sealed).code(), Code::kCorruptContent);
}

TEST_F(SealTest, AFailingSinkEndsTheStream) {
  SealWriter writer(key_, random_, [](ByteView) { return Status(Code::kDiskFull, "full"); });
  EXPECT_EQ(writer.Write(Bytes(kSealChunkBytes)).code(), Code::kDiskFull);
  const Bytes sealed = *Seal(key_, Bytes(100), random_);
  SealOpener opener(key_, 0, [](ByteView) { return Status(Code::kDiskFull, "full"); });
  ASSERT_TRUE(opener.Write(sealed).ok());
  EXPECT_EQ(opener.Finish().code(), Code::kDiskFull);
  EXPECT_EQ(opener.Finish().code(), Code::kDiskFull);
}

}  // namespace
}  // namespace ferry::crypto
