// The state directory of `ferry stream run` or of a device: its outbox and its log of events.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "pipeline/log/log.h"
#include "pipeline/store/outbox.h"

namespace ferry::cli {

inline constexpr char kOutboxFile[] = "outbox.db";
inline constexpr char kEventsFolder[] = "events";

// Holds a directory for one process: while it lives, no other one opens it.
class FolderLock {
 public:
  // kFailedPrecondition: a running program has it. The directory must be there.
  static Result<FolderLock> Take(const std::string& directory);
  FolderLock(FolderLock&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FolderLock& operator=(FolderLock&&) = delete;
  ~FolderLock();

 private:
  explicit FolderLock(int fd) : fd_(fd) {}
  int fd_ = -1;
};

// Where the events of DIR lie: DIR/events, or DIR itself when it is a log. kNotFound.
Result<std::string> FindLog(const std::string& directory);
// Opens the log that FindLog found, for reading.
Result<std::unique_ptr<log::Log>> OpenLogOf(const std::string& directory);
// Opens the outbox of an existing directory. kNotFound.
Result<std::unique_ptr<store::Outbox>> OpenOutboxOf(const std::string& directory);

}  // namespace ferry::cli
