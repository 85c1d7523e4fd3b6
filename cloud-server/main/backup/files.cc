#include "cloud-server/main/backup/files.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <set>

#include "common/base/buffers.h"
#include "common/crypto/hash.h"
#include "common/sys/filesystem.h"

namespace ferry::server {
namespace {

constexpr size_t kFilePieceBytes = 256 << 10;

Status SystemError(const std::string& what) {
  const Code code = errno == ENOSPC                     ? Code::kDiskFull
                    : errno == ENOENT                   ? Code::kNotFound
                    : errno == EACCES || errno == EPERM ? Code::kPermissionDenied
                                                        : Code::kIo;
  return Status::Of(code, "{}: {}", what, std::strerror(errno));
}

Status Walk(const std::string& folder, const std::string& below, int depth,
            const std::function<bool(const std::string&)>& skip, std::vector<std::string>& out) {
  if (depth > kMaxBackupDepth)
    return Status::Of(Code::kLimitExceeded, "{}: more than {} folders in a row", below,
                      kMaxBackupDepth);
  sys::FileSystem& fs = sys::SystemFileSystem();
  FERRY_ASSIGN_OR_RETURN(const std::vector<std::string> names,
                         fs.List(below.empty() ? folder : sys::JoinPath(folder, below)));
  for (const std::string& name : names) {
    const std::string path = below.empty() ? name : sys::JoinPath(below, name);
    if (skip(path)) continue;
    const Result<sys::FileInfo> info = fs.Stat(sys::JoinPath(folder, path));
    if (info.code() == Code::kNotFound) continue;  // it went meanwhile
    FERRY_TRY(info);
    if (info->is_directory) {
      FERRY_TRY(Walk(folder, path, depth + 1, skip, out));
      continue;
    }
    if (out.size() >= kMaxBackupFiles)
      return Status::Of(Code::kLimitExceeded, "{}: more than {} files", folder, kMaxBackupFiles);
    out.push_back(path);
  }
  return OkStatus();
}

// Hands all bytes of a file to `take`, a piece at a time.
Status ReadPieces(const std::string& path, const std::function<Status(ByteView)>& take) {
  FERRY_ASSIGN_OR_RETURN(const auto file, sys::SystemFileSystem().OpenForRead(path));
  Bytes piece(BufferBytes(kFilePieceBytes));
  for (uint64_t offset = 0;;) {
    FERRY_ASSIGN_OR_RETURN(const size_t size, file->ReadAt(offset, piece));
    if (size == 0) return OkStatus();
    FERRY_TRY(take(ByteView(piece).first(size)));
    offset += size;
  }
}

}  // namespace

Result<std::vector<std::string>> FilesBelow(const std::string& folder,
                                            const std::function<bool(const std::string&)>& skip) {
  std::vector<std::string> out;
  FERRY_TRY(Walk(folder, "", 0, skip, out));
  std::sort(out.begin(), out.end());
  return out;
}

Result<FileEntry> DescribeFile(const std::string& folder, const std::string& path) {
  const std::string whole = sys::JoinPath(folder, path);
  FileEntry entry{path, 0, "", 0};
  FERRY_ASSIGN_OR_RETURN(const sys::FileInfo info, sys::SystemFileSystem().Stat(whole));
  entry.permissions = info.permissions;
  crypto::Sha256Stream hash;
  FERRY_TRY(ReadPieces(whole, [&](ByteView piece) {
    entry.bytes += piece.size();
    hash.Update(piece);
    return OkStatus();
  }));
  entry.sha256 = ToHex(hash.Finish());
  return entry;
}

Result<FileEntry> CopyBetween(const std::string& from, const std::string& to,
                              const std::string& path,
                              const std::function<void(uint64_t)>& copied) {
  sys::FileSystem& fs = sys::SystemFileSystem();
  const std::string source = sys::JoinPath(from, path), target = sys::JoinPath(to, path);
  FERRY_ASSIGN_OR_RETURN(const sys::FileInfo info, fs.Stat(source));
  // What others may not write here they may not write there.
  FileEntry entry{path, 0, "", info.permissions & sys::kPublicFile};
  FERRY_TRY(fs.MakeDirectories(sys::ParentPath(target)));
  FERRY_ASSIGN_OR_RETURN(const auto file,
                         fs.OpenForWrite(target, sys::WriteMode::kMustBeNew, entry.permissions));
  crypto::Sha256Stream hash;
  FERRY_TRY(ReadPieces(source, [&](ByteView piece) -> Status {
    FERRY_TRY(file->Append(piece));
    entry.bytes += piece.size();
    hash.Update(piece);
    if (copied) copied(piece.size());
    return OkStatus();
  }));
  entry.sha256 = ToHex(hash.Finish());
  FERRY_TRY(file->Sync());
  FERRY_TRY(file->Close());
  return entry;
}

Status LinkBetween(const std::string& from, const std::string& to, const std::string& path) {
  const std::string source = sys::JoinPath(from, path), target = sys::JoinPath(to, path);
  FERRY_TRY(sys::SystemFileSystem().MakeDirectories(sys::ParentPath(target)));
  if (::link(source.c_str(), target.c_str()) == 0) return OkStatus();
  if (errno == EXDEV || errno == EPERM || errno == EMLINK || errno == ENOTSUP)
    return Status::Of(Code::kUnsupported, "{}: {}", target, std::strerror(errno));
  return SystemError(target);
}

Status SyncFolders(const std::string& folder) {
  FERRY_ASSIGN_OR_RETURN(const std::vector<std::string> files,
                         FilesBelow(folder, [](const std::string&) { return false; }));
  std::set<std::string> folders{folder};
  for (const std::string& file : files) {
    for (std::string at = sys::ParentPath(file); !at.empty() && at != "." && at != "/";
         at = sys::ParentPath(at)) {
      folders.insert(sys::JoinPath(folder, at));
    }
  }
  for (const std::string& each : folders) FERRY_TRY(sys::SystemFileSystem().SyncDirectory(each));
  return OkStatus();
}

Status PutInPlace(const std::string& fresh, const std::string& place, const std::string& aside) {
  sys::FileSystem& fs = sys::SystemFileSystem();
  const std::string parent = sys::ParentPath(place);
  if (!sys::Exists(fs, place)) {
    FERRY_TRY(fs.Rename(fresh, place));
    return fs.SyncDirectory(parent);
  }
  const bool swapped =
      ::renameat2(AT_FDCWD, fresh.c_str(), AT_FDCWD, place.c_str(), RENAME_EXCHANGE) == 0;
  if (!swapped && errno != EINVAL && errno != ENOSYS) return SystemError(place);
  if (swapped) {
    FERRY_TRY(fs.Rename(fresh, aside));
  } else {
    FERRY_TRY(fs.Rename(place, aside));
    FERRY_TRY(fs.Rename(fresh, place));
  }
  return fs.SyncDirectory(parent);
}

std::string PlainPath(const std::string& path) {
  std::error_code error;
  std::filesystem::path plain = std::filesystem::weakly_canonical(path, error);
  if (error) plain = std::filesystem::absolute(path, error);
  std::string text = plain.lexically_normal().string();
  while (text.size() > 1 && text.ends_with('/')) text.pop_back();
  return text;
}

}  // namespace ferry::server
