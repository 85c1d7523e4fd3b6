#include "common/trust/key.h"

#include "common/base/json.h"

#include <algorithm>

namespace ferry::trust {

Json KeyToJson(const PublicKey& key) {
  return {{"keytype", "ed25519"}, {"keyval", {{"public", ToHex(key)}}}, {"scheme", "ed25519"}};
}

Result<PublicKey> KeyFromJson(const Json& object) {
  FERRY_ASSIGN_OR_RETURN(const std::string type, GetString(object, "keytype"));
  FERRY_ASSIGN_OR_RETURN(const std::string scheme, GetString(object, "scheme"));
  if (type != "ed25519" || scheme != "ed25519") {
    return Status::Of(Code::kUnsupported, "key type \"{}\" with scheme \"{}\", wanted ed25519",
                      type, scheme);
  }
  FERRY_ASSIGN_OR_RETURN(const Json* value, GetObject(object, "keyval"));
  return GetHash32(*value, "public");
}

std::string KeyIdOf(const PublicKey& key) {
  return crypto::Sha256Hex(AsBytes(WriteJson(KeyToJson(key))));
}

Result<Hash> Hash32FromHex(std::string_view text) {
  FERRY_ASSIGN_OR_RETURN(const Bytes bytes, FromHex(text));
  Hash out{};
  if (bytes.size() != out.size()) {
    return Status::Of(Code::kMalformed, "{} bytes in hexadecimal, wanted {}", bytes.size(),
                      out.size());
  }
  // One text for one value: signatures and key ids are compared as text too.
  if (ToHex(bytes) != text) return Status(Code::kMalformed, "hexadecimal in upper case");
  std::copy(bytes.begin(), bytes.end(), out.begin());
  return out;
}

Result<Hash> GetHash32(const Json& object, std::string_view key) {
  FERRY_ASSIGN_OR_RETURN(const std::string text, GetString(object, key));
  return Hash32FromHex(text).Context("field \"{}\"", key);
}

}  // namespace ferry::trust
