// What a backup holds: manifest.jsonl in its folder, written last. A line that says what it is,
// then a line for each file, so that no number of files is too large for it.
//
//   {"format":1,"tenant":"default","made_ms":1795000000000,"schema":7,"files":2}
//   {"path":"ca.key","bytes":241,"sha256":"...","permissions":384}
//   {"path":"ferry.db","bytes":4096,"sha256":"...","permissions":384}
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "cloud-server/main/backup/files.h"

namespace ferry::server {

inline constexpr const char* kManifestName = "manifest.jsonl";
inline constexpr int64_t kBackupFormat = 1;
inline constexpr uint64_t kMaxManifestBytes = 512 << 20;

struct Manifest {
  std::string tenant;
  int64_t made_ms = 0;
  int64_t schema = 0;            // of the database
  std::vector<FileEntry> files;  // sorted by path; the manifest itself is none of them
  uint64_t bytes() const;
};

Status WriteManifest(const std::string& folder, const Manifest& manifest);
// kNotFound when `folder` is no backup, kUnsupported for another format; kMalformed names what is
// wrong: a path that leads out of the folder is no path.
Result<Manifest> ReadManifest(const std::string& folder);
// Reads every file of the manifest; kCorruptContent names the first that is missing or differs, and
// how many do.
Status VerifyFiles(const std::string& folder, const Manifest& manifest,
                   const std::function<void(uint64_t)>& read);

}  // namespace ferry::server
