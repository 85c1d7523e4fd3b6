#include "device-runtime/agent/state/identity.h"

#include "common/base/json.h"
#include "common/crypto/hash.h"
#include "common/crypto/keyfile.h"
#include "common/proto/envelope.h"

namespace ferry::agent {
namespace {

constexpr uint64_t kMaxIdentityBytes = 64 << 10;

template <typename Key, typename Read>
Result<Key> ReadOrMake(sys::FileSystem& fs, const std::string& path, sys::Random& random,
                       Read read) {
  if (sys::Exists(fs, path)) return read(fs, path);
  const Key key = Key::Generate(random);
  FERRY_TRY(crypto::WriteKey(fs, path, key));
  return key;
}

Status Write(sys::FileSystem& fs, const std::string& directory, const Identity& identity) {
  const Json json = {{"device_id", identity.device_id},
                     {"enrolled", identity.enrolled},
                     {"tenant", identity.join.tenant},
                     {"host", identity.join.host},
                     {"port", identity.join.port},
                     {"authority", identity.join.authority},
                     {"root_version", identity.join.root_version},
                     {"root_sha256", ToHex(identity.join.root_sha256)},
                     {"secret", ToBase64(identity.join.secret)}};
  return sys::WriteFileAtomically(fs, sys::JoinPath(directory, kIdentityFile),
                                  AsBytes(WriteJsonPretty(json)));
}

Result<trust::JoinToken> JoinFromJson(const Json& json) {
  trust::JoinToken join;
  FERRY_ASSIGN_OR_RETURN(join.tenant, GetString(json, "tenant"));
  FERRY_ASSIGN_OR_RETURN(join.host, GetString(json, "host"));
  FERRY_ASSIGN_OR_RETURN(const int64_t port, GetInt(json, "port"));
  if (port < 1 || port > 65535) return Status::Of(Code::kMalformed, "port {} is no port", port);
  join.port = static_cast<uint16_t>(port);
  FERRY_ASSIGN_OR_RETURN(join.authority, GetString(json, "authority"));
  FERRY_ASSIGN_OR_RETURN(join.root_version, GetInt(json, "root_version"));
  FERRY_ASSIGN_OR_RETURN(join.root_sha256, trust::GetHash32(json, "root_sha256"));
  FERRY_ASSIGN_OR_RETURN(const std::string secret, GetString(json, "secret"));
  FERRY_ASSIGN_OR_RETURN(join.secret, FromBase64(secret));
  return join;
}

Result<Identity> Load(sys::FileSystem& fs, const std::string& directory, const Bytes& text) {
  FERRY_ASSIGN_OR_RETURN(const Json json, ParseJson(AsText(text)));
  FERRY_ASSIGN_OR_RETURN(auto join, JoinFromJson(json));
  FERRY_ASSIGN_OR_RETURN(auto id, GetString(json, "device_id"));
  FERRY_ASSIGN_OR_RETURN(const bool enrolled, GetBool(json, "enrolled"));
  FERRY_ASSIGN_OR_RETURN(auto identity_key,
                         crypto::ReadSigningKey(fs, sys::JoinPath(directory, kIdentityKeyFile)));
  FERRY_ASSIGN_OR_RETURN(auto seal_key,
                         crypto::ReadAgreementKey(fs, sys::JoinPath(directory, kSealKeyFile)));
  if (id != proto::DeviceIdOf(crypto::Sha256(identity_key.public_key()))) {
    return Status::Of(Code::kMalformed, "device id {} is not of the identity key", id);
  }
  return Identity{std::move(join), std::move(id), enrolled, identity_key, seal_key};
}

}  // namespace

Result<Identity> MakeIdentity(sys::FileSystem& fs, const std::string& directory,
                              const trust::JoinToken& token, sys::Random& random) {
  FERRY_TRY(fs.MakeDirectories(directory));
  FERRY_ASSIGN_OR_RETURN(auto identity_key, ReadOrMake<crypto::SigningKey>(
                                                fs, sys::JoinPath(directory, kIdentityKeyFile),
                                                random, crypto::ReadSigningKey));
  FERRY_ASSIGN_OR_RETURN(
      auto seal_key, ReadOrMake<crypto::AgreementKey>(fs, sys::JoinPath(directory, kSealKeyFile),
                                                      random, crypto::ReadAgreementKey));
  Identity identity{token, proto::DeviceIdOf(crypto::Sha256(identity_key.public_key())), false,
                    identity_key, seal_key};
  FERRY_TRY(Write(fs, directory, identity));
  return identity;
}

Result<Identity> LoadIdentity(sys::FileSystem& fs, const std::string& directory) {
  const std::string path = sys::JoinPath(directory, kIdentityFile);
  FERRY_ASSIGN_OR_RETURN(const Bytes text, sys::ReadFile(fs, path, kMaxIdentityBytes));
  return Load(fs, directory, text).Context("{}", path);
}

Status SaveEnrolled(sys::FileSystem& fs, const std::string& directory, Identity* identity) {
  Identity next = *identity;
  next.enrolled = true;
  next.join.secret.clear();
  FERRY_TRY(Write(fs, directory, next));
  *identity = std::move(next);
  return OkStatus();
}

}  // namespace ferry::agent
