#include "device-runtime/agent/state/identity.h"

#include "common/base/json.h"
#include "common/crypto/hash.h"
#include "common/crypto/keyfile.h"
#include "common/proto/envelope.h"
#include "device-runtime/agent/state/twin_file.h"

namespace ferry::agent {
namespace {

constexpr uint64_t kMaxIdentityBytes = 64 << 10;

// Reads the key file or its second copy; notes in `damage` what is wrong with them.
template <typename Key, typename Read>
Result<Key> ReadKeyTwice(sys::FileSystem& fs, const std::string& path, Read read,
                         std::string* damage) {
  auto first = read(fs, path);
  if (first.code() == Code::kPermissionDenied) return first;
  auto second = read(fs, path + kSecondCopy);
  if (!first.ok() && !second.ok() && first.code() == Code::kNotFound &&
      second.code() == Code::kNotFound) {
    return first;
  }
  for (const auto* key : {&first, &second}) {
    if (key->ok() || key->code() == Code::kNotFound) continue;
    *damage += (damage->empty() ? "" : "; ") + key->status().message();
  }
  if (first.ok()) return first;
  if (second.ok()) return second;
  return Status(Code::kCorruptContent, *damage);
}

template <typename Key, typename Read>
Status HealKey(sys::FileSystem& fs, const std::string& path, const Key& key, Read read) {
  for (const std::string& copy : {path, path + kSecondCopy}) {
    const auto now = read(fs, copy);
    if (now.ok() && now->public_key() == key.public_key()) continue;
    FERRY_TRY(crypto::WriteKey(fs, copy, key));
  }
  return OkStatus();
}

template <typename Key, typename Read>
Result<Key> ReadOrMake(sys::FileSystem& fs, const std::string& path, sys::Random& random,
                       Read read) {
  std::string damage;
  auto found = ReadKeyTwice<Key>(fs, path, read, &damage);
  if (found.code() == Code::kCorruptContent) FERRY_TRY(TwinFile(fs, path).SetAside());
  if (!found.ok() && found.code() != Code::kNotFound && found.code() != Code::kCorruptContent) {
    return found;
  }
  const Key key = found.ok() ? *found : Key::Generate(random);
  FERRY_TRY(HealKey(fs, path, key, read));
  return key;
}

TwinFile FileOf(sys::FileSystem& fs, const std::string& directory) {
  return {fs, sys::JoinPath(directory, kIdentityFile)};
}

Status Write(TwinFile file, const Identity& identity) {
  const Json json = {{"device_id", identity.device_id},
                     {"enrolled", identity.enrolled},
                     {"tenant", identity.join.tenant},
                     {"host", identity.join.host},
                     {"port", identity.join.port},
                     {"authority", identity.join.authority},
                     {"root_version", identity.join.root_version},
                     {"root_sha256", ToHex(identity.join.root_sha256)},
                     {"rotated", identity.rotated},
                     {"line", trust::LineToJson(identity.line)},
                     {"line_root", identity.line_root},
                     {"secret", ToBase64(identity.join.secret)}};
  return file.Write(AsBytes(WriteJsonPretty(json)));
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

struct Said {
  trust::JoinToken join;
  std::string device_id;
  bool enrolled = false;
  bool rotated = false;
  trust::Line line;
  int64_t line_root = 0;
};

Result<Said> SaidIn(ByteView text) {
  Said said;
  FERRY_ASSIGN_OR_RETURN(const Json json, ParseJson(AsText(text)));
  FERRY_ASSIGN_OR_RETURN(said.join, JoinFromJson(json));
  FERRY_ASSIGN_OR_RETURN(said.device_id, GetString(json, "device_id"));
  FERRY_ASSIGN_OR_RETURN(said.enrolled, GetBool(json, "enrolled"));
  FERRY_ASSIGN_OR_RETURN(said.rotated, GetBoolOr(json, "rotated", false));
  if (json.contains("line")) {
    FERRY_ASSIGN_OR_RETURN(const Json* line, GetObject(json, "line"));
    FERRY_ASSIGN_OR_RETURN(said.line, trust::LineFromJson(*line));
    FERRY_ASSIGN_OR_RETURN(said.line_root, GetInt(json, "line_root"));
  }
  return said;
}

// Both or none.
std::optional<DeviceKeys> ReadKeys(sys::FileSystem& fs, const std::string& directory,
                                   const char* which) {
  std::string damage;
  const auto identity = ReadKeyTwice<crypto::SigningKey>(
      fs, sys::JoinPath(directory, kIdentityKeyFile) + which, crypto::ReadSigningKey, &damage);
  const auto seal = ReadKeyTwice<crypto::AgreementKey>(
      fs, sys::JoinPath(directory, kSealKeyFile) + which, crypto::ReadAgreementKey, &damage);
  if (!identity.ok() || !seal.ok()) return std::nullopt;
  return DeviceKeys{*identity, *seal};
}

Status WriteKeys(sys::FileSystem& fs, const std::string& directory, const char* which,
                 const DeviceKeys& keys) {
  FERRY_TRY(HealKey(fs, sys::JoinPath(directory, kIdentityKeyFile) + which, keys.identity,
                    crypto::ReadSigningKey));
  return HealKey(fs, sys::JoinPath(directory, kSealKeyFile) + which, keys.seal,
                 crypto::ReadAgreementKey);
}

Status RemoveKeys(sys::FileSystem& fs, const std::string& directory, const char* which) {
  for (const char* name : {kIdentityKeyFile, kSealKeyFile}) {
    const std::string path = sys::JoinPath(directory, name) + which;
    for (const std::string& copy : {path, path + kSecondCopy})
      if (sys::Exists(fs, copy)) FERRY_TRY(fs.Remove(copy));
  }
  return OkStatus();
}

// As the file says it, with what differs in `identity`.
Status Rewrite(sys::FileSystem& fs, const std::string& directory, const Identity& identity) {
  TwinFile file = FileOf(fs, directory);
  // Read first for the number: what is written must be newer.
  const auto before =
      file.Read(kMaxIdentityBytes, [](ByteView text) { return SaidIn(text).status(); });
  if (!before.ok() && before.code() != Code::kCorruptContent) return before.status();
  return Write(std::move(file), identity);
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
  Identity identity{token,    proto::DeviceIdOf(crypto::Sha256(identity_key.public_key())),
                    false,    identity_key,
                    seal_key, {},
                    ""};
  TwinFile file = FileOf(fs, directory);
  const auto before =
      file.Read(kMaxIdentityBytes, [](ByteView text) { return SaidIn(text).status(); });
  if (before.code() == Code::kCorruptContent) FERRY_TRY(file.SetAside());
  FERRY_TRY(Write(std::move(file), identity));
  return identity;
}

Result<Identity> LoadIdentity(sys::FileSystem& fs, const std::string& directory) {
  TwinFile file = FileOf(fs, directory);
  FERRY_ASSIGN_OR_RETURN(const Bytes text, file.Read(kMaxIdentityBytes, [](ByteView candidate) {
    return SaidIn(candidate).status();
  }));
  FERRY_ASSIGN_OR_RETURN(Said said, SaidIn(text));
  std::string damage = file.damage();
  // Without its keys an identity is not absent, it is damaged.
  const auto key = [&](auto result) {
    return result.code() == Code::kNotFound
               ? decltype(result)(Status(Code::kCorruptContent, result.status().message()))
               : result;
  };
  FERRY_ASSIGN_OR_RETURN(auto identity_key, key(ReadKeyTwice<crypto::SigningKey>(
                                                fs, sys::JoinPath(directory, kIdentityKeyFile),
                                                crypto::ReadSigningKey, &damage)));
  FERRY_ASSIGN_OR_RETURN(auto seal_key, key(ReadKeyTwice<crypto::AgreementKey>(
                                            fs, sys::JoinPath(directory, kSealKeyFile),
                                            crypto::ReadAgreementKey, &damage)));
  const std::string id = proto::DeviceIdOf(crypto::Sha256(identity_key.public_key()));
  if (id != said.device_id && !said.rotated) {
    return Status::Of(Code::kCorruptContent, "{}/{}: device id {} is not of the identity key",
                      directory, kIdentityFile, said.device_id);
  }
  Identity identity{std::move(said.join), said.device_id, said.enrolled, identity_key, seal_key, {},
                    std::move(damage)};
  identity.rotated = said.rotated;
  identity.line = std::move(said.line);
  identity.line_root = said.line_root;
  identity.next = ReadKeys(fs, directory, kNextKey);
  identity.before = ReadKeys(fs, directory, kKeyBefore);
  // A power cut while they were taken over.
  const bool taken_over =
      identity.next && identity.next->identity.public_key() == identity_key.public_key();
  if (taken_over) {
    identity.seal_key = identity.next->seal;
    identity.next.reset();
  }
  return identity;
}

Status HealIdentity(sys::FileSystem& fs, const std::string& directory, const Identity& identity) {
  FERRY_TRY(HealKey(fs, sys::JoinPath(directory, kIdentityKeyFile), identity.identity_key,
                    crypto::ReadSigningKey));
  FERRY_TRY(HealKey(fs, sys::JoinPath(directory, kSealKeyFile), identity.seal_key,
                    crypto::ReadAgreementKey));
  TwinFile file = FileOf(fs, directory);
  const auto body =
      file.Read(kMaxIdentityBytes, [](ByteView text) { return SaidIn(text).status(); });
  if (!body.ok()) return body.status();
  return file.whole() ? OkStatus() : file.Write(*body);
}

std::vector<sys::Endpoint> Identity::Endpoints() const {
  std::vector<sys::Endpoint> endpoints;
  bool joined_there = false;
  for (const std::string& text : line.addresses) {
    const Result<sys::Endpoint> address = trust::AddressFromText(text);
    if (!address.ok()) continue;  // none: the line was read by the same rules
    joined_there |= address->host == join.host && address->port == join.port;
    endpoints.push_back(*address);
  }
  if (!joined_there) endpoints.push_back({join.host, join.port});
  return endpoints;
}

std::vector<std::string> Identity::Authorities() const {
  return line.authorities.empty() ? std::vector<std::string>{join.authority} : line.authorities;
}

Result<bool> SaveLine(sys::FileSystem& fs, const std::string& directory, const trust::Root& root,
                      Identity* identity) {
  if (root.version < identity->line_root) return false;
  if (root.line == identity->line) return false;
  identity->line = root.line;
  identity->line_root = root.version;
  FERRY_TRY(Rewrite(fs, directory, *identity));
  return true;
}

Status SaveEnrolled(sys::FileSystem& fs, const std::string& directory, Identity* identity) {
  Identity next = *identity;
  next.enrolled = true;
  next.join.secret.clear();
  FERRY_TRY(Rewrite(fs, directory, next));
  *identity = std::move(next);
  return OkStatus();
}

Status MakeNextKeys(sys::FileSystem& fs, const std::string& directory, sys::Random& random,
                    Identity* identity) {
  if (identity->next) return OkStatus();
  FERRY_TRY(RemoveKeys(fs, directory, kNextKey));  // half of a pair
  const DeviceKeys keys{crypto::SigningKey::Generate(random),
                        crypto::AgreementKey::Generate(random)};
  FERRY_TRY(WriteKeys(fs, directory, kNextKey, keys));
  identity->next = keys;
  return OkStatus();
}

Status UseKeys(sys::FileSystem& fs, const std::string& directory, const DeviceKeys& keys,
               Identity* identity) {
  const DeviceKeys present{identity->identity_key, identity->seal_key};
  identity->identity_key = keys.identity;
  identity->seal_key = keys.seal;
  identity->before = present;
  identity->next.reset();
  identity->rotated = true;
  FERRY_TRY(WriteKeys(fs, directory, kNextKey, keys));
  FERRY_TRY(Rewrite(fs, directory, *identity));
  FERRY_TRY(WriteKeys(fs, directory, kKeyBefore, present));
  FERRY_TRY(WriteKeys(fs, directory, "", keys));
  return RemoveKeys(fs, directory, kNextKey);
}

}  // namespace ferry::agent
