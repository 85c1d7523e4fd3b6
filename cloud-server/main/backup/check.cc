#include "cloud-server/registry/check.h"
#include "cloud-server/main/backup/backup.h"
#include "cloud-server/main/home.h"
#include "cloud-server/store/open.h"
#include "common/crypto/hash.h"

namespace ferry::server {
namespace {

constexpr size_t kPieceBytes = 1 << 20;

// The sealed file of one artefact.
Status CheckSealed(const ServerHome& home, const ArtefactRow& artefact, bool deep) {
  const std::string path = BlobPath("content", artefact.sha256);
  const Result<sys::FileInfo> info = sys::SystemFileSystem().Stat(home.Path(path));
  if (info.code() == Code::kNotFound)
    return Status::Of(Code::kNotFound, "{}: there is no {}", artefact.path, path);
  FERRY_TRY(info);
  if (info->size != artefact.length)
    return Status::Of(Code::kCorruptContent, "{}: {} has {} bytes instead of {}", artefact.path,
                      path, info->size, artefact.length);
  if (!deep) return OkStatus();
  FERRY_ASSIGN_OR_RETURN(const FileEntry found, DescribeFile(home.directory, path));
  if (found.sha256 == artefact.sha256) return OkStatus();
  return Status::Of(Code::kCorruptContent, "{}: {} has SHA-256 {}", artefact.path, path,
                    found.sha256);
}

Result<std::string> DigestOf(BlobStore& blobs, const std::string& name, uint64_t size) {
  FERRY_ASSIGN_OR_RETURN(const auto file, blobs.Open(name));
  crypto::Sha256Stream digest;
  Bytes piece(kPieceBytes);
  for (uint64_t at = 0; at < size;) {
    FERRY_ASSIGN_OR_RETURN(const size_t read, file->ReadAt(at, piece));
    if (read == 0) break;
    digest.Update(ByteView(piece).first(read));
    at += read;
  }
  return ToHex(digest.Finish());
}

Status CheckBlob(BlobStore& blobs, const ArtefactRow& artefact, bool deep) {
  const Result<uint64_t> size = blobs.Size(artefact.sha256);
  if (size.code() == Code::kNotFound)
    return Status::Of(Code::kNotFound, "{}: the bucket has no {}", artefact.path, artefact.sha256);
  FERRY_TRY(size.status().Context("{}", artefact.path));
  if (*size != artefact.length)
    return Status::Of(Code::kCorruptContent, "{}: {} has {} bytes in the bucket instead of {}",
                      artefact.path, artefact.sha256, *size, artefact.length);
  if (!deep) return OkStatus();
  FERRY_ASSIGN_OR_RETURN(const std::string found, DigestOf(blobs, artefact.sha256, *size));
  if (found == artefact.sha256) return OkStatus();
  return Status::Of(Code::kCorruptContent, "{}: {} has SHA-256 {} in the bucket", artefact.path,
                    artefact.sha256, found);
}

}  // namespace

Result<std::vector<std::string>> CheckHome(const std::string& directory, bool deep, int64_t now_ms,
                                           BlobStore* blobs) {
  std::vector<std::string> problems;
  const Result<ServerHome> home = OpenHome(sys::SystemFileSystem(), directory);
  if (!home.ok() && !sys::Exists(sys::SystemFileSystem(), sys::JoinPath(directory, "server.json")))
    return home.status();
  if (!home.ok()) problems.push_back("directory: " + home.status().message());
  // A directory that cannot be opened may still have its database.
  const Result<StoreFacts> facts =
      InspectStore(home.ok() ? home->StorePlace() : sys::JoinPath(directory, "ferry.db"));
  if (!facts.ok()) {
    problems.push_back("database: " + facts.status().message());
    return problems;
  }
  problems.insert(problems.end(), facts->problems.begin(), facts->problems.end());
  if (!home.ok()) return problems;
  const std::vector<std::string> published =
      CheckPublished(facts->metadata, facts->artefacts, home->secrets, now_ms);
  problems.insert(problems.end(), published.begin(), published.end());
  for (const ArtefactRow& artefact : facts->artefacts) {
    const Status sealed =
        blobs != nullptr ? CheckBlob(*blobs, artefact, deep) : CheckSealed(*home, artefact, deep);
    if (!sealed.ok()) problems.push_back("content: " + sealed.message());
  }
  return problems;
}

}  // namespace ferry::server
