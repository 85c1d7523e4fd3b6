#include "cloud-server/main/backup/manifest.h"

#include "common/base/json.h"
#include "common/sys/filesystem.h"

namespace ferry::server {
namespace {

bool IsInside(const std::string& path) {
  if (path.empty() || path.front() == '/' || path.back() == '/') return false;
  if (path.find('\0') != std::string::npos) return false;
  const std::string wrapped = "/" + path + "/";
  for (const char* bad : {"//", "/./", "/../"})
    if (wrapped.find(bad) != std::string::npos) return false;
  return path != kManifestName;
}

Result<FileEntry> EntryFrom(const Json& json) {
  FileEntry entry;
  FERRY_ASSIGN_OR_RETURN(entry.path, GetString(json, "path"));
  if (!IsInside(entry.path))
    return Status::Of(Code::kMalformed, "\"{:.200}\" is no path inside a backup", entry.path);
  FERRY_ASSIGN_OR_RETURN(const int64_t bytes, GetInt(json, "bytes"));
  FERRY_ASSIGN_OR_RETURN(entry.sha256, GetString(json, "sha256"));
  FERRY_ASSIGN_OR_RETURN(const int64_t permissions, GetInt(json, "permissions"));
  if (bytes < 0 || permissions < 0 || (permissions & ~int64_t{sys::kPublicFile}) != 0)
    return Status::Of(Code::kMalformed, "{}: {} bytes, permissions {:o}", entry.path, bytes,
                      permissions);
  entry.bytes = static_cast<uint64_t>(bytes);
  entry.permissions = static_cast<int>(permissions);
  return entry;
}

// The first line; `count` gets the number of files that follow.
Result<Manifest> HeadFrom(const Json& json, int64_t* count) {
  FERRY_ASSIGN_OR_RETURN(const int64_t format, GetInt(json, "format"));
  if (format != kBackupFormat)
    return Status::Of(Code::kUnsupported, "backup format {}, this program reads {}", format,
                      kBackupFormat);
  Manifest manifest;
  FERRY_ASSIGN_OR_RETURN(manifest.tenant, GetString(json, "tenant"));
  FERRY_ASSIGN_OR_RETURN(manifest.made_ms, GetInt(json, "made_ms"));
  FERRY_ASSIGN_OR_RETURN(manifest.schema, GetInt(json, "schema"));
  FERRY_ASSIGN_OR_RETURN(*count, GetInt(json, "files"));
  return manifest;
}

Result<Manifest> ManifestFrom(std::string_view text) {
  Manifest manifest;
  int64_t count = -1;
  for (size_t line = 1; !text.empty(); ++line) {
    const size_t end = text.find('\n');
    if (end == std::string_view::npos)
      return Status::Of(Code::kTruncatedContent, "line {} has no end", line);
    FERRY_ASSIGN_OR_RETURN(const Json json,
                           ParseJson(text.substr(0, end)).Context("line {}", line));
    text.remove_prefix(end + 1);
    if (count < 0) {
      FERRY_ASSIGN_OR_RETURN(manifest, HeadFrom(json, &count));
      continue;
    }
    FERRY_ASSIGN_OR_RETURN(FileEntry entry, EntryFrom(json).Context("line {}", line));
    if (!manifest.files.empty() && manifest.files.back().path >= entry.path)
      return Status::Of(Code::kMalformed, "line {}: files are sorted, each once", line);
    manifest.files.push_back(std::move(entry));
  }
  if (count == static_cast<int64_t>(manifest.files.size())) return manifest;
  return Status::Of(Code::kTruncatedContent, "{} files instead of {}", manifest.files.size(),
                    count);
}

Status CheckEntry(const std::string& folder, const FileEntry& wanted) {
  const Result<FileEntry> found = DescribeFile(folder, wanted.path);
  if (found.code() == Code::kNotFound)
    return Status::Of(Code::kCorruptContent, "{} is missing", wanted.path);
  FERRY_TRY(found);
  if (found->bytes != wanted.bytes)
    return Status::Of(Code::kCorruptContent, "{} has {} bytes instead of {}", wanted.path,
                      found->bytes, wanted.bytes);
  if (found->sha256 != wanted.sha256)
    return Status::Of(Code::kCorruptContent, "{} has SHA-256 {:.12} instead of {:.12}", wanted.path,
                      found->sha256, wanted.sha256);
  return OkStatus();
}

}  // namespace

uint64_t Manifest::bytes() const {
  uint64_t sum = 0;
  for (const FileEntry& file : files) sum += file.bytes;
  return sum;
}

Status WriteManifest(const std::string& folder, const Manifest& manifest) {
  std::string text = WriteJson({{"format", kBackupFormat},
                                {"tenant", manifest.tenant},
                                {"made_ms", manifest.made_ms},
                                {"schema", manifest.schema},
                                {"files", manifest.files.size()}}) +
                     "\n";
  for (const FileEntry& file : manifest.files) {
    text += WriteJson({{"path", file.path},
                       {"bytes", file.bytes},
                       {"sha256", file.sha256},
                       {"permissions", file.permissions}}) +
            "\n";
  }
  return sys::WriteFileAtomically(sys::SystemFileSystem(), sys::JoinPath(folder, kManifestName),
                                  AsBytes(text));
}

Result<Manifest> ReadManifest(const std::string& folder) {
  const std::string path = sys::JoinPath(folder, kManifestName);
  const Result<Bytes> text = sys::ReadFile(sys::SystemFileSystem(), path, kMaxManifestBytes);
  if (text.code() == Code::kNotFound)
    return Status::Of(Code::kNotFound, "{}: no backup here, it has no {}", folder, kManifestName);
  FERRY_TRY(text);
  return ManifestFrom(AsText(*text)).Context("{}", path);
}

Status VerifyFiles(const std::string& folder, const Manifest& manifest,
                   const std::function<void(uint64_t)>& read) {
  Status first;
  size_t wrong = 0;
  for (const FileEntry& file : manifest.files) {
    const Status checked = CheckEntry(folder, file);
    if (read) read(file.bytes);
    if (checked.ok()) continue;
    if (++wrong == 1) first = checked;
  }
  if (wrong == 0) return OkStatus();
  return Status::Of(first.code(), "{}: {}; {} of {} files are not as they were written", folder,
                    first.message(), wrong, manifest.files.size());
}

}  // namespace ferry::server
