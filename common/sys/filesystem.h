// Files as an interface: posix/ is the machine's disk, sim/ is memory that can lose power, fill up
// and fail. Paths are UTF-8, "/"-separated. Any thread may call a FileSystem; one thread at a time
// may use one open file. Errors: kNotFound, kAlreadyExists, kPermissionDenied, kDiskFull (ENOSPC,
// EDQUOT), kIo; each names the path.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "common/base/bytes.h"

namespace ferry::sys {

// An open file for writing. Dropping it without Close loses nothing that Sync confirmed.
class WritableFile {
 public:
  virtual ~WritableFile() = default;
  virtual Status Append(ByteView bytes) = 0;
  // Returns when the bytes survive a power cut (fsync).
  virtual Status Sync() = 0;
  virtual Status Close() = 0;
};

class ReadableFile {
 public:
  virtual ~ReadableFile() = default;
  // Fills `out` from `offset`; returns the number of bytes, fewer only at the end of the file.
  virtual Result<size_t> ReadAt(uint64_t offset, std::span<uint8_t> out) const = 0;
  virtual Result<uint64_t> Size() const = 0;
};

// A whole file in memory, read only, shared with the page cache where the system can.
class MappedFile {
 public:
  virtual ~MappedFile() = default;
  virtual ByteView bytes() const = 0;
};

struct FileInfo {
  bool is_directory = false;
  uint64_t size = 0;
  int permissions = 0;  // the nine rwx bits
  // What a file system tells a file's contents apart by: device, file number, times of change of
  // contents and of anything, in nanoseconds. All 0 where it does not.
  std::array<int64_t, 4> identity{};
};

enum class WriteMode {
  kTruncate,   // makes or empties the file
  kAppend,     // makes the file or writes after its end
  kMustBeNew,  // kAlreadyExists when it is there
};

inline constexpr int kPrivateFile = 0600;  // keys, databases, packages: the app's user only
inline constexpr int kPublicFile = 0644;

class FileSystem {
 public:
  virtual ~FileSystem() = default;
  virtual Result<std::unique_ptr<WritableFile>> OpenForWrite(const std::string& path,
                                                             WriteMode mode,
                                                             int permissions = kPrivateFile) = 0;
  virtual Result<std::unique_ptr<ReadableFile>> OpenForRead(const std::string& path) = 0;
  virtual Result<std::unique_ptr<MappedFile>> Map(const std::string& path) = 0;
  // kNotFound when nothing is there.
  virtual Result<FileInfo> Stat(const std::string& path) = 0;
  virtual Result<std::vector<std::string>> List(const std::string& directory) = 0;  // names, sorted
  virtual Status MakeDirectories(const std::string& path) = 0;  // with its parents; 0700
  // Replaces `to` in one step. Durable after SyncDirectory of the parent.
  virtual Status Rename(const std::string& from, const std::string& to) = 0;
  virtual Status Remove(const std::string& path) = 0;  // a file; kNotFound when absent
  virtual Status RemoveTree(
      const std::string& path) = 0;  // a file or a directory with all in it; absent is ok
  virtual Status SyncDirectory(const std::string& path) = 0;
  virtual Result<uint64_t> FreeBytes(const std::string& path) = 0;
};

// The machine's disk; lives for ever. FERRY_DISK_LIMIT_BYTES, when set, makes every write past that
// many bytes (counted over the process) fail with kDiskFull: for trying a full disk without one.
FileSystem& SystemFileSystem();

inline constexpr uint64_t kMaxReadFile = uint64_t{4} << 30;

// The whole file; kLimitExceeded when it is larger than `limit`.
Result<Bytes> ReadFile(FileSystem& fs, const std::string& path, uint64_t limit = kMaxReadFile);
// Writes beside `path`, syncs, renames over it and syncs the directory: after a power cut, the old
// or the new.
Status WriteFileAtomically(FileSystem& fs, const std::string& path, ByteView bytes,
                           int permissions = kPrivateFile);
bool Exists(FileSystem& fs, const std::string& path);
// "a/b" from "a" and "b"; an absolute `name` stands alone.
std::string JoinPath(std::string_view directory, std::string_view name);
std::string ParentPath(std::string_view path);

}  // namespace ferry::sys
