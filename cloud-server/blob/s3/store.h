// A blob store in a bucket of S3: an object a blob, "<prefix><first two characters>/<name>".
// ---- store.cc upload.cc
#pragma once

#include <memory>

#include "cloud-server/blob/blob.h"
#include "cloud-server/blob/s3/client.h"

namespace ferry::server::s3 {

// A blob of more is put in parts, each sent anew by itself when a line breaks.
inline constexpr uint64_t kMaxWholePut = 32 << 20;
inline constexpr uint64_t kPartBytes = 16 << 20;  // at least 5 MiB by S3's rules, but for the last
inline constexpr size_t kAheadBytes = 1 << 20;    // read at once for readers in sequence

std::string KeyOf(const std::string& sha256);

// Puts the file, whose SHA-256 is the blob's name, unless an object of that name and size is there.
Status Upload(Client& client, const std::string& sha256, const sys::ReadableFile& file);

}  // namespace ferry::server::s3
