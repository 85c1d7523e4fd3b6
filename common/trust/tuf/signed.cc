#include "common/trust/tuf/signed.h"

#include <algorithm>
#include <set>

#include "common/crypto/hash.h"

namespace ferry::tuf {
namespace {

Result<Signed::Signature> SignatureFromJson(const Json& object) {
  Signed::Signature out;
  FERRY_ASSIGN_OR_RETURN(out.key_id, GetString(object, "keyid"));
  FERRY_ASSIGN_OR_RETURN(const std::string text, GetString(object, "sig"));
  if (auto sig = FromHex(text); sig.ok()) out.sig = *std::move(sig);
  return out;
}

void AppendString(const std::string& text, std::string& out) {
  out += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  out += '"';
}

// Depth is bounded by the parser's.
Status Append(const Json& value, std::string& out) {
  if (value.is_number_float()) return Status(Code::kMalformed, "a float in signed metadata");
  if (value.is_string()) {
    AppendString(value.get_ref<const std::string&>(), out);
  } else if (value.is_object()) {
    const char* before = "{";
    for (const auto& [name, item] : value.items()) {
      out += before;
      AppendString(name, out);
      out += ':';
      FERRY_TRY(Append(item, out));
      before = ",";
    }
    out += value.empty() ? "{}" : "}";
  } else if (value.is_array()) {
    const char* before = "[";
    for (const Json& item : value) {
      out += before;
      FERRY_TRY(Append(item, out));
      before = ",";
    }
    out += value.empty() ? "[]" : "]";
  } else {
    out += value.dump();
  }
  return OkStatus();
}

}  // namespace

Result<std::string> Canonical(const Json& value) {
  std::string out;
  FERRY_TRY(Append(value, out));
  return out;
}

Result<Signed> ParseSigned(ByteView document) {
  if (document.size() > kMaxMetadataBytes) {
    return Status::Of(Code::kLimitExceeded, "a document of {} bytes, at most {}", document.size(),
                      kMaxMetadataBytes);
  }
  FERRY_ASSIGN_OR_RETURN(const Json json, ParseJson(AsText(document)));
  FERRY_ASSIGN_OR_RETURN(const Json* list, GetArray(json, "signatures"));
  FERRY_ASSIGN_OR_RETURN(const Json* part, GetObject(json, "signed"));
  if (list->size() > kMaxSignatures) {
    return Status::Of(Code::kLimitExceeded, "{} signatures, at most {}", list->size(),
                      kMaxSignatures);
  }
  Signed out;
  std::set<std::string> seen;
  for (const Json& item : *list) {
    FERRY_ASSIGN_OR_RETURN(Signed::Signature signature, SignatureFromJson(item));
    if (!seen.insert(signature.key_id).second) {
      return Status::Of(Code::kMalformed, "two signatures of key {:.12}", signature.key_id);
    }
    out.signatures.push_back(std::move(signature));
  }
  FERRY_ASSIGN_OR_RETURN(out.canonical, Canonical(*part));
  out.part = *part;
  return out;
}

Status Verify(const Signed& document, const Keys& keys, const Role& role, std::string_view what) {
  std::set<std::string_view> good;
  for (const Signed::Signature& signature : document.signatures) {
    const auto found = keys.find(signature.key_id);
    const bool of_role =
        std::find(role.key_ids.begin(), role.key_ids.end(), signature.key_id) != role.key_ids.end();
    if (found == keys.end() || !of_role) continue;
    if (found->second.Verify(AsBytes(document.canonical), signature.sig)) {
      good.insert(found->second.identity);
    }
  }
  if (role.threshold >= 1 && good.size() >= static_cast<size_t>(role.threshold)) return OkStatus();
  return Status::Of(Code::kBadSignature, "{}: {} of {} needed keys signed", what, good.size(),
                    role.threshold);
}

Result<Hashes> HashesFromJson(const Json& object) {
  Hashes out;
  for (const auto& [algorithm, digest] : object.items()) {
    if (!digest.is_string() || algorithm.size() > 32) {
      return Status(Code::kMalformed, "field \"hashes\" holds no digests");
    }
    out.emplace(algorithm, digest.get<std::string>());
  }
  if (out.empty()) return Status(Code::kMalformed, "field \"hashes\" is empty");
  return out;
}

Status CheckHashes(ByteView bytes, const Hashes& hashes, std::string_view what) {
  bool known = false;
  for (const auto& [algorithm, wanted] : hashes) {
    std::string got;
    if (algorithm == "sha256") got = crypto::Sha256Hex(bytes);
    if (algorithm == "sha512") got = ToHex(crypto::Sha512(bytes));
    if (got.empty()) continue;
    known = true;
    if (got != wanted) {
      return Status::Of(Code::kCorruptContent, "{}: {} {:.12} was signed, got {:.12}", what,
                        algorithm, wanted, got);
    }
  }
  if (known) return OkStatus();
  return Status::Of(Code::kUnsupported, "{}: no hash that is known here (sha256, sha512)", what);
}

}  // namespace ferry::tuf
