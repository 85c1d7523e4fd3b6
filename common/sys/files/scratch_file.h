// Memory that a file without a name backs: it may leave the process's memory and comes back when it
// is read, and it is gone with the process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "common/base/bytes.h"
#include "common/base/status.h"

namespace ferry::sys {

// One thread at a time for Extend; any thread for Release.
class ScratchFile {
 public:
  virtual ~ScratchFile() = default;

  // In `folder`, readable by this user alone; nobody can open it. kUnsupported where the folder's
  // files lie in memory themselves (tmpfs).
  static Result<std::unique_ptr<ScratchFile>> Create(const std::string& folder);

  // `size` bytes more, cleared, on whole pages of their own. Their room on the disk is taken at
  // once, so that writing to them cannot fail later; kDiskFull when there is none. They stay where
  // they are until the file goes.
  virtual Result<std::span<uint8_t>> Extend(size_t size) = 0;

  // Whole pages of `bytes`, of what Extend gave, leave memory; their contents stay.
  virtual void Release(ByteView bytes) const = 0;
};

// The folder for such files where nobody names one: $TMPDIR, else what the system keeps on disks.
std::string ScratchFolder();

}  // namespace ferry::sys
