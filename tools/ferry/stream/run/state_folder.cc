#include "tools/ferry/stream/run/state_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "common/sys/clock.h"
#include "common/sys/filesystem.h"
#include "common/sys/random.h"

namespace ferry::cli {
namespace {

// Of the directories that agents and `ferry stream run` keep.
constexpr char kLockFile[] = "lock";

bool HoldsSegments(const std::string& directory) {
  const auto names = sys::SystemFileSystem().List(directory);
  return names.ok() && std::any_of(names->begin(), names->end(),
                                   [](const std::string& name) { return name.ends_with(".log"); });
}

}  // namespace

Result<FolderLock> FolderLock::Take(const std::string& directory) {
  const std::string path = sys::JoinPath(directory, kLockFile);
  const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, sys::kPrivateFile);
  if (fd < 0) return Status::Of(Code::kIo, "opening {}: {}", path, std::strerror(errno));
  if (::flock(fd, LOCK_EX | LOCK_NB) == 0) return FolderLock(fd);
  ::close(fd);
  return Status::Of(Code::kFailedPrecondition, "{} is in use by a running program", directory);
}

FolderLock::~FolderLock() {
  if (fd_ >= 0) ::close(fd_);
}

Result<std::string> FindLog(const std::string& directory) {
  for (const std::string& path : {sys::JoinPath(directory, kEventsFolder), directory})
    if (HoldsSegments(path)) return path;
  return Status::Of(Code::kNotFound, "{} has no log of events: neither {}/ nor *.log files",
                    directory, kEventsFolder);
}

Result<std::unique_ptr<log::Log>> OpenLogOf(const std::string& directory) {
  FERRY_ASSIGN_OR_RETURN(const std::string path, FindLog(directory));
  return log::Log::Open(sys::SystemFileSystem(), sys::SystemClock(), sys::SystemRandom(),
                        {.directory = path});
}

Result<std::unique_ptr<store::Outbox>> OpenOutboxOf(const std::string& directory) {
  const std::string path = sys::JoinPath(directory, kOutboxFile);
  if (!sys::Exists(sys::SystemFileSystem(), path))
    return Status::Of(Code::kNotFound, "{} has no {}", directory, kOutboxFile);
  return store::OpenOutbox(path, sys::SystemRandom());
}

}  // namespace ferry::cli
