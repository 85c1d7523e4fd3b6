#include "cloud-server/main/online_keys/key_ring.h"

#include <cstdio>
#include <cstdlib>

#include "cloud-server/main/backup/backup.h"
#include "cloud-server/main/home.h"
#include "common/base/json.h"
#include "common/base/log.h"
#include "common/crypto/hash.h"
#include "common/crypto/seal.h"

namespace ferry::server {
namespace {

constexpr std::string_view kMagic = "ferry key ring 1\n";
constexpr size_t kSaltBytes = 32;
constexpr uint64_t kMaxRingBytes = 16 << 20;
constexpr uint64_t kMaxRingFile = 1 << 20;
constexpr const char* kMarker = "server.json";  // with it a server lives in the directory

bool IsOfNode(const std::string& path) {
  return IsLeftOut(path) || path == "content" || path == "spool" || path == "run.json";
}

// A path that leads out of the directory is none.
bool IsInside(const std::string& path) {
  return !path.empty() && path.front() != '/' && path.find("..") == std::string::npos &&
         path.find('\\') == std::string::npos;
}

Result<crypto::Secret32> SealingKey(const crypto::Secret32& secret, ByteView salt) {
  constexpr std::string_view kInfo = "seal";
  const crypto::Sha256Digest prk = crypto::HkdfSha256Extract(salt, secret.bytes());
  FERRY_ASSIGN_OR_RETURN(const Bytes key,
                         crypto::HkdfSha256Expand(prk, AsBytes(kInfo), crypto::Secret32::kBytes));
  return crypto::Secret32::From(key, "key ring");
}

Status PutFile(const std::string& directory, const Json& file) {
  FERRY_ASSIGN_OR_RETURN(const std::string path, GetString(file, "path"));
  FERRY_ASSIGN_OR_RETURN(const int64_t permissions, GetInt(file, "permissions"));
  FERRY_ASSIGN_OR_RETURN(const std::string text, GetString(file, "bytes"));
  FERRY_ASSIGN_OR_RETURN(const Bytes bytes, FromBase64(text));
  if (!IsInside(path)) return Status::Of(Code::kMalformed, "key ring: path \"{:.80}\"", path);
  sys::FileSystem& fs = sys::SystemFileSystem();
  const std::string place = sys::JoinPath(directory, path);
  FERRY_TRY(fs.MakeDirectories(sys::ParentPath(place)));
  const bool is_public = permissions == sys::kPublicFile;
  return sys::WriteFileAtomically(fs, place, bytes,
                                  is_public ? sys::kPublicFile : sys::kPrivateFile);
}

}  // namespace

Result<Bytes> SealKeyRing(const std::string& directory, const crypto::Secret32& secret,
                          sys::Random& random) {
  FERRY_ASSIGN_OR_RETURN(ServerHome home, OpenHome(sys::SystemFileSystem(), directory));
  home.config.store.clear();
  FERRY_ASSIGN_OR_RETURN(const std::vector<std::string> paths, FilesBelow(directory, IsOfNode));
  Json files = Json::array();
  for (const std::string& path : paths) {
    FERRY_ASSIGN_OR_RETURN(const FileEntry entry, DescribeFile(directory, path));
    FERRY_ASSIGN_OR_RETURN(
        Bytes bytes,
        sys::ReadFile(sys::SystemFileSystem(), sys::JoinPath(directory, path), kMaxRingFile));
    if (path == kMarker) bytes = ToBytes(ConfigText(home.config));
    files.push_back(
        {{"path", path}, {"permissions", entry.permissions}, {"bytes", ToBase64(bytes)}});
  }
  Bytes salt(kSaltBytes);
  random.Fill(salt);
  FERRY_ASSIGN_OR_RETURN(const crypto::Secret32 key, SealingKey(secret, salt));
  const std::string plain = WriteJson({{"files", files}});
  FERRY_ASSIGN_OR_RETURN(const Bytes sealed, crypto::Seal(key, AsBytes(plain), random));
  Bytes ring = ToBytes(kMagic);
  ring.insert(ring.end(), salt.begin(), salt.end());
  ring.insert(ring.end(), sealed.begin(), sealed.end());
  return ring;
}

Status UnsealKeyRing(ByteView ring, const crypto::Secret32& secret, const std::string& directory) {
  if (sys::Exists(sys::SystemFileSystem(), sys::JoinPath(directory, kMarker))) return OkStatus();
  if (!AsText(ring).starts_with(kMagic) || ring.size() < kMagic.size() + kSaltBytes)
    return Status(Code::kMalformed, "it is no key ring");
  const ByteView rest = ring.subspan(kMagic.size());
  FERRY_ASSIGN_OR_RETURN(const crypto::Secret32 key, SealingKey(secret, rest.first(kSaltBytes)));
  FERRY_ASSIGN_OR_RETURN(const Bytes plain, crypto::Unseal(key, rest.subspan(kSaltBytes)));
  FERRY_ASSIGN_OR_RETURN(const Json json, ParseJson(AsText(plain)));
  if (!json.contains("files") || !json["files"].is_array())
    return Status(Code::kMalformed, "key ring: no files");
  const Json* marker = nullptr;
  for (const Json& file : json["files"]) {
    FERRY_ASSIGN_OR_RETURN(const std::string path, GetString(file, "path"));
    if (path == kMarker) {
      marker = &file;
      continue;
    }
    FERRY_TRY(PutFile(directory, file));
  }
  if (marker == nullptr) return Status(Code::kMalformed, "key ring: no server.json");
  // Last: with it the directory is a server's.
  return PutFile(directory, *marker);
}

Result<crypto::Secret32> KeyRingSecret() {
  const char* text = std::getenv(kKeyRingSecret);
  if (text == nullptr || *text == 0)
    return Status::Of(Code::kNotFound, "{} is not set", kKeyRingSecret);
  const Result<Bytes> bytes = FromHex(text);
  if (!bytes.ok() || bytes->size() != crypto::Secret32::kBytes)
    return Status::Of(Code::kInvalidArgument, "{}: not 64 hexadecimal digits", kKeyRingSecret);
  return crypto::Secret32::From(*bytes, kKeyRingSecret);
}

Status RunSealKeys(const SealKeysCommand& command) {
  Result<crypto::Secret32> secret = KeyRingSecret();
  const bool made = secret.code() == Code::kNotFound;
  if (made) secret = crypto::Secret32::Generate(sys::SystemRandom());
  FERRY_TRY(secret);
  FERRY_ASSIGN_OR_RETURN(const Bytes ring,
                         SealKeyRing(command.directory, *secret, sys::SystemRandom()));
  FERRY_TRY(sys::WriteFileAtomically(sys::SystemFileSystem(), command.to, ring));
  const std::string text = made ? ToHex(secret->bytes()) : "";
  if (command.json) {
    std::printf("%s\n", WriteJson({{"key_ring", command.to}, {"secret", text}}).c_str());
    return OkStatus();
  }
  std::printf("%s holds the keys of %s, sealed.\n", command.to.c_str(), command.directory.c_str());
  if (made) std::printf("Its secret, shown once: %s=%s\n", kKeyRingSecret, text.c_str());
  return OkStatus();
}

Status UseKeyRing(const std::string& file, const std::string& directory) {
  sys::FileSystem& fs = sys::SystemFileSystem();
  if (sys::Exists(fs, sys::JoinPath(directory, kMarker))) {
    LogInfo("server", "{}: a server lives here already; the key ring is not looked at", directory);
    return OkStatus();
  }
  FERRY_ASSIGN_OR_RETURN(const crypto::Secret32 secret, KeyRingSecret());
  FERRY_ASSIGN_OR_RETURN(const Bytes ring, sys::ReadFile(fs, file, kMaxRingBytes));
  FERRY_TRY(fs.MakeDirectories(directory));
  FERRY_TRY(UnsealKeyRing(ring, secret, directory).Context("{}", file));
  return fs.SyncDirectory(directory);
}

}  // namespace ferry::server
