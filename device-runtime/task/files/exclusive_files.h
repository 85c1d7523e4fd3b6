// Files that came for this device alone, beside a package: what `ferry.files` and the SDK read
// before the package's own.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "common/sys/filesystem.h"

namespace ferry::package {
class Package;
}

namespace ferry::task {

inline constexpr size_t kMaxExclusiveFiles = 256;

// By name. They stay mapped, so that a version that still runs reads its own while the directory
// gives way to the next.
using ExclusiveFiles = std::map<std::string, std::shared_ptr<const sys::MappedFile>, std::less<>>;

// All files in `directory` whose names do not begin with a dot; none when it is "" or not there.
// kLimitExceeded.
Result<std::shared_ptr<const ExclusiveFiles>> OpenExclusiveFiles(sys::FileSystem& fs,
                                                                 const std::string& directory);

// Names of both kinds, sorted, each once. `exclusive` may be null, here and below.
std::vector<std::string> NamesOfFiles(const package::Package& package,
                                      const ExclusiveFiles* exclusive);
// The exclusive file of that name, else the package's, borrowed from either; kNotFound.
Result<ByteView> FindFile(const package::Package& package, const ExclusiveFiles* exclusive,
                          std::string_view name);

}  // namespace ferry::task
