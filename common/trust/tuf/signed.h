// What every document of TUF shares: keys, roles, signatures, hashes. Source: TUF specification
// 1.0.34, section 4.2. Beside common/trust's own documents, which allow less: here keys may be of
// any kind that the specification names, and members that nobody knows are kept under the
// signature.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "common/base/json.h"
#include "common/crypto/ed25519.h"
#include "common/crypto/pem/pem_key.h"

namespace ferry::tuf {

inline constexpr size_t kMaxMetadataBytes = 8 << 20;  // one document
inline constexpr size_t kMaxSignatures = 256;         // in one document
inline constexpr size_t kMaxKeys = 256;               // in one document
inline constexpr size_t kMaxKeyIdBytes = 256;

// A key; `monostate` for a type or scheme that is not known here, which verifies nothing.
struct Key {
  std::variant<std::monostate, crypto::PublicKey, crypto::PemKey> key;
  // Equal for equal keys: one key under two ids counts once.
  std::string identity;

  bool Verify(ByteView message, ByteView signature) const;
};
using Keys = std::map<std::string, Key, std::less<>>;

struct Role {
  std::vector<std::string> key_ids;
  int64_t threshold = 1;
};

// Whether `after` lacks a key that `before` had.
bool LostKey(const Role& before, const Role& after);

// Ids are any text. kMalformed names the key; a known type whose value is no key is kMalformed.
Result<Keys> KeysFromJson(const Json& object);
// kMalformed for a key id twice, or a threshold below 1.
Result<Role> RoleFromJson(const Json& object);

// A document that is parsed and not verified yet.
struct Signed {
  Json part;              // "signed"
  std::string canonical;  // of it: what signatures cover
  struct Signature {
    std::string key_id;
    Bytes sig;  // empty when it is no hexadecimal text: it matches nothing
  };
  std::vector<Signature> signatures;
};
// kMalformed (two signatures of one key id too), kLimitExceeded.
Result<Signed> ParseSigned(ByteView document);
// kBadSignature unless `role.threshold` different keys of the role signed.
Status Verify(const Signed& document, const Keys& keys, const Role& role, std::string_view what);

// Canonical JSON: as in TUF, where a string escapes the quote and the backslash alone, so that the
// line ends in a PEM key stand as they are. kMalformed for a float.
Result<std::string> Canonical(const Json& value);

// {"_type","spec_version","version","expires"}: kMalformed, kUnsupported.
struct Header {
  int64_t version = 0;
  int64_t expires_ms = 0;
};
Result<Header> ReadHeader(const Json& part, std::string_view type);

// Algorithm and lower-case hexadecimal digest.
using Hashes = std::map<std::string, std::string>;
Result<Hashes> HashesFromJson(const Json& object);
// Every known algorithm must match, and one must be known: kCorruptContent, kUnsupported.
Status CheckHashes(ByteView bytes, const Hashes& hashes, std::string_view what);

}  // namespace ferry::tuf
