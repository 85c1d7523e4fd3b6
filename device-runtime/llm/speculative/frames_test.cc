#include "device-runtime/llm/speculative/frames.h"

#include <gtest/gtest.h>

#include "common/proto/split.pb.h"
#include "common/sys/random.h"

namespace ferry::llm {
namespace {

constexpr int64_t kPair = 8192;    // 13 bits an id
constexpr int64_t kQwen = 151936;  // 18 bits

SplitFrame Round(FrameKind kind, std::vector<TokenId> ids) {
  SplitFrame frame;
  frame.kind = kind;
  frame.stream = 3;
  frame.epoch = 250;
  frame.position = 0x1234;
  frame.ids = std::move(ids);
  return frame;
}

TEST(FramesTest, IdBits) {
  EXPECT_EQ(IdBits(2), 8);
  EXPECT_EQ(IdBits(256), 8);
  EXPECT_EQ(IdBits(257), 9);
  EXPECT_EQ(IdBits(kPair), 13);
  EXPECT_EQ(IdBits(kPair + 1), 14);
  EXPECT_EQ(IdBits(kQwen), 18);
  EXPECT_EQ(IdBits(kMaxVocabulary), 20);
}

TEST(FramesTest, GoldenBytes) {
  EXPECT_EQ(ToHex(EncodeFrame(Round(FrameKind::kDraft, {1, 8191, 4096}), kPair)),
            "03fa341201e0ff0340");
  EXPECT_EQ(ToHex(EncodeFrame(Round(FrameKind::kDraft, {}), kPair)), "03fa3412");
  EXPECT_EQ(ToHex(EncodeFrame(Round(FrameKind::kFollow, {300}), kPair)), "83fa34122c01");
  EXPECT_EQ(ToHex(EncodeFrame(Round(FrameKind::kVerdict, {300}), kPair)), "23fa34122c01");
  EXPECT_EQ(ToHex(EncodeFrame(Round(FrameKind::kTokens, {5, 6}), kQwen)), "43fa34120500180000");
  SplitFrame stream = Round(FrameKind::kStream, {});
  stream.count = 64;
  EXPECT_EQ(ToHex(EncodeFrame(stream, kPair)), "63fa341240");
  proto::SplitControl ping;
  ping.mutable_ping()->set_value(0x01020304);
  EXPECT_EQ(ToHex(EncodeControl(3, ping)), "e34a050d04030201");
}

TEST(FramesTest, RoundTrip) {
  sys::SeededRandom random(1);
  for (int64_t vocabulary :
       {int64_t{2}, int64_t{256}, int64_t{287}, kPair, kQwen, kMaxVocabulary}) {
    for (int64_t count = 0; count <= kMaxDraftTokens; ++count) {
      std::vector<TokenId> ids;
      for (int64_t i = 0; i < count; ++i) {
        ids.push_back(static_cast<TokenId>(random.Below(static_cast<uint64_t>(vocabulary))));
      }
      const SplitFrame frame = Round(FrameKind::kDraft, ids);
      const Result<SplitFrame> back = DecodeFrame(EncodeFrame(frame, vocabulary), vocabulary);
      ASSERT_TRUE(back.ok()) << back.status().ToString();
      EXPECT_EQ(back->kind, frame.kind);
      EXPECT_EQ(back->stream, frame.stream);
      EXPECT_EQ(back->epoch, frame.epoch);
      EXPECT_EQ(back->position, frame.position);
      EXPECT_EQ(back->ids, ids);
    }
  }
}

TEST(FramesTest, ARoundOfEightDraftsTakesNineteenBytesOnTheWire) {
  const Bytes draft = EncodeFrame(Round(FrameKind::kDraft, std::vector<TokenId>(8, 8191)), kPair);
  const Bytes verdict = EncodeFrame(Round(FrameKind::kVerdict, {8191}), kPair);
  EXPECT_EQ(WireBytes(draft.size()), 18u);
  EXPECT_EQ(WireBytes(verdict.size()), 7u);
}

TEST(FramesTest, MalformedIsRefused) {
  static const char* const kBad[] = {
      "",            // nothing
      "83fa3412",    // a chunk that follows with nothing
      "a3fa341201",  // unknown kinds
      "c3fa341201",
      "03fa34",                // a header cut short
      "23fa3412",              // a verdict without an id
      "23fa34122c0100000000",  // with two and a bit
      "43fa3412",              // tokens without ids
      "63fa3412",              // stream without a count
      "63fa34124000",          // stream with more
      "23fa34122c21",          // padding that is not zero
      "03fa341201",            // half an id
      "03fa3412010000",        // a byte too many for one id of 13 bits, too few for two
  };
  for (const char* hex : kBad) {
    const Result<SplitFrame> frame = DecodeFrame(*FromHex(hex), kPair);
    EXPECT_EQ(frame.code(), Code::kMalformed) << hex;
  }
  const Bytes many =
      EncodeFrame(Round(FrameKind::kDraft, std::vector<TokenId>(kMaxDraftTokens + 8, 1)), kPair);
  EXPECT_EQ(DecodeFrame(many, kPair).code(), Code::kMalformed);
  const Bytes huge(kMaxSplitFrame + 1, 0xe0);
  EXPECT_EQ(DecodeFrame(huge, kPair).code(), Code::kMalformed);
}

// Whatever is read, writing it gives the same bytes: one form only.
TEST(FramesTest, FuzzedBytesAreRefusedOrCanonical) {
  sys::SeededRandom random(2);
  int read = 0;
  for (int i = 0; i < 200000; ++i) {
    Bytes bytes(random.Below(24));
    random.Fill(bytes);
    const int64_t vocabulary = i % 2 == 0 ? kPair : kQwen;
    const Result<SplitFrame> frame = DecodeFrame(bytes, vocabulary);
    if (!frame.ok()) {
      ASSERT_EQ(frame.code(), Code::kMalformed);
      continue;
    }
    ++read;
    for (TokenId id : frame->ids) {
      ASSERT_GE(id, 0);
      ASSERT_LT(id, 1 << IdBits(vocabulary));
    }
    ASSERT_EQ(EncodeFrame(*frame, vocabulary), bytes);
  }
  EXPECT_GT(read, 10000);
}

TEST(FramesTest, PositionsWidenToTheNearest) {
  EXPECT_EQ(WidenPosition(5, 0), 5);
  EXPECT_EQ(WidenPosition(65530, 0), 65530);  // never negative
  EXPECT_EQ(WidenPosition(5, 65530), 65541);
  EXPECT_EQ(WidenPosition(65530, 65541), 65530);
  EXPECT_EQ(WidenPosition(1, 3 * 65536 + 7), 3 * 65536 + 1);
  sys::SeededRandom random(3);
  for (int i = 0; i < 10000; ++i) {
    const auto around = static_cast<int64_t>(random.Below(kMaxContext));
    const int64_t position = around + static_cast<int64_t>(random.Below(60000)) - 30000;
    if (position < 0) continue;
    EXPECT_EQ(WidenPosition(static_cast<uint16_t>(position), around), position);
  }
}

TEST(FramesTest, ContextDigestIsOfTheIds) {
  const std::vector<TokenId> ids = {1, 2, 300};
  EXPECT_EQ(ToHex(ContextDigest(ids)), "ec23a88fb0aa4b38d5442523720f6576");
  EXPECT_NE(ContextDigest(ids), ContextDigest(std::span(ids).first(2)));
}

}  // namespace
}  // namespace ferry::llm
