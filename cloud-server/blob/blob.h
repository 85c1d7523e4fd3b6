// Content by its SHA-256: what GET /content/<sha256> serves. Directory here; an S3 store fits the
// same calls.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "common/base/status.h"
#include "common/sys/filesystem.h"
#include "common/sys/random.h"

namespace ferry::server {

inline constexpr uint64_t kMaxBlobBytes = uint64_t{4} << 30;  // one blob, unless told less

// Whether `text` is 64 lower-case hexadecimal characters.
bool IsBlobName(std::string_view text);

// Where the blob of a directory store lies: "<directory>/<first two characters>/<name>".
std::string BlobPath(const std::string& directory, const std::string& sha256);

// A blob on its way in. Dropping it without Commit leaves nothing behind. One thread at a time.
class BlobWriter {
 public:
  virtual ~BlobWriter() = default;
  // kLimitExceeded past the limit, kDiskFull, kIo.
  virtual Status Write(ByteView piece) = 0;
  // Checks the hash and puts the blob in place, durably; kCorruptContent when the bytes have
  // another hash than the name.
  virtual Status Commit() = 0;
};

// Any thread. Errors: kInvalidArgument for a bad name, kNotFound, kIo, kDiskFull.
class BlobStore {
 public:
  virtual ~BlobStore() = default;
  // `sha256` in lower-case hexadecimal.
  virtual Result<std::unique_ptr<BlobWriter>> Put(const std::string& sha256,
                                                  uint64_t limit = kMaxBlobBytes) = 0;
  virtual Result<uint64_t> Size(const std::string& sha256) = 0;
  virtual Result<std::unique_ptr<sys::ReadableFile>> Open(const std::string& sha256) = 0;
  // Copies the blob into a local file.
  virtual Status CopyTo(const std::string& sha256, const std::string& path) = 0;
  // Names that begin with these two characters, sorted: all of a large store are too many at once.
  virtual Result<std::vector<std::string>> List(const std::string& prefix) = 0;
  // Who reads it goes on reading.
  virtual Status Remove(const std::string& sha256) = 0;

  Status PutBytes(const std::string& sha256, ByteView bytes);
};

// Files below `directory`/<first two characters>/<name>; pieces on their way are in
// `directory`/incoming, which is emptied here. `fs` and `random` must outlive it.
Result<std::unique_ptr<BlobStore>> OpenDirectoryBlobStore(sys::FileSystem& fs,
                                                          const std::string& directory,
                                                          sys::Random& random);

}  // namespace ferry::server
