// Reads ZIP archives, as NumPy writes them. Source: PKWARE's APPNOTE (the central directory, ZIP64
// sizes), RFC 1951 by zlib.
#pragma once

#include <string>
#include <vector>

#include "common/base/bytes.h"
#include "common/base/status.h"

namespace ferry::npy {

inline constexpr size_t kMaxZipEntries = 65'535;
inline constexpr uint64_t kMaxZipContent = uint64_t{4} << 30;  // of all entries, opened

struct ZipEntry {
  std::string name;
  Bytes content;
};

// All entries, in the archive's order. kMalformed names the entry for what is cut, overlaps the end
// or fails its checksum; kUnsupported for encryption and methods other than stored and deflated;
// kLimitExceeded when the entries pass `limit` bytes.
Result<std::vector<ZipEntry>> ReadZip(ByteView archive, uint64_t limit = kMaxZipContent);

}  // namespace ferry::npy
