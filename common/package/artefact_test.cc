#include "common/package/artefact.h"

#include "common/package/test_fixture.h"

namespace ferry::package {
namespace {

sys::FileSystem& Disk() {
  return sys::SystemFileSystem();
}

struct Sealed {
  TestFolder folder;
  sys::SeededRandom random{3};
  Bytes plain = TestPackage().Write();
  SealedArtefact artefact = SealArtefact(Disk(), folder / "sealed", plain, random).value();
  trust::TargetEntry entry = EntryOf(artefact);

  Status Open(const crypto::Secret32& key, ByteView base = {}) {
    return OpenArtefact(Disk(), folder / "sealed", folder / "plain", key, entry, base);
  }
  // Puts changed sealed bytes in place, with an entry that fits them.
  void Replace(const Bytes& bytes) {
    ASSERT_TRUE(sys::WriteFileAtomically(Disk(), folder / "sealed", bytes).ok());
  }
  void Sign(const Bytes& bytes) {
    entry.length = bytes.size();
    entry.sha256 = crypto::Sha256(bytes);
  }
};

TEST(ArtefactTest, OpensToTheSameBytes) {
  Sealed sealed;
  ASSERT_EQ(sealed.Open(sealed.artefact.content_key).ToString(), "ok");
  EXPECT_EQ(*sys::ReadFile(Disk(), sealed.folder / "plain"), sealed.plain);
  EXPECT_TRUE(CheckSealedFile(Disk(), sealed.folder / "sealed", sealed.entry).ok());
}

TEST(ArtefactTest, EveryArtefactHasItsOwnKey) {
  Sealed one;
  const auto two = SealArtefact(Disk(), one.folder / "two", one.plain, one.random);
  EXPECT_FALSE(
      crypto::ConstantTimeEqual(one.artefact.content_key.bytes(), two->content_key.bytes()));
  EXPECT_EQ(one.Open(two->content_key).code(), Code::kWrongKey);
  EXPECT_FALSE(sys::Exists(Disk(), one.folder / "plain")) << "nothing is left behind";
}

TEST(ArtefactTest, FlippedBytesAreFoundEvenWhenSignedSo) {
  Sealed sealed;
  const Bytes good = *sys::ReadFile(Disk(), sealed.folder / "sealed");
  for (size_t at = 0; at < good.size(); at += at < 200 ? 13 : good.size() / 23) {
    Bytes bad = good;
    bad[at] ^= 1;
    sealed.Replace(bad);
    EXPECT_FALSE(CheckSealedFile(Disk(), sealed.folder / "sealed", sealed.entry).ok());
    const Status status = sealed.Open(sealed.artefact.content_key);
    EXPECT_TRUE(status.code() == Code::kCorruptContent || status.code() == Code::kWrongKey)
        << at << " " << status.ToString();
    EXPECT_FALSE(sys::Exists(Disk(), sealed.folder / "plain"));
  }
  Bytes bad = good;
  bad[good.size() / 2] ^= 1;
  sealed.Replace(bad);
  sealed.Sign(bad);
  EXPECT_EQ(sealed.Open(sealed.artefact.content_key).code(), Code::kCorruptContent);
}

TEST(ArtefactTest, CutAndReorderedChunksAreFound) {
  Sealed sealed;
  const Bytes good = *sys::ReadFile(Disk(), sealed.folder / "sealed");
  const size_t chunk = 16384 + 16, header = 56;
  for (const size_t size : {size_t{0}, size_t{10}, header, header + chunk, good.size() - 1}) {
    const Bytes cut(good.begin(), good.begin() + static_cast<int64_t>(size));
    sealed.Replace(cut);
    EXPECT_EQ(CheckSealedFile(Disk(), sealed.folder / "sealed", sealed.entry).code(),
              Code::kTruncatedContent);
    EXPECT_EQ(sealed.Open(sealed.artefact.content_key).code(), Code::kTruncatedContent) << size;
  }
  Bytes swapped = good;
  ASSERT_GT(good.size(), header + 3 * chunk);
  std::swap_ranges(swapped.begin() + header, swapped.begin() + header + chunk,
                   swapped.begin() + header + chunk);
  sealed.Replace(swapped);
  sealed.Sign(swapped);
  EXPECT_EQ(sealed.Open(sealed.artefact.content_key).code(), Code::kCorruptContent);
}

TEST(ArtefactTest, ContentOtherThanSignedIsRefused) {
  Sealed sealed;
  sealed.entry.plain_sha256[0] ^= 1;
  EXPECT_EQ(sealed.Open(sealed.artefact.content_key).code(), Code::kCorruptContent);
  sealed.entry = EntryOf(sealed.artefact);
  sealed.entry.plain_length -= 1;
  EXPECT_EQ(sealed.Open(sealed.artefact.content_key).code(), Code::kLimitExceeded);
  sealed.entry.plain_length += 2;
  EXPECT_EQ(sealed.Open(sealed.artefact.content_key).code(), Code::kCorruptContent);
}

// Numbers of 16 bits of which many moved by a step: one kind of delta is far smaller.
TEST(ArtefactTest, TheSmallerKindOfDeltaIsSealed) {
  TestFolder folder;
  sys::SeededRandom random{3};
  const Bytes base = TestWeights(40000, 1);
  Bytes tuned = base, moved(base.begin() + 20000, base.end());
  for (size_t i = 0; i < tuned.size(); i += 6) tuned[i] += 1;
  moved.insert(moved.end(), base.begin(), base.begin() + 20000);
  for (const Bytes& next : {tuned, moved}) {
    const auto delta = SealDelta(Disk(), folder / "delta", base, next, random);
    ASSERT_TRUE(delta.ok()) << delta.status().ToString();
    EXPECT_LT(delta->length, MakeDelta(base, next)->size() + 200);
    if (next == tuned) {
      EXPECT_LT(delta->length * 2, MakeDelta(base, next)->size());
    }
    trust::TargetEntry entry = EntryOf(*delta);
    entry.kind = trust::ArtefactKind::kDelta;
    entry.base_version = "1.0.0";
    entry.base_sha256 = crypto::Sha256(base);
    const auto open = [&] {
      return OpenArtefact(Disk(), folder / "delta", folder / "plain", delta->content_key, entry,
                          base);
    };
    ASSERT_EQ(open().ToString(), "ok");
    EXPECT_EQ(*sys::ReadFile(Disk(), folder / "plain"), next);
    entry.plain_sha256[0] ^= 1;  // what was signed is another result
    EXPECT_EQ(open().code(), Code::kBadDelta);
    EXPECT_FALSE(sys::Exists(Disk(), folder / "plain"));
    EXPECT_FALSE(sys::Exists(Disk(), folder / "delta.other"));
  }
}

TEST(ArtefactTest, DeltasNeedTheirBase) {
  TestFolder folder;
  sys::SeededRandom random(4);
  TestPackage source;
  const Bytes base = source.Write();
  source.version = "2.0.0";
  source.layers[2] = TestWeights(30001, 77);
  const Bytes next = source.Write();
  const auto delta = SealDelta(Disk(), folder / "delta", base, next, random);
  const auto full = SealArtefact(Disk(), folder / "full", next, random);
  EXPECT_LE(delta->length * 3, full->length);
  trust::TargetEntry entry = EntryOf(*delta);
  entry.version = "2.0.0";
  entry.kind = trust::ArtefactKind::kDelta;
  entry.base_version = "1.0.0";
  entry.base_sha256 = crypto::Sha256(base);
  const auto open = [&](ByteView with) {
    return OpenArtefact(Disk(), folder / "delta", folder / "plain", delta->content_key, entry,
                        with);
  };
  EXPECT_EQ(open({}).code(), Code::kBadDelta);
  EXPECT_EQ(open(next).ToString(),
            "bad_delta: digits 2.0.0: the base at hand is not version 1.0.0");
  ASSERT_TRUE(open(base).ok());
  EXPECT_EQ(*sys::ReadFile(Disk(), folder / "plain"), next);
}

TEST(ArtefactTest, ProgressReachesTheEnd) {
  TestFolder folder;
  sys::SeededRandom random(4);
  const Bytes plain = TestWeights(300000, 1);
  uint64_t last = 0;
  ASSERT_TRUE(
      SealArtefact(Disk(), folder / "sealed", plain, random, [&](uint64_t done, uint64_t all) {
        EXPECT_GE(done, last);
        EXPECT_EQ(all, plain.size());
        last = done;
      }).ok());
  EXPECT_EQ(last, plain.size());
}

TEST(ArtefactTest, MissingFilesAreNamed) {
  Sealed sealed;
  EXPECT_EQ(OpenArtefact(Disk(), sealed.folder / "nothing", sealed.folder / "plain",
                         sealed.artefact.content_key, sealed.entry)
                .code(),
            Code::kNotFound);
  EXPECT_FALSE(
      SealArtefact(Disk(), sealed.folder / "no/such/folder", sealed.plain, sealed.random).ok());
}

}  // namespace
}  // namespace ferry::package
