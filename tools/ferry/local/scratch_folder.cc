#include "tools/ferry/local/scratch_folder.h"

#include <cstdlib>

#include "common/sys/filesystem.h"

namespace ferry::cli {

Result<ScratchFolder> ScratchFolder::Make() {
  const char* base = std::getenv("TMPDIR");
  std::string path = sys::JoinPath(base != nullptr ? base : "/tmp", "ferry-task-XXXXXX");
  if (mkdtemp(path.data()) == nullptr)
    return Status::Of(Code::kIo, "no folder {} can be made", path);
  return ScratchFolder(std::move(path));
}

ScratchFolder::ScratchFolder(ScratchFolder&& other) noexcept
    : path_(std::exchange(other.path_, {})) {}

ScratchFolder::~ScratchFolder() {
  if (!path_.empty()) (void)sys::SystemFileSystem().RemoveTree(path_);  // it is only scratch
}

}  // namespace ferry::cli
