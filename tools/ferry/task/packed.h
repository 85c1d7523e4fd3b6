// A task folder as a device would get it: packed into a file that goes with this object.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "device-runtime/task/program.h"
#include "tools/ferry/local/scratch_folder.h"

namespace ferry::cli {

class PackedTask {
 public:
  // `source`: a folder with task.json, or a package (.fpk), which is taken as it is. With `load` a
  // folder is refused by what `ferry pack` would refuse: the task is opened as on a device, its top
  // level run, its entry found.
  static Result<PackedTask> Make(const std::string& source, bool load = false);

  const std::string& file() const { return file_; }
  Result<std::shared_ptr<const task::Program>> Load() const;

 private:
  PackedTask(std::string file, std::optional<ScratchFolder> folder)
      : file_(std::move(file)), folder_(std::move(folder)) {}
  std::string file_;
  std::optional<ScratchFolder> folder_;  // where the file lies, when we packed it
};

}  // namespace ferry::cli
