#include "common/proto/envelope.h"

#include "common/base/check.h"
#include "common/proto/wire.pb.h"
#include "tools/fuzz/target.h"

namespace ferry::fuzz {
namespace {

// What was read is written, and read as the same message.
void RunEnvelope(ByteView bytes) {
  proto::Envelope envelope;
  if (!proto::DecodeEnvelope(bytes, &envelope).ok()) return;
  CHECK(envelope.body_case() != proto::Envelope::BODY_NOT_SET);
  auto frame = proto::EncodeEnvelope(envelope);
  // A message may be written in fewer bytes than the writer's form takes.
  if (!frame.ok()) {
    CHECK(frame.code() == Code::kLimitExceeded) << frame.status().ToString();
    return;
  }
  proto::Envelope again;
  const Status read = proto::DecodeEnvelope(*frame, &again);
  CHECK(read.ok()) << read.ToString();
  CHECK(again.body_case() == envelope.body_case());
  CHECK(again.ByteSizeLong() == envelope.ByteSizeLong());
}

// One message of each kind that a device sends before and after it is let in.
std::vector<Bytes> EnvelopeSeeds() {
  std::vector<Bytes> seeds;
  proto::Envelope envelope;
  const auto add = [&] { seeds.push_back(proto::EncodeEnvelope(envelope).value()); };
  proto::Enroll* enroll = envelope.mutable_enroll();
  enroll->set_tenant("default");
  enroll->set_join_secret("secret");
  enroll->set_identity_public(std::string(32, 'i'));
  enroll->set_seal_public(std::string(32, 's'));
  enroll->mutable_profile()->set_os("linux");
  enroll->mutable_profile()->add_tags("beta");
  (*enroll->mutable_profile()->mutable_extra())["region"] = "eu";
  add();
  envelope.mutable_hello()->set_device_id("00112233445566778899aabbccddeeff");
  envelope.mutable_hello()->set_protocol(proto::kProtocol);
  add();
  envelope.mutable_auth()->set_signature(std::string(64, 'x'));
  envelope.mutable_auth()->set_push(true);
  add();
  envelope.mutable_report()->set_seq(9);
  envelope.mutable_report()->set_release_id("r1");
  envelope.mutable_report()->set_error_text("caf\xc3\xa9");
  add();
  envelope.mutable_ping()->set_value(300);
  add();
  return seeds;
}

}  // namespace

const Target kEnvelopeTarget = {"envelope", RunEnvelope, EnvelopeSeeds};

}  // namespace ferry::fuzz
