// Whole files and folders of the machine's disk, as backups move them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "common/base/status.h"

namespace ferry::server {

// One file below a folder: "content/ab/abcd...".
struct FileEntry {
  std::string path;
  uint64_t bytes = 0;
  std::string sha256;  // hex
  int permissions = 0;
  bool operator==(const FileEntry&) const = default;
};

// Paths of all files below `folder`, sorted, without those that `skip` names (a skipped folder with
// all in it). kLimitExceeded for more than kMaxBackupFiles or kMaxBackupDepth folders in a row.
inline constexpr size_t kMaxBackupFiles = 2'000'000;
inline constexpr int kMaxBackupDepth = 16;
Result<std::vector<std::string>> FilesBelow(const std::string& folder,
                                            const std::function<bool(const std::string&)>& skip);

// What a file is; reads all of it.
Result<FileEntry> DescribeFile(const std::string& folder, const std::string& path);
// Copies `path` from one folder to the other, with its parents and at most the owner's rights on
// private files, and syncs it. `copied` (may be null) hears the bytes as they are written.
Result<FileEntry> CopyBetween(const std::string& from, const std::string& to,
                              const std::string& path, const std::function<void(uint64_t)>& copied);
// A second name for the same bytes. kUnsupported where the disk has none.
Status LinkBetween(const std::string& from, const std::string& to, const std::string& path);
// Syncs the folder and all folders in it, so that names survive a power cut.
Status SyncFolders(const std::string& folder);

// Puts `fresh` where `place` is (absent or a folder) and, when there was something, leaves that at
// `aside`; both moves are durable. Where the disk can, there is no moment without a `place`.
Status PutInPlace(const std::string& fresh, const std::string& place, const std::string& aside);

// `path` without "." and links, so that two names of one folder are equal; without a slash at its
// end. It need not exist.
std::string PlainPath(const std::string& path);

}  // namespace ferry::server
