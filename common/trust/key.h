// Signing keys as TUF metadata names them. Source: TUF specification 1.0, section 4.2.
#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/json_fwd.h"
#include "common/base/status.h"
#include "common/crypto/ed25519.h"
#include "common/crypto/hash.h"

namespace ferry::trust {

using Hash = crypto::Sha256Digest;    // 32 bytes
using PublicKey = crypto::PublicKey;  // 32 bytes
using SigningKey = crypto::SigningKey;

// The key object of metadata: {"keytype":"ed25519","keyval":{"public":"<hex>"},"scheme":"ed25519"}.
Json KeyToJson(const PublicKey& key);
// kMalformed; kUnsupported for another type of key.
Result<PublicKey> KeyFromJson(const Json& object);
// SHA-256 of the canonical key object, in hexadecimal: 64 characters.
std::string KeyIdOf(const PublicKey& key);

// 32 bytes as 64 hexadecimal characters, in a text or in a member of an object; kMalformed names
// the member.
Result<Hash> Hash32FromHex(std::string_view text);
Result<Hash> GetHash32(const Json& object, std::string_view key);

// Keys by id, and how many of them must sign.
struct RoleKeys {
  std::vector<std::string> key_ids;
  int threshold = 1;
  bool operator==(const RoleKeys&) const = default;
};
using KeyMap = std::map<std::string, PublicKey, std::less<>>;

}  // namespace ferry::trust
