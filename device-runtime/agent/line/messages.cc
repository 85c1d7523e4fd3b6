#include "device-runtime/agent/line/messages.h"

#include "common/crypto/hash.h"
#include "common/proto/envelope.h"

namespace ferry::agent {
namespace {

std::string Text(ByteView bytes) {
  return std::string(AsText(bytes));
}

}  // namespace

void FillProfile(const target::Attributes& attributes, proto::Profile* profile) {
  profile->set_os(attributes.os.value_or(""));
  profile->set_app_version(attributes.app_version.value_or(""));
  profile->set_device_class(attributes.device_class.value_or(""));
  profile->set_runtime_version(attributes.runtime_version.value_or(kRuntimeVersion));
  for (const std::string& tag : attributes.tags) profile->add_tags(tag);
  for (const auto& [key, value] : attributes.extra) (*profile->mutable_extra())[key] = value;
  if (attributes.memory_bytes) profile->set_memory_bytes(*attributes.memory_bytes);
  if (attributes.free_bytes) profile->set_free_bytes(*attributes.free_bytes);
  for (const std::string& isa : attributes.isa) profile->add_isa(isa);
  profile->set_measured_class(attributes.measured_class.value_or(""));
  for (const auto& [key, value] : attributes.user) (*profile->mutable_user())[key] = value;
  if (attributes.utc_offset_minutes)
    profile->set_utc_offset_minutes(*attributes.utc_offset_minutes);
  profile->set_at_rest(attributes.at_rest);
}

void FillEnroll(const Identity& identity, const target::Attributes& attributes,
                proto::Enroll* enroll) {
  const auto& identity_public = identity.identity_key.public_key();
  const auto& seal_public = identity.seal_key.public_key();
  const auto secret_hash = crypto::Sha256(identity.join.secret);
  const Bytes message =
      proto::EnrollMessage(identity.join.tenant, secret_hash, identity_public, seal_public);
  enroll->set_tenant(identity.join.tenant);
  enroll->set_join_secret(Text(identity.join.secret));
  enroll->set_identity_public(Text(identity_public));
  enroll->set_seal_public(Text(seal_public));
  FillProfile(attributes, enroll->mutable_profile());
  enroll->set_proof(Text(identity.identity_key.Sign(message)));
}

void FillAuth(const Identity& identity, const target::Attributes& attributes, bool push,
              ByteView nonce, proto::Auth* auth) {
  const Bytes message = proto::AuthMessage(identity.device_id, nonce);
  auth->set_signature(Text(identity.identity_key.Sign(message)));
  FillProfile(attributes, auth->mutable_profile());
  auth->set_push(push);
  auth->set_desired(true);
  auth->set_when(true);
  auth->set_bins(true);
  auth->set_observe(true);
  auth->set_new_keys(true);
  auth->set_erase(true);
}

void FillNewKeys(const Identity& identity, proto::NewKeys* keys) {
  const auto& identity_public = identity.next->identity.public_key();
  const auto& seal_public = identity.next->seal.public_key();
  const Bytes message = proto::NewKeysMessage(identity.device_id, identity_public, seal_public);
  keys->set_identity_public(Text(identity_public));
  keys->set_seal_public(Text(seal_public));
  keys->set_by_present(Text(identity.identity_key.Sign(message)));
  keys->set_by_new(Text(identity.next->identity.Sign(message)));
}

void FillStart(const StartIds& start_ids, proto::Auth* auth) {
  auth->set_start_id(Text(start_ids.now));
  auth->set_previous_start_id(Text(start_ids.before));
}

void FillHave(const Slots& slots, proto::Poll* poll) {
  for (const std::string& package : slots.Packages().value_or({})) {
    const auto current = slots.Read(package);
    if (!current.ok() || !*current || slots.damaged().contains(package)) continue;
    const Installed& now = (*current)->now;
    proto::PackageState* state = poll->add_have();
    state->set_name(package);
    state->set_version(now.running.version);
    state->set_release(now.release);
    state->set_disabled((*current)->disabled);
  }
}

namespace {

proto::Report::Step WireStepOf(Step step) {
  if (step == Step::kWaiting) return proto::Report::WAITING;
  if (step == Step::kObserving) return proto::Report::OBSERVING;
  return static_cast<proto::Report::Step>(step);
}

}  // namespace

void FillReport(const Report& report, proto::Report* message) {
  message->set_seq(report.seq);
  message->set_release_id(report.release);
  message->set_epoch(static_cast<uint64_t>(report.epoch));
  message->set_step(WireStepOf(report.step));
  message->set_package(report.package);
  message->set_version(report.version);
  message->set_error_code(report.error_code);
  message->set_error_text(report.error_text);
  message->set_time_ms(report.time_ms);
  message->set_bytes_pulled(report.bytes_pulled);
  message->set_was_delta(report.was_delta);
  message->set_by_push(report.by_push);
  message->set_previous_version(report.previous_version);
  for (const auto& [name, value] : report.metrics) (*message->mutable_metrics())[name] = value;
  if (report.step != Step::kMeasured) return;
  message->mutable_use()->set_events(static_cast<uint64_t>(report.use.events));
  message->mutable_use()->set_starts(static_cast<uint64_t>(report.use.starts));
  message->mutable_use()->set_failures(static_cast<uint64_t>(report.use.failures));
  message->mutable_use()->set_inferences(static_cast<uint64_t>(report.use.inferences));
}

proto::Envelope::BodyCase AnswerOf(const proto::Envelope& request) {
  switch (request.body_case()) {
    case proto::Envelope::kPoll:
      return proto::Envelope::kAssignment;
    case proto::Envelope::kMetadataRequest:
      return proto::Envelope::kMetadata;
    case proto::Envelope::kKeyRequest:
      return proto::Envelope::kWrappedKey;
    case proto::Envelope::kEraseData:
      return proto::Envelope::kDataErased;
    case proto::Envelope::kNewKeys:
      return proto::Envelope::kKeysTaken;
    default:
      return proto::Envelope::BODY_NOT_SET;
  }
}

Status ErrorOf(const proto::Error& error) {
  const Code code = CodeFromNumber(error.code()).value_or(Code::kInternal);
  return Status(code == Code::kOk ? Code::kInternal : code,
                "the server says: " + proto::CutText(error.text()));
}

}  // namespace ferry::agent
