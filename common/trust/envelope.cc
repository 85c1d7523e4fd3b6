#include "common/trust/envelope.h"

#include "common/base/json.h"

#include <algorithm>
#include <set>

namespace ferry::trust {
namespace {

Result<Signature> SignatureFromJson(const Json& object) {
  Signature out;
  FERRY_ASSIGN_OR_RETURN(out.key_id, GetString(object, "keyid"));
  FERRY_ASSIGN_OR_RETURN(const std::string hex, GetString(object, "sig"));
  FERRY_ASSIGN_OR_RETURN(out.sig, FromHex(hex).Context("field \"sig\""));
  return out;
}

Json SignatureToJson(std::string_view key_id, ByteView sig) {
  return {{"keyid", key_id}, {"sig", ToHex(sig)}};
}

// Metadata is small numbers and text: a float or an integer past 64 bits cannot be canonical.
Result<Bytes> Canonical(const Json& value) {
  auto text = WriteCanonicalJson(value);
  if (!text.ok()) return Status(Code::kMalformed, text.status().message());
  return ToBytes(*text);
}

Bytes Assemble(const Json& signed_part, std::vector<std::pair<std::string, Bytes>> signatures) {
  std::sort(signatures.begin(), signatures.end());
  Json list = Json::array();
  for (const auto& [key_id, sig] : signatures) list.push_back(SignatureToJson(key_id, sig));
  return ToBytes(WriteJson(Json{{"signatures", std::move(list)}, {"signed", signed_part}}));
}

}  // namespace

Result<Envelope> ParseEnvelope(ByteView document) {
  if (document.size() > kMaxMetadataBytes) {
    return Status::Of(Code::kLimitExceeded, "a document of {} bytes, at most {}", document.size(),
                      kMaxMetadataBytes);
  }
  FERRY_ASSIGN_OR_RETURN(Json json, ParseJson(AsText(document)));
  FERRY_ASSIGN_OR_RETURN(const Json* list, GetArray(json, "signatures"));
  FERRY_ASSIGN_OR_RETURN(const Json* signed_part, GetObject(json, "signed"));
  if (list->size() > kMaxSignatures) {
    return Status::Of(Code::kLimitExceeded, "{} signatures, at most {}", list->size(),
                      kMaxSignatures);
  }
  Envelope out;
  std::set<std::string> seen;
  for (const Json& item : *list) {
    FERRY_ASSIGN_OR_RETURN(Signature signature,
                           SignatureFromJson(item).Context("signature {}", out.signatures.size()));
    if (!seen.insert(signature.key_id).second) {
      return Status::Of(Code::kMalformed, "two signatures of key {:.12}", signature.key_id);
    }
    out.signatures.push_back(std::move(signature));
  }
  FERRY_ASSIGN_OR_RETURN(out.canonical, Canonical(*signed_part));
  out.signed_part = *signed_part;
  return out;
}

Status VerifyEnvelope(const Envelope& envelope, const KeyMap& keys, const RoleKeys& role,
                      std::string_view what) {
  std::set<std::string_view> good;
  std::string bad;
  for (const Signature& signature : envelope.signatures) {
    const auto key = keys.find(signature.key_id);
    const bool of_role =
        std::find(role.key_ids.begin(), role.key_ids.end(), signature.key_id) != role.key_ids.end();
    if (key == keys.end() || !of_role) continue;
    if (crypto::Verify(key->second, envelope.canonical, signature.sig)) {
      good.insert(key->first);
    } else {
      bad += fmt::format("; the signature of key {:.12} does not match", signature.key_id);
    }
  }
  if (role.threshold >= 1 && good.size() >= static_cast<size_t>(role.threshold)) {
    return OkStatus();
  }
  return Status::Of(Code::kBadSignature, "{}: {} of {} needed keys signed{}", what, good.size(),
                    role.threshold, bad);
}

Result<Bytes> SignDocument(const Json& signed_part, std::span<const SigningKey> signers) {
  FERRY_ASSIGN_OR_RETURN(const std::string text, WriteCanonicalJson(signed_part));
  std::map<std::string, Bytes> by_key;
  for (const SigningKey& signer : signers) {
    by_key[KeyIdOf(signer.public_key())] = ToBytes(ByteView(signer.Sign(AsBytes(text))));
  }
  return Assemble(signed_part, {by_key.begin(), by_key.end()});
}

Result<Bytes> AddSignature(ByteView document, const SigningKey& signer) {
  FERRY_ASSIGN_OR_RETURN(const Envelope envelope, ParseEnvelope(document));
  const std::string own = KeyIdOf(signer.public_key());
  std::vector<std::pair<std::string, Bytes>> all = {
      {own, ToBytes(ByteView(signer.Sign(envelope.canonical)))}};
  for (const Signature& signature : envelope.signatures) {
    if (signature.key_id != own) all.emplace_back(signature.key_id, signature.sig);
  }
  return Assemble(envelope.signed_part, std::move(all));
}

Status CheckSent(ByteView document, std::string_view what) {
  if (document.size() <= kMaxSentDocumentBytes) return OkStatus();
  return Status::Of(Code::kLimitExceeded,
                    "{} has {} bytes; at most {} fit a frame to a device (ferry package withdraw "
                    "takes old versions out)",
                    what, document.size(), kMaxSentDocumentBytes);
}

}  // namespace ferry::trust
