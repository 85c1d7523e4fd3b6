// What a package says of itself: the JSON at its front. README.md shows the file.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/base/json.h"
#include "common/crypto/hash.h"
#include "common/trust/targets.h"

namespace ferry::package {

inline constexpr size_t kMaxManifestBytes = 1 << 20;
inline constexpr size_t kMaxPackageFiles = 4096;
inline constexpr size_t kMaxPathBytes = 255;
inline constexpr uint64_t kMaxPackageBytes = uint64_t{16} << 30;

struct FileEntry {
  std::string path;     // relative, "/"-separated, of [A-Za-z0-9._+-], no part starts with a dot
  uint64_t offset = 0;  // from the start of the content, a multiple of kFileAlignment
  uint64_t length = 0;
  crypto::Sha256Digest sha256{};
  bool operator==(const FileEntry&) const = default;
};

struct Manifest {
  std::string name;
  std::string version;                  // semver
  std::string content = "task";         // "task" or "model"
  std::vector<FileEntry> files;         // sorted by path
  Json task = Json::object();           // task.json as the task host reads it; empty for a model
  Json probe = Json::object();          // {"cases": file, "count": n}; empty: load only
  Json simulation = Json::object();     // {"cases": file}
  Json requires_ = Json::object();      // as policy/requires reads it
  std::string licence;                  // empty: not said
  std::string description;              // likewise
  std::optional<trust::GitOrigin> git;  // what it was made of
};

// kBadPackage names the member or the file. FromJson checks everything but the hashes: names,
// order, alignment, that files follow each other without gap or overlap.
Json ManifestToJson(const Manifest& manifest);
Result<Manifest> ManifestFromJson(const Json& object);

// Whether a package may hold a file of that name.
bool IsFilePath(std::string_view path);
bool IsPackageName(std::string_view name);
// "1.2.3" with an optional "-suffix" and "+build" (semver 2.0.0).
bool IsVersion(std::string_view version);

}  // namespace ferry::package
