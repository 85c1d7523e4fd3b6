// What every FileSystem can do with its own calls.
#include "common/base/buffers.h"
#include "common/sys/filesystem.h"
#include "common/sys/no_folder.h"

namespace ferry::sys {
namespace {

constexpr size_t kReadPiece = 1 << 20;

Status WriteAndSync(FileSystem& fs, const std::string& path, ByteView bytes, int permissions) {
  FERRY_ASSIGN_OR_RETURN(auto file, fs.OpenForWrite(path, WriteMode::kTruncate, permissions));
  FERRY_TRY(file->Append(bytes));
  FERRY_TRY(file->Sync());
  return file->Close();
}

}  // namespace

Result<Bytes> ReadFile(FileSystem& fs, const std::string& path, uint64_t limit) {
  FERRY_ASSIGN_OR_RETURN(auto file, fs.OpenForRead(path));
  FERRY_ASSIGN_OR_RETURN(const uint64_t size, file->Size());
  if (size > limit) {
    return Status::Of(Code::kLimitExceeded, "{} has {} bytes, at most {} are read", path, size,
                      limit);
  }
  Bytes bytes(size);
  const size_t piece = BufferBytes(kReadPiece);
  uint64_t at = 0;
  while (at < size) {
    const size_t want = std::min<uint64_t>(piece, size - at);
    FERRY_ASSIGN_OR_RETURN(const size_t got, file->ReadAt(at, std::span(bytes).subspan(at, want)));
    if (got == 0) break;  // someone cut the file meanwhile
    at += got;
  }
  bytes.resize(at);
  return bytes;
}

Status WriteFileAtomically(FileSystem& fs, const std::string& path, ByteView bytes,
                           int permissions) {
  const std::string beside = path + ".new";
  if (Status written = WriteAndSync(fs, beside, bytes, permissions); !written.ok()) {
    (void)fs.Remove(beside);  // the first error is the one that tells
    if (written.code() != Code::kNotFound) return written.Context("writing {}", path);
    return NoFolderFor(path);
  }
  FERRY_TRY(fs.Rename(beside, path));
  return fs.SyncDirectory(ParentPath(path));
}

Status NoFolderFor(const std::string& path) {
  return Status::Of(Code::kNotFound, "{} cannot be written: there is no folder {}", path,
                    ParentPath(path));
}

bool Exists(FileSystem& fs, const std::string& path) {
  return fs.Stat(path).ok();
}

std::string JoinPath(std::string_view directory, std::string_view name) {
  if (directory.empty() || name.starts_with('/')) return std::string(name);
  std::string joined(directory);
  if (!joined.ends_with('/')) joined += '/';
  joined += name;
  return joined;
}

std::string ParentPath(std::string_view path) {
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  const size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) return ".";
  return std::string(slash == 0 ? "/" : path.substr(0, slash));
}

}  // namespace ferry::sys
