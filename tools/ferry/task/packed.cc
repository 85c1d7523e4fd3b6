#include "tools/ferry/task/packed.h"

#include "common/package/reader.h"
#include "tools/ferry/local/given_file.h"
#include "tools/ferry/local/pack.h"

namespace ferry::cli {

Result<PackedTask> PackedTask::Make(const std::string& source, bool load) {
  FERRY_TRY(CheckGiven(source));
  FERRY_ASSIGN_OR_RETURN(const sys::FileInfo info, sys::SystemFileSystem().Stat(source));
  if (!info.is_directory) return PackedTask(source, std::nullopt);
  FERRY_ASSIGN_OR_RETURN(ScratchFolder folder, ScratchFolder::Make());
  PackRequest request;
  request.source = source;
  request.out = sys::JoinPath(folder.path(), "task.fpk");
  request.load = load;
  FERRY_TRY(AsStatus(Pack(request)));
  return PackedTask(request.out, std::move(folder));
}

Result<std::shared_ptr<const task::Program>> PackedTask::Load() const {
  FERRY_ASSIGN_OR_RETURN(package::Package package,
                         package::Package::OpenFile(sys::SystemFileSystem(), file_));
  auto program =
      task::LoadProgram(std::make_shared<const package::Package>(std::move(package)), nullptr);
  return folder_ ? program : std::move(program).Context("{}", file_);
}

}  // namespace ferry::cli
