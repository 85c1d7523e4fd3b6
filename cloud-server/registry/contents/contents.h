// What is in a published package: its manifest and single files, read from the front of its full
// artefact as far as they reach. Nothing is written to a disk.
#pragma once

#include <string>

#include "cloud-server/registry/registry.h"
#include "common/base/json_fwd.h"

namespace ferry::server {

inline constexpr size_t kMaxShownFileBytes = 512 << 10;
// A file that lies behind more than this is not looked for: it would take too long.
inline constexpr uint64_t kMaxReadThroughBytes = uint64_t{1} << 30;

// The manifest as common/package/manifest.h writes it. kNotFound for an unknown version,
// kFailedPrecondition where this server has no content, no key that opens it, or where what comes
// out is no package.
Result<Json> ReadPackageManifest(Registry& registry, const std::string& package,
                                 const std::string& version);

struct PackageText {
  uint64_t length = 0;  // of the file
  std::string sha256;   // of the file, checked
  std::string text;     // the file, or the source of a compiled script
  bool is_source = false;
};
// A file as text, of a compiled script the source that it carries. Errors as above; kNotFound also
// for a file that is not there, kLimitExceeded past the limits, kFailedPrecondition for one that is
// no UTF-8 text, and for packages that ask to stay sealed (`requires` of the row).
Result<PackageText> ReadPackageText(Registry& registry, const PackageRow& row,
                                    const std::string& path);

// kFailedPrecondition for a package that asks to lie sealed wherever it lies: what is in it is not
// shown to people either.
Status CheckMayBeShown(const PackageRow& row);

}  // namespace ferry::server
