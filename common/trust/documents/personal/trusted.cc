// TrustedSet's part about files of this device alone.
#include "common/base/json.h"
#include "common/crypto/ed25519.h"
#include "common/trust/documents/checks.h"
#include "common/trust/documents/header.h"
#include "common/trust/envelope.h"
#include "common/trust/trusted_set.h"

namespace ferry::trust {
namespace {

constexpr std::string_view kWhat = "personal files";

// The document, signed by those to whom `targets` delegate, and within what they delegate.
Result<PersonalTargets> OpenPersonal(const Targets& targets, const Envelope& envelope) {
  if (!targets.personal) {
    return Status::Of(Code::kNotAuthorizedTarget, "targets version {} delegate no personal files",
                      targets.version);
  }
  FERRY_TRY(VerifyEnvelope(envelope, targets.personal->keys, targets.personal->role, kWhat));
  FERRY_ASSIGN_OR_RETURN(PersonalTargets out,
                         PersonalFromJson(envelope.signed_part).Context("{}", kWhat));
  FERRY_TRY(CheckDelegated(*targets.personal, out).Context("{} version {}", kWhat, out.version));
  return out;
}

// The id of a key that signed and is delegated to.
std::string SignerOf(const PersonalDelegation& delegation, const Envelope& envelope) {
  for (const Signature& signature : envelope.signatures) {
    const auto key = delegation.keys.find(signature.key_id);
    if (key == delegation.keys.end() || !NamesKey(delegation, signature.key_id)) continue;
    if (crypto::Verify(key->second, envelope.canonical, signature.sig)) return signature.key_id;
  }
  return "";
}

}  // namespace

bool TrustedSet::NeedsPersonal(const MetaFile& wanted) const {
  return personal() == nullptr || MetaOf(personal_document_, personal_->version) != wanted;
}

Status TrustedSet::UpdatePersonal(ByteView document, const MetaFile& wanted,
                                  std::string_view device, int64_t now_ms) {
  if (!targets_) return Status(Code::kFailedPrecondition, "personal files before targets");
  if (document.size() > kMaxPersonalDocumentBytes) {
    return Status::Of(Code::kLimitExceeded, "{}: a document of {} bytes, at most {}", kWhat,
                      document.size(), kMaxPersonalDocumentBytes);
  }
  FERRY_TRY(CheckBytes(kWhat, document, wanted));
  FERRY_ASSIGN_OR_RETURN(const Envelope envelope, ParseEnvelope(document).Context("{}", kWhat));
  FERRY_ASSIGN_OR_RETURN(PersonalTargets next, OpenPersonal(*targets_, envelope));
  if (next.device != device) {
    return Status::Of(Code::kWrongDevice, "{} version {} are those of device {:.64}, this is {}",
                      kWhat, next.version, next.device, device);
  }
  FERRY_TRY(CheckVersionNamed(kWhat, next.version, wanted.version));
  FERRY_TRY(CheckNotOlder(kWhat, next.version, personal_version_));
  FERRY_TRY(CheckExpiry(kWhat, next.version, next.expires_ms, now_ms));
  personal_version_ = next.version;
  personal_key_ = SignerOf(*targets_->personal, envelope);
  personal_ = std::move(next);
  personal_document_ = ToBytes(document);
  return OkStatus();
}

void TrustedSet::KeepPersonal() {
  if (!targets_) return;  // what they say of it is not known
  const auto envelope = ParseEnvelope(personal_document_);
  if (!envelope.ok() || !OpenPersonal(*targets_, *envelope).ok()) {
    personal_.reset();
    personal_document_.clear();
  }
  // What a key counted to is forgotten when another takes its place, so that a thief's highest
  // number ends with his key.
  if (!targets_->personal || NamesKey(*targets_->personal, personal_key_)) return;
  personal_version_ = 0;
  personal_key_.clear();
}

Json TrustedSet::PersonalState() const {
  return {{"document", AsText(personal_document_)},
          {"version", personal_version_},
          {"key", personal_key_}};
}

Status TrustedSet::LoadPersonal(const Json& state) {
  FERRY_ASSIGN_OR_RETURN(const Json* object, GetObjectOrNull(state, "personal"));
  if (object == nullptr) return OkStatus();  // a state from before there were any
  FERRY_ASSIGN_OR_RETURN(const std::string document, GetString(*object, "document"));
  FERRY_ASSIGN_OR_RETURN(personal_version_, GetIntIn(*object, "version", 0, kMaxVersion));
  FERRY_ASSIGN_OR_RETURN(personal_key_, GetString(*object, "key"));
  if (document.empty() || !targets_) return OkStatus();
  FERRY_ASSIGN_OR_RETURN(const Envelope envelope,
                         ParseEnvelope(AsBytes(document)).Context("{}", kWhat));
  auto opened = OpenPersonal(*targets_, envelope);
  // What is no longer signed is asked for again.
  if (!opened.ok()) return OkStatus();
  personal_ = *std::move(opened);
  personal_document_ = ToBytes(document);
  return OkStatus();
}

}  // namespace ferry::trust
