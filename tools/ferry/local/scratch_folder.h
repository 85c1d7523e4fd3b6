// A folder of our own for what a command makes on its way; it goes with this object.
#pragma once

#include <string>

#include "common/base/status.h"

namespace ferry::cli {

class ScratchFolder {
 public:
  // Below TMPDIR, else /tmp; for its user alone.
  static Result<ScratchFolder> Make();
  ScratchFolder(ScratchFolder&& other) noexcept;
  ScratchFolder& operator=(ScratchFolder&&) = delete;
  ~ScratchFolder();

  const std::string& path() const { return path_; }

 private:
  explicit ScratchFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;  // empty: moved away
};

}  // namespace ferry::cli
