// Content by its SHA-256: what GET /content/<sha256> serves. In a directory, or in a bucket of S3.
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

  // Where anybody may fetch it for a while, past this server; empty: nowhere.
  virtual std::string AddressOf(const std::string& /*sha256*/, int64_t /*now_ms*/,
                                int64_t /*life_s*/) {
    return "";
  }

  Status PutBytes(const std::string& sha256, ByteView bytes);
};

// Files below `directory`/<first two characters>/<name>; pieces on their way are in
// `directory`/incoming, which is emptied here. `fs` and `random` must outlive it.
Result<std::unique_ptr<BlobStore>> OpenDirectoryBlobStore(sys::FileSystem& fs,
                                                          const std::string& directory,
                                                          sys::Random& random);

// In a bucket: s3/address.h says how `url` is written, the environment who asks
// (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY). Pieces on their way in are files below `spool`, on
// `fs`. kInvalidArgument, kNotFound (no such bucket, nobody named), kPermissionDenied (a wrong
// secret), kUnavailable (nobody answers): said at once.
Result<std::unique_ptr<BlobStore>> OpenS3BlobStore(const std::string& url, sys::FileSystem& fs,
                                                   const std::string& spool, sys::Random& random);

// Puts what `to` lacks of `from`; gives how many.
Result<int64_t> CopyMissingBlobs(BlobStore& from, BlobStore& to);

}  // namespace ferry::server
