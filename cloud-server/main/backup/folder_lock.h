// Who works on a folder: one at a time of all processes, and others are told who it is.
#pragma once

#include <string>

#include "common/base/status.h"

namespace ferry::server {

// Lies in a server's directory while somebody holds it: {"command","host","pid","since_ms"}. The
// lock is the kernel's; the file only says whose it is, and outlives a process that was killed.
inline constexpr const char* kHolderFile = "held-by.json";

// Held until it goes or its process ends, however that ends. Any thread.
class FolderLock {
 public:
  // kFailedPrecondition "<folder>: <taken>" when somebody has it.
  static Result<FolderLock> Take(const std::string& folder, const std::string& taken);
  // A server's directory, for `command` ("ferry-server run") from `now_ms` on. kFailedPrecondition
  // names who has it: command, host, process and since when.
  static Result<FolderLock> TakeHome(const std::string& folder, const std::string& command,
                                     int64_t now_ms);
  FolderLock(FolderLock&& other) noexcept;
  FolderLock& operator=(FolderLock&&) = delete;
  ~FolderLock();

 private:
  FolderLock(int file, bool named) : file_(file), named_(named) {}
  int file_;
  bool named_;  // the holder's file is there, and goes with the lock
};

}  // namespace ferry::server
