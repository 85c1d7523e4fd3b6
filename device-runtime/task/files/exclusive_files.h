// Files that came for this device alone, beside a package: what `ferry.files` and the SDK read.
// Exclusive ones, which offline keys signed with the version, come before the package's own;
// personal ones, which an online key added, after both: they shadow nothing. Scripts, models and
// what else is run are only ever taken from the package.
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

inline constexpr size_t kMaxExclusiveFiles = 256;  // of each kind

// They stay mapped, so that a version that still runs reads its own while the directory gives way
// to the next.
struct OwnFile {
  std::shared_ptr<const sys::MappedFile> file;
  bool personal = false;
};
using ExclusiveFiles = std::map<std::string, OwnFile, std::less<>>;  // by name

// Directories with such files of one package; "": none.
struct OwnDirectories {
  std::string exclusive;
  std::string personal;
};

// All files in the directories whose names do not begin with a dot; none when one is "" or not
// there. kLimitExceeded.
Result<std::shared_ptr<const ExclusiveFiles>> OpenOwnFiles(sys::FileSystem& fs,
                                                           const OwnDirectories& directories);

// Names of both kinds, sorted, each once. `exclusive` may be null, here and below.
std::vector<std::string> NamesOfFiles(const package::Package& package,
                                      const ExclusiveFiles* exclusive);
// The exclusive file of that name, else the package's, else the personal one, borrowed; kNotFound.
Result<ByteView> FindFile(const package::Package& package, const ExclusiveFiles* exclusive,
                          std::string_view name);

}  // namespace ferry::task
