#include "cloud-server/main/online_keys/key_ring.h"

#include <algorithm>
#include <set>

#include "cloud-server/main/backup/backup.h"
#include "cloud-server/main/home.h"
#include "cloud-server/main/online_keys/ring_note.h"
#include "common/base/json.h"
#include "common/crypto/hash.h"
#include "common/crypto/keyfile.h"
#include "common/crypto/seal.h"

namespace ferry::server {
namespace {

constexpr std::string_view kMagic = "ferry key ring 1\n";
constexpr size_t kSaltBytes = 32;
constexpr uint64_t kMaxRingFile = 1 << 20;
constexpr const char* kMarker = "server.json";           // with it a server lives in the directory
constexpr const char* kContentKey = "keys/content.key";  // the same in all nodes for ever
constexpr const char* kEscrowKey = "keys/escrow.key";

struct RingFile {
  std::string path;
  bool is_public = false;
  Bytes bytes;
};
struct Ring {
  int64_t sealed_ms = 0;
  std::vector<RingFile> files;
};

bool IsOfNode(const std::string& path) {
  static const std::set<std::string>& own = *new std::set<std::string>{
      "content", "spool", "run.json", "drain.json", "draining.json", kRingNoteFile};
  return IsLeftOut(path) || own.contains(path);
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

Result<RingFile> ReadRingFile(const Json& json) {
  RingFile file;
  FERRY_ASSIGN_OR_RETURN(file.path, GetString(json, "path"));
  FERRY_ASSIGN_OR_RETURN(const int64_t permissions, GetInt(json, "permissions"));
  FERRY_ASSIGN_OR_RETURN(const std::string text, GetString(json, "bytes"));
  FERRY_ASSIGN_OR_RETURN(file.bytes, FromBase64(text));
  if (!IsInside(file.path) || IsOfNode(file.path))
    return Status::Of(Code::kMalformed, "key ring: path \"{:.80}\"", file.path);
  file.is_public = permissions == sys::kPublicFile;
  return file;
}

Result<Ring> Unseal(ByteView ring, const std::string& place) {
  if (!AsText(ring).starts_with(kMagic) || ring.size() < kMagic.size() + kSaltBytes)
    return Status(Code::kMalformed, "it is no key ring");
  const ByteView rest = ring.subspan(kMagic.size());
  const ByteView salt = rest.first(kSaltBytes);
  FERRY_ASSIGN_OR_RETURN(const RingSecret secret, FindRingSecret(place, salt, false));
  FERRY_ASSIGN_OR_RETURN(const crypto::Secret32 key, SealingKey(secret.secret, salt));
  FERRY_ASSIGN_OR_RETURN(const Bytes plain, crypto::Unseal(key, rest.subspan(kSaltBytes)));
  FERRY_ASSIGN_OR_RETURN(const Json json, ParseJson(AsText(plain)));
  if (!json.contains("files") || !json["files"].is_array())
    return Status(Code::kMalformed, "key ring: no files");
  Ring out;
  FERRY_ASSIGN_OR_RETURN(out.sealed_ms, GetInt(json, "sealed_ms"));
  for (const Json& file : json["files"]) {
    FERRY_ASSIGN_OR_RETURN(out.files.emplace_back(), ReadRingFile(file));
  }
  return out;
}

const RingFile* Find(const Ring& ring, std::string_view path) {
  const auto at = std::ranges::find(ring.files, path, &RingFile::path);
  return at == ring.files.end() ? nullptr : &*at;
}

Status PutFile(const std::string& directory, const RingFile& file) {
  sys::FileSystem& fs = sys::SystemFileSystem();
  const std::string place = sys::JoinPath(directory, file.path);
  FERRY_TRY(fs.MakeDirectories(sys::ParentPath(place)));
  return sys::WriteFileAtomically(fs, place, file.bytes,
                                  file.is_public ? sys::kPublicFile : sys::kPrivateFile);
}

// All but the marker.
Status PutFiles(const std::string& directory, const Ring& ring) {
  for (const RingFile& file : ring.files) {
    if (file.path != kMarker) FERRY_TRY(PutFile(directory, file));
  }
  return OkStatus();
}

Status MakeNode(const std::string& directory, const Ring& ring) {
  const RingFile* const marker = Find(ring, kMarker);
  if (marker == nullptr) return Status(Code::kMalformed, "key ring: no server.json");
  FERRY_TRY(PutFiles(directory, ring));
  FERRY_TRY(WriteRingNote(directory, ring.sealed_ms));
  // Last: with it the directory is a server's.
  FERRY_TRY(PutFile(directory, *marker));
  return sys::SystemFileSystem().SyncDirectory(directory);
}

// Content keys may still be wrapped to the node's escrow key: it opens from where old ones lie.
Status KeepEscrow(const std::string& directory, const Ring& ring) {
  sys::FileSystem& fs = sys::SystemFileSystem();
  const std::string place = sys::JoinPath(directory, kEscrowKey);
  FERRY_ASSIGN_OR_RETURN(const Bytes present, sys::ReadFile(fs, place, kMaxRingFile));
  const RingFile* const next = Find(ring, kEscrowKey);
  if (next == nullptr || next->bytes == present) return OkStatus();
  FERRY_ASSIGN_OR_RETURN(const auto key, crypto::ReadAgreementKey(fs, place));
  const std::string old = sys::JoinPath(directory, "keys/old");
  FERRY_TRY(fs.MakeDirectories(old));
  const std::string id = package::SealKeyId(key.public_key());
  return sys::WriteFileAtomically(fs, sys::JoinPath(old, "escrow-" + id + ".key"), present,
                                  sys::kPrivateFile);
}

Result<RingUse> BringUp(const std::string& directory, const Ring& ring) {
  const RingFile* const content = Find(ring, kContentKey);
  FERRY_ASSIGN_OR_RETURN(
      const Bytes own,
      sys::ReadFile(sys::SystemFileSystem(), sys::JoinPath(directory, kContentKey), kMaxRingFile));
  if (content == nullptr || content->bytes != own)
    return Status::Of(Code::kWrongKey, "the key ring is another server's than that of {}",
                      directory);
  FERRY_ASSIGN_OR_RETURN(const std::optional<int64_t> seen_ms, ReadRingNote(directory));
  if (seen_ms && *seen_ms >= ring.sealed_ms) return RingUse::kNotNewer;
  FERRY_TRY(KeepEscrow(directory, ring));
  FERRY_TRY(PutFiles(directory, ring));
  FERRY_TRY(WriteRingNote(directory, ring.sealed_ms));
  return RingUse::kTaken;
}

}  // namespace

Result<SealedRing> SealKeyRing(const std::string& directory, const std::string& place,
                               const sys::Clock& clock, sys::Random& random) {
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
  FERRY_ASSIGN_OR_RETURN(const std::optional<int64_t> seen_ms, ReadRingNote(directory));
  const int64_t sealed_ms = std::max(clock.NowUnixMs(), seen_ms.value_or(0) + 1);
  Bytes salt(kSaltBytes);
  random.Fill(salt);
  FERRY_ASSIGN_OR_RETURN(RingSecret secret, FindRingSecret(place, salt, true));
  FERRY_ASSIGN_OR_RETURN(const crypto::Secret32 key, SealingKey(secret.secret, salt));
  const std::string plain = WriteJson({{"files", files}, {"sealed_ms", sealed_ms}});
  FERRY_ASSIGN_OR_RETURN(const Bytes sealed, crypto::Seal(key, AsBytes(plain), random));
  Bytes ring = ToBytes(kMagic);
  ring.insert(ring.end(), salt.begin(), salt.end());
  ring.insert(ring.end(), sealed.begin(), sealed.end());
  FERRY_TRY(WriteRingNote(directory, sealed_ms));
  return SealedRing{std::move(ring), std::move(secret)};
}

Result<RingUse> OpenKeyRing(ByteView ring, const std::string& place, const std::string& directory) {
  sys::FileSystem& fs = sys::SystemFileSystem();
  FERRY_ASSIGN_OR_RETURN(const Ring opened, Unseal(ring, place));
  if (sys::Exists(fs, sys::JoinPath(directory, kMarker))) return BringUp(directory, opened);
  FERRY_TRY(fs.MakeDirectories(directory));
  FERRY_TRY(MakeNode(directory, opened));
  return RingUse::kMade;
}

}  // namespace ferry::server
