#include "tools/ferry/local/given_file.h"

#include "common/base/nearest.h"
#include "common/sys/filesystem.h"

namespace ferry::cli {

Status CheckGiven(const std::string& path) {
  sys::FileSystem& fs = sys::SystemFileSystem();
  const auto info = fs.Stat(path);
  if (info.code() != Code::kNotFound) return OkStatus();  // what else is wrong, reading tells
  const std::string folder = sys::ParentPath(path);
  const auto names = fs.List(folder);
  if (!names.ok()) {
    return Status::Of(Code::kNotFound, "{} does not exist: there is no folder {}", path, folder);
  }
  const auto near = NearName(path.substr(path.rfind('/') + 1), *names);
  if (!near) return Status::Of(Code::kNotFound, "{} does not exist; check the path", path);
  const std::string meant =
      path.find('/') == path.npos ? std::string(*near) : sys::JoinPath(folder, *near);
  return Status::Of(Code::kNotFound, "{} does not exist; did you mean {}?", path, meant);
}

}  // namespace ferry::cli
