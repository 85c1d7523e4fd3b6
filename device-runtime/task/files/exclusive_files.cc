#include "device-runtime/task/files/exclusive_files.h"

#include <algorithm>

#include "common/package/manifest.h"
#include "common/package/reader.h"

namespace ferry::task {

namespace {

Status AddFilesIn(sys::FileSystem& fs, const std::string& directory, bool personal,
                  ExclusiveFiles* files) {
  if (directory.empty() || !sys::Exists(fs, directory)) return OkStatus();
  FERRY_ASSIGN_OR_RETURN(const auto names, fs.List(directory));
  size_t count = 0;
  for (const std::string& name : names) {
    if (name.starts_with('.')) continue;
    if (++count > kMaxExclusiveFiles)
      return Status::Of(Code::kLimitExceeded, "{} holds more than {} files", directory,
                        kMaxExclusiveFiles);
    if (files->contains(name)) continue;  // an exclusive one, before a personal one
    OwnFile& own = (*files)[name];
    FERRY_ASSIGN_OR_RETURN(own.file, fs.Map(sys::JoinPath(directory, name)));
    own.personal = personal;
  }
  return OkStatus();
}

}  // namespace

Result<std::shared_ptr<const ExclusiveFiles>> OpenOwnFiles(sys::FileSystem& fs,
                                                           const OwnDirectories& directories) {
  auto files = std::make_shared<ExclusiveFiles>();
  FERRY_TRY(AddFilesIn(fs, directories.exclusive, false, files.get()));
  FERRY_TRY(AddFilesIn(fs, directories.personal, true, files.get()));
  return std::shared_ptr<const ExclusiveFiles>(std::move(files));
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
  if (exclusive == nullptr) return package.File(name);
  const auto found = exclusive->find(name);
  const bool shadowed = found != exclusive->end() && found->second.personal && package.Has(name);
  if (found == exclusive->end() || shadowed) return package.File(name);
  return found->second.file->bytes();
}

}  // namespace ferry::task
