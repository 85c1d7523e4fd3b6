// Keys and roles of signed.h.
#include <algorithm>
#include <set>

#include "common/trust/time.h"
#include "common/trust/tuf/signed.h"

namespace ferry::tuf {
namespace {

constexpr int64_t kMaxVersion = int64_t{1} << 53;

Result<Key> KeyFromJson(const Json& object) {
  FERRY_ASSIGN_OR_RETURN(const std::string type, GetString(object, "keytype"));
  FERRY_ASSIGN_OR_RETURN(const std::string scheme, GetString(object, "scheme"));
  FERRY_ASSIGN_OR_RETURN(const Json* value, GetObject(object, "keyval"));
  Key out;
  if (type == "ed25519" && scheme == "ed25519") {
    FERRY_ASSIGN_OR_RETURN(const std::string text, GetString(*value, "public"));
    FERRY_ASSIGN_OR_RETURN(const Bytes bytes, FromHex(text));
    crypto::PublicKey key{};
    if (bytes.size() != key.size()) {
      return Status::Of(Code::kMalformed, "an Ed25519 key of {} bytes", bytes.size());
    }
    std::copy(bytes.begin(), bytes.end(), key.begin());
    out.key = key;
    out.identity = "ed25519:" + ToHex(key);
    return out;
  }
  const bool ecdsa =
      (type == "ecdsa" || type == "ecdsa-sha2-nistp256") && scheme == "ecdsa-sha2-nistp256";
  const bool rsa = type == "rsa" && scheme == "rsassa-pss-sha256";
  if (!ecdsa && !rsa) {
    out.identity = scheme + ":" + WriteJson(*value);
    return out;
  }
  FERRY_ASSIGN_OR_RETURN(const std::string pem, GetString(*value, "public"));
  FERRY_ASSIGN_OR_RETURN(
      crypto::PemKey key,
      crypto::PemKey::Parse(ecdsa ? crypto::PemScheme::kEcdsaP256 : crypto::PemScheme::kRsaPss,
                            pem));
  out.identity = scheme + ":" + ToHex(key.der());
  out.key = std::move(key);
  return out;
}

}  // namespace

bool Key::Verify(ByteView message, ByteView signature) const {
  if (const auto* raw = std::get_if<crypto::PublicKey>(&key)) {
    return crypto::Verify(*raw, message, signature);
  }
  const auto* pem = std::get_if<crypto::PemKey>(&key);
  return pem != nullptr && pem->Verify(message, signature);
}

bool LostKey(const Role& before, const Role& after) {
  return std::any_of(before.key_ids.begin(), before.key_ids.end(), [&](const std::string& id) {
    return std::find(after.key_ids.begin(), after.key_ids.end(), id) == after.key_ids.end();
  });
}

Result<Keys> KeysFromJson(const Json& object) {
  if (object.size() > kMaxKeys) {
    return Status::Of(Code::kLimitExceeded, "{} keys, at most {}", object.size(), kMaxKeys);
  }
  Keys out;
  for (const auto& [id, value] : object.items()) {
    if (id.size() > kMaxKeyIdBytes) return Status(Code::kMalformed, "a key id that is too long");
    FERRY_ASSIGN_OR_RETURN(Key key, KeyFromJson(value).Context("key {:.12}", id));
    out.emplace(id, std::move(key));
  }
  return out;
}

Result<Role> RoleFromJson(const Json& object) {
  Role out;
  FERRY_ASSIGN_OR_RETURN(out.key_ids, GetStrings(object, "keyids"));
  FERRY_ASSIGN_OR_RETURN(out.threshold, GetInt(object, "threshold"));
  if (out.threshold < 1) return Status::Of(Code::kMalformed, "threshold {}", out.threshold);
  if (out.key_ids.size() > kMaxKeys) {
    return Status::Of(Code::kLimitExceeded, "{} keys of a role, at most {}", out.key_ids.size(),
                      kMaxKeys);
  }
  const std::set<std::string_view> ids(out.key_ids.begin(), out.key_ids.end());
  if (ids.size() != out.key_ids.size()) return Status(Code::kMalformed, "a key id twice in a role");
  return out;
}

Result<Header> ReadHeader(const Json& part, std::string_view type) {
  FERRY_ASSIGN_OR_RETURN(const std::string own, GetString(part, "_type"));
  if (own != type) {
    return Status::Of(Code::kMalformed, "\"_type\" is \"{:.40}\", wanted \"{}\"", own, type);
  }
  FERRY_ASSIGN_OR_RETURN(const std::string spec, GetString(part, "spec_version"));
  if (!spec.starts_with("1.")) {
    return Status::Of(Code::kUnsupported, "specification {:.40}, this reads 1.x", spec);
  }
  Header out;
  FERRY_ASSIGN_OR_RETURN(out.version, GetInt(part, "version"));
  if (out.version < 1 || out.version > kMaxVersion) {
    return Status::Of(Code::kMalformed, "version {}", out.version);
  }
  FERRY_ASSIGN_OR_RETURN(const std::string expires, GetString(part, "expires"));
  FERRY_ASSIGN_OR_RETURN(out.expires_ms, trust::ParseTime(expires));
  return out;
}

}  // namespace ferry::tuf
