#include "device-runtime/task/files/exclusive_files.h"

#include <algorithm>

#include "common/package/manifest.h"
#include "common/package/reader.h"

namespace ferry::task {

Result<std::shared_ptr<const ExclusiveFiles>> OpenExclusiveFiles(sys::FileSystem& fs,
                                                                 const std::string& directory) {
  auto files = std::make_shared<ExclusiveFiles>();
  if (directory.empty() || !sys::Exists(fs, directory)) return files;
  FERRY_ASSIGN_OR_RETURN(const auto names, fs.List(directory));
  for (const std::string& name : names) {
    if (name.starts_with('.')) continue;
    if (files->size() == kMaxExclusiveFiles)
      return Status::Of(Code::kLimitExceeded, "{} holds more than {} files", directory,
                        kMaxExclusiveFiles);
    FERRY_ASSIGN_OR_RETURN((*files)[name], fs.Map(sys::JoinPath(directory, name)));
  }
  return files;
}

std::vector<std::string> NamesOfFiles(const package::Package& package,
                                      const ExclusiveFiles* exclusive) {
  std::vector<std::string> names;
  for (const package::FileEntry& file : package.manifest().files) names.push_back(file.path);
  if (exclusive != nullptr)
    for (const auto& [name, file] : *exclusive) names.push_back(name);
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

Result<ByteView> FindFile(const package::Package& package, const ExclusiveFiles* exclusive,
                          std::string_view name) {
  if (exclusive != nullptr)
    if (const auto found = exclusive->find(name); found != exclusive->end())
      return found->second->bytes();
  return package.File(name);
}

}  // namespace ferry::task
