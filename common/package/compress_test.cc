#include "common/package/compress.h"

#include "common/package/test_fixture.h"

namespace ferry::package {
namespace {

constexpr uint64_t kMost = 10 << 20;

TEST(CompressTest, RoundTrips) {
  for (const size_t size : {0, 1, 17, 1000, 131072, 131073, 400000}) {
    const Bytes weights = TestWeights(size, size);
    EXPECT_EQ(*Decompress(*Compress(weights), kMost), weights) << size;
    const Bytes zeros(size, 0);
    EXPECT_EQ(*Decompress(*Compress(zeros), kMost), zeros) << size;
  }
  EXPECT_LT(Compress(Bytes(400000, 0))->size(), 100u);
}

TEST(CompressTest, PiecesOfAnySize) {
  const Bytes plain = TestWeights(5000, 1);
  const Bytes frame = *Compress(plain);
  for (const size_t piece : {1u, 2u, 7u, 1000u}) {
    Bytes out;
    Decompressor decompressor({}, kMost, [&](ByteView bytes) {
      out.insert(out.end(), bytes.begin(), bytes.end());
      return OkStatus();
    });
    for (size_t at = 0; at < frame.size(); at += piece) {
      ASSERT_TRUE(
          decompressor.Write(ByteView(frame).subspan(at, std::min(piece, frame.size() - at))).ok());
    }
    EXPECT_TRUE(decompressor.Finish().ok());
    EXPECT_EQ(out, plain);
  }
}

TEST(CompressTest, ABombStopsAtTheLimit) {
  const Bytes bomb = *Compress(Bytes(kMost + 1, 0));
  EXPECT_LT(bomb.size(), 5000u);
  EXPECT_EQ(Decompress(bomb, kMost).status().ToString(),
            "limit_exceeded: would decompress to 10485761 bytes, at most 10485760");
  EXPECT_TRUE(Decompress(bomb, kMost + 1).ok());
}

TEST(CompressTest, CutAndChangedFramesAreRefused) {
  const Bytes plain = TestWeights(3000, 2);
  const Bytes frame = *Compress(plain);
  for (size_t size = 0; size < frame.size(); ++size) {
    EXPECT_EQ(Decompress(ByteView(frame).first(size), kMost).code(), Code::kTruncatedContent)
        << size;
  }
  Bytes longer = frame;
  longer.push_back(0);
  EXPECT_EQ(Decompress(longer, kMost).code(), Code::kCorruptContent);
  int passed = 0;
  for (size_t at = 0; at < frame.size(); ++at) {
    Bytes bad = frame;
    bad[at] ^= 0x10;
    const auto out = Decompress(bad, kMost);
    if (out.ok()) {
      EXPECT_EQ(*out, plain);
      ++passed;
    }
  }
  EXPECT_LT(passed, 3);  // an unused header bit may pass; the content never differs
  EXPECT_EQ(Decompress(AsBytes("no zstd frame at all, but text"), kMost).code(),
            Code::kCorruptContent);
}

TEST(DeltaTest, AChangedScriptAndLayerCostThatLayer) {
  TestPackage source;
  const Bytes base = source.Write();
  source.version = "2.0.0";
  source.script += "# changed\n";
  source.layers[0] = TestWeights(60000, 99);
  const Bytes next = source.Write();
  const Bytes full = *Compress(next);
  const Bytes delta = *MakeDelta(base, next);
  EXPECT_EQ(*ApplyDelta(base, delta, next.size()), next);
  EXPECT_LE(delta.size() * 3, full.size()) << delta.size() << " of " << full.size();
}

TEST(DeltaTest, FarAwayPiecesAreFound) {
  // 24 MiB apart: past the window that zstd would choose by itself.
  Bytes base = TestWeights(24 << 20, 7);
  Bytes next(base.begin() + (12 << 20), base.end());
  next.insert(next.end(), base.begin(), base.begin() + (12 << 20));
  const Bytes delta = *MakeDelta(base, next);
  EXPECT_LT(delta.size(), next.size() / 100);
  EXPECT_EQ(*ApplyDelta(base, delta, next.size()), next);
}

TEST(DeltaTest, AnotherBaseIsRefused) {
  TestPackage source;
  const Bytes base = source.Write();
  source.script += "# changed\n";
  const Bytes next = source.Write();
  const Bytes delta = *MakeDelta(base, next);
  Bytes other = base;
  other[other.size() / 2] ^= 1;
  EXPECT_EQ(ApplyDelta(other, delta, kMost).code(), Code::kBadDelta);
  EXPECT_EQ(ApplyDelta(TestWeights(base.size(), 5), delta, kMost).code(), Code::kBadDelta);
  EXPECT_EQ(ApplyDelta(ByteView(base).first(100), delta, kMost).code(), Code::kBadDelta);
  EXPECT_FALSE(Decompress(delta, kMost).ok());
  EXPECT_EQ(ApplyDelta(base, delta, next.size() - 1).code(), Code::kLimitExceeded);
}

TEST(DeltaTest, MutatedDeltasNeverGiveOtherContent) {
  TestPackage source;
  for (Bytes& layer : source.layers) layer.resize(500);
  const Bytes base = source.Write();
  source.script += "# changed\n";
  const Bytes next = source.Write();
  const Bytes delta = *MakeDelta(base, next);
  sys::SeededRandom random(6);
  for (int i = 0; i < 2000; ++i) {
    Bytes bad = delta;
    for (uint64_t n = random.Below(3) + 1; n > 0; --n) {
      bad[random.Below(bad.size())] = static_cast<uint8_t>(random.Next64());
    }
    const auto out = ApplyDelta(base, bad, next.size());
    if (out.ok()) {
      EXPECT_EQ(*out, next);
    }
  }
}

}  // namespace
}  // namespace ferry::package
