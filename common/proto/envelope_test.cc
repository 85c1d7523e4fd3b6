#include "common/proto/envelope.h"

#include <gtest/gtest.h>

#include <random>

#include "common/proto/wire.pb.h"

namespace ferry::proto {
namespace {

Envelope Sample() {
  Envelope envelope;
  Report* report = envelope.mutable_report();
  report->set_seq(7);
  report->set_release_id("digits-1.0.0-1");
  report->set_step(Report::FAILED);
  report->set_error_code(50);
  report->set_error_text("chunk 3 does not match its tag");
  return envelope;
}

TEST(Envelope, RoundTrip) {
  const Bytes frame = EncodeEnvelope(Sample()).value();
  Envelope back;
  ASSERT_TRUE(DecodeEnvelope(frame, &back).ok());
  EXPECT_EQ(back.SerializeAsString(), Sample().SerializeAsString());
}

TEST(Envelope, WithoutABodyIsRefusedBothWays) {
  EXPECT_EQ(EncodeEnvelope(Envelope()).code(), Code::kInvalidArgument);
  Envelope envelope;
  EXPECT_EQ(DecodeEnvelope({}, &envelope).code(), Code::kMalformed);
  const Bytes unknown = {0xfa, 0x3f, 0x00};  // field 1023, empty: of a later version
  EXPECT_EQ(DecodeEnvelope(unknown, &envelope).code(), Code::kMalformed);
}

TEST(Envelope, LimitOfBytes) {
  Envelope envelope;
  std::string* text = envelope.mutable_assignment()->mutable_signed_json();
  text->assign(kMaxEnvelopeBytes - 10, 'x');  // 10: two tags and two lengths
  auto frame = EncodeEnvelope(envelope);
  ASSERT_TRUE(frame.ok());
  EXPECT_EQ(frame->size(), kMaxEnvelopeBytes);
  EXPECT_TRUE(DecodeEnvelope(*frame, &envelope).ok());
  text = envelope.mutable_assignment()->mutable_signed_json();
  text->push_back('x');
  EXPECT_EQ(EncodeEnvelope(envelope).code(), Code::kLimitExceeded);
  frame->push_back(0);
  EXPECT_EQ(DecodeEnvelope(*frame, &envelope).code(), Code::kLimitExceeded);
}

TEST(Envelope, DamagedFramesNeverCrash) {
  std::mt19937 random(1);
  const Bytes good = EncodeEnvelope(Sample()).value();
  for (int i = 0; i < 2000; ++i) {
    Bytes bad = good;
    for (int k = 0; k < 3; ++k) bad[random() % bad.size()] = static_cast<uint8_t>(random());
    bad.resize(bad.size() - random() % 3);
    Envelope envelope;
    const Status status = DecodeEnvelope(bad, &envelope);
    EXPECT_TRUE(status.ok() || status.code() == Code::kMalformed);
    EXPECT_EQ(status.ok(), envelope.body_case() != Envelope::BODY_NOT_SET);
  }
}

TEST(SignedMessages, PartsCannotBeMoved) {
  const Bytes key(32, 1);
  EXPECT_NE(EnrollMessage("ab", AsBytes("c"), key, key),
            EnrollMessage("a", AsBytes("bc"), key, key));
  EXPECT_EQ(ToHex(AuthMessage("d", AsBytes("n"))),
            ToHex(AsBytes("ferry auth v1")) + "0100000064" + "010000006e");
  EXPECT_NE(AsText(AuthMessage("d", AsBytes("n"))), AsText(AuthMessage("dn", {})));
}

TEST(NewKeysMessage, IsTheIdAndBothKeys) {
  EXPECT_EQ(ToHex(NewKeysMessage("d", AsBytes("n"), AsBytes("s"))),
            ToHex(AsBytes("ferry keys v1")) + "0100000064" + "010000006e" + "0100000073");
}

TEST(DeviceId, IsHalfTheHash) {
  EXPECT_EQ(DeviceIdOf(Bytes(32, 0xab)), "abababababababababababababababab");
}

TEST(CutText, KeepsWholeCharactersAndReplacesWhatIsNoUtf8) {
  EXPECT_EQ(CutText("short"), "short");
  EXPECT_EQ(CutText("a\xc3\xa4z", 3), "a\xc3\xa4");
  EXPECT_EQ(CutText("a\xc3\xa4z", 2), "a");
  EXPECT_EQ(CutText("a\xff\xc3"), "a??");
  EXPECT_EQ(CutText("\xf0\x9f\x98\x80", 4), "\xf0\x9f\x98\x80");
  EXPECT_EQ(CutText("\xed\xa0\x80"), "???") << "a surrogate";
  EXPECT_EQ(CutText(std::string(10'000, 'x')).size(), kMaxErrorTextBytes);
}

}  // namespace
}  // namespace ferry::proto
