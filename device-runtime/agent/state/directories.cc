#include "device-runtime/agent/state/directories.h"

namespace ferry::agent {

Status MakeDurableDirectories(sys::FileSystem& fs, const std::string& path) {
  if (path.empty() || path == "/" || path == ".") return OkStatus();
  const std::string parent = sys::ParentPath(path);
  if (parent != path) FERRY_TRY(MakeDurableDirectories(fs, parent));
  if (sys::Exists(fs, path)) return OkStatus();
  FERRY_TRY(fs.MakeDirectories(path));
  return fs.SyncDirectory(parent.empty() ? "." : parent);
}

}  // namespace ferry::agent
