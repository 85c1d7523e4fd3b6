#include "cloud-server/blob/blob.h"
#include "common/base/bytes.h"

namespace ferry::server {
namespace {

constexpr size_t kCopyPieceBytes = 1 << 20;
constexpr int kPrefixes = 256;

Status CopyBlob(BlobStore& from, BlobStore& to, const std::string& sha256) {
  FERRY_ASSIGN_OR_RETURN(const auto file, from.Open(sha256));
  FERRY_ASSIGN_OR_RETURN(const auto writer, to.Put(sha256));
  Bytes piece(kCopyPieceBytes);
  for (uint64_t at = 0;;) {
    FERRY_ASSIGN_OR_RETURN(const size_t got, file->ReadAt(at, piece));
    if (got == 0) break;
    FERRY_TRY(writer->Write(ByteView(piece).first(got)));
    at += got;
  }
  return writer->Commit();
}

}  // namespace

Result<int64_t> CopyMissingBlobs(BlobStore& from, BlobStore& to) {
  int64_t copied = 0;
  for (int i = 0; i < kPrefixes; ++i) {
    FERRY_ASSIGN_OR_RETURN(const std::vector<std::string> names,
                           from.List(fmt::format("{:02x}", i)));
    for (const std::string& name : names) {
      const Result<uint64_t> there = to.Size(name);
      if (there.ok()) continue;
      if (there.code() != Code::kNotFound) return there.status();
      FERRY_TRY(CopyBlob(from, to, name).Context("content {}", name));
      ++copied;
    }
  }
  return copied;
}

}  // namespace ferry::server
