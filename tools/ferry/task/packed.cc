#include "tools/ferry/task/packed.h"

#include <cstdlib>

#include "common/package/reader.h"
#include "tools/ferry/local/pack.h"

namespace ferry::cli {
namespace {

Result<std::string> MakeFolder() {
  const char* base = std::getenv("TMPDIR");
  std::string folder = sys::JoinPath(base != nullptr ? base : "/tmp", "ferry-task-XXXXXX");
  if (mkdtemp(folder.data()) == nullptr)
    return Status::Of(Code::kIo, "no folder {} can be made", folder);
  return folder;
}

}  // namespace

PackedTask::PackedTask(PackedTask&& other) noexcept
    : file_(std::move(other.file_)), folder_(std::exchange(other.folder_, {})) {}

PackedTask::~PackedTask() {
  if (!folder_.empty()) (void)sys::SystemFileSystem().RemoveTree(folder_);  // it is only scratch
}

Result<PackedTask> PackedTask::Make(const std::string& source) {
  FERRY_ASSIGN_OR_RETURN(const sys::FileInfo info, sys::SystemFileSystem().Stat(source));
  if (!info.is_directory) return PackedTask(source, "");
  FERRY_ASSIGN_OR_RETURN(std::string folder, MakeFolder());
  PackRequest request;
  request.source = source;
  request.out = sys::JoinPath(folder, "task.fpk");
  request.load = false;
  PackedTask packed(request.out, std::move(folder));
  FERRY_TRY(AsStatus(Pack(request)));
  return packed;
}

Result<std::shared_ptr<const task::Program>> PackedTask::Load() const {
  FERRY_ASSIGN_OR_RETURN(package::Package package,
                         package::Package::OpenFile(sys::SystemFileSystem(), file_));
  return task::LoadProgram(std::make_shared<const package::Package>(std::move(package)), nullptr);
}

}  // namespace ferry::cli
