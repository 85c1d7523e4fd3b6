#include "tools/conformance/find.h"

#include <fnmatch.h>

#include <algorithm>

#include "common/sys/filesystem.h"

namespace ferry::conformance {
namespace {

bool Matches(const std::string& name, std::span<const std::string> patterns) {
  if (patterns.empty()) return true;
  return std::ranges::any_of(patterns, [&](const std::string& pattern) {
    return fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
  });
}

bool IsCase(const std::vector<std::string>& entries) {
  return std::ranges::find(entries, "model.onnx") != entries.end() &&
         std::ranges::any_of(
             entries, [](const std::string& entry) { return entry.starts_with(kDataSetPrefix); });
}

struct Search {
  std::span<const std::string> patterns;
  std::vector<Case> cases;

  Status Folder(const std::string& path, const std::string& name, int depth) {
    sys::FileSystem& disk = sys::SystemFileSystem();
    if (depth > kMaxFolderDepth) {
      return Status::Of(Code::kLimitExceeded, "{}: folders deeper than {}", path, kMaxFolderDepth);
    }
    FERRY_ASSIGN_OR_RETURN(const std::vector<std::string> entries, disk.List(path));
    if (IsCase(entries)) {
      if (cases.size() >= kMaxCases) {
        return Status::Of(Code::kLimitExceeded, "more than {} cases", kMaxCases);
      }
      if (Matches(name, patterns)) cases.push_back({name, path});
      return OkStatus();
    }
    for (const std::string& entry : entries) {
      const std::string inner = sys::JoinPath(path, entry);
      const Result<sys::FileInfo> info = disk.Stat(inner);
      if (!info.ok() || !info->is_directory) continue;
      FERRY_TRY(Folder(inner, name.empty() ? entry : name + "/" + entry, depth + 1));
    }
    return OkStatus();
  }
};

}  // namespace

Result<std::vector<Case>> FindCases(const std::string& directory,
                                    std::span<const std::string> patterns) {
  FERRY_ASSIGN_OR_RETURN(const sys::FileInfo info, sys::SystemFileSystem().Stat(directory));
  if (!info.is_directory) return Status::Of(Code::kNotFound, "{} is no folder", directory);
  Search search{patterns, {}};
  FERRY_TRY(search.Folder(directory, "", 0));
  for (Case& c : search.cases) {
    if (!c.name.empty()) continue;  // the folder itself is the case: by its own name
    const size_t end = directory.find_last_not_of('/');
    const size_t slash = directory.rfind('/', end);
    c.name = directory.substr(slash == std::string::npos ? 0 : slash + 1,
                              end - (slash == std::string::npos ? 0 : slash + 1) + 1);
  }
  std::ranges::sort(search.cases, {}, &Case::name);
  return std::move(search.cases);
}

}  // namespace ferry::conformance
