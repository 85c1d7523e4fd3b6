#include "tools/ferry/task/script_folder.h"

#include <algorithm>

#include "common/sys/filesystem.h"

namespace ferry::cli {
namespace {

bool IsFile(const std::string& path) {
  const auto info = sys::SystemFileSystem().Stat(path);
  return info.ok() && !info->is_directory;
}

Result<vm::ModuleFile> ReadModule(const std::string& path, bool package) {
  FERRY_ASSIGN_OR_RETURN(const Bytes bytes,
                         sys::ReadFile(sys::SystemFileSystem(), path, vm::kMaxSourceBytes));
  vm::ModuleFile file{std::string(AsText(bytes))};
  file.file = path;
  file.package = package;
  return file;
}

}  // namespace

vm::SourceLoader ScriptFolder(std::string folder) {
  return [folder = std::move(folder)](std::string_view name) -> Result<vm::ModuleFile> {
    std::string path(name);
    const bool plain = path.find('/') == std::string::npos && path.find('\0') == std::string::npos;
    std::replace(path.begin(), path.end(), '.', '/');
    path = sys::JoinPath(folder, path);
    const std::string init = path + "/__init__.py";
    if (plain && IsFile(init)) return ReadModule(init, true);
    if (plain && IsFile(path + ".py")) return ReadModule(path + ".py", false);
    const auto info = sys::SystemFileSystem().Stat(path);
    if (!plain || !info.ok() || !info->is_directory)
      return Status::Of(Code::kNotFound, "no module {} in {}", name, folder);
    vm::ModuleFile package;
    package.file = path;
    package.package = true;
    return package;
  };
}

}  // namespace ferry::cli
