// Backup, restore and check of a server's directory. All of it works beside a running server, but
// for restoring into the directory that it uses.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cloud-server/blob/blob.h"
#include "cloud-server/main/backup/manifest.h"

namespace ferry::server {

// Hears what is done and how many bytes of it, every now and then.
using BackupProgress = std::function<void(const char* what, uint64_t bytes)>;

struct BackupDone {
  Manifest manifest;
  size_t taken_over = 0;  // files that the backup before held already
  // Content that is damaged or missing in the server's directory: the backup is whole but for it.
  std::vector<std::string> problems;
};
// Writes a backup of `home` to `to`: the database as it is at one moment, keys and configuration,
// and the content that it names. It is put in place when it is whole, and replaces a backup that
// was there, from which it takes over content that did not change. kAlreadyExists when `to` holds
// something else, kInvalidArgument when one lies in the other. Rows on PostgreSQL become a file of
// SQLite, so that a backup is restored anywhere. `blobs` (may be null): where content lies that is
// not in the directory.
Result<BackupDone> MakeBackup(const std::string& home, const std::string& to, int64_t now_ms,
                              const BackupProgress& progress, BlobStore* blobs = nullptr);

struct RestoreDone {
  Manifest manifest;
  std::string replaced;  // where what was in the directory lies now; empty: it was empty
};
// Makes `home` of the backup `from`, which is verified first. kAlreadyExists when `home` is not
// empty, unless `replace`; kFailedPrecondition when a server runs there. The restored server signs
// metadata anew, so that its versions are above what devices have seen.
Result<RestoreDone> RestoreBackup(const std::string& from, const std::string& home, bool replace,
                                  int64_t now_ms, const BackupProgress& progress);

// What is wrong in a server's directory, a sentence each: database, keys, metadata, content. `deep`
// reads all content, which lies in `blobs` (null: in the directory). kNotFound when there is no
// server.
Result<std::vector<std::string>> CheckHome(const std::string& home, bool deep, int64_t now_ms,
                                           BlobStore* blobs = nullptr);

// What a server's directory holds that is its own: neither the database, which is copied apart, nor
// what goes with a start.
bool IsLeftOut(const std::string& path);

}  // namespace ferry::server
