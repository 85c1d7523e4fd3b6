#include "cloud-server/main/backup/folder_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>

#include "common/base/json.h"
#include "common/sys/filesystem.h"

namespace ferry::server {
namespace {

constexpr uint64_t kMaxHolderBytes = 4096;
constexpr size_t kMaxHostBytes = 256;

Status LockError(const std::string& folder) {
  return Status::Of(errno == ENOENT ? Code::kNotFound : Code::kIo, "{}: {}", folder,
                    std::strerror(errno));
}

// An open description of the folder that is locked, -1 when somebody else has the lock.
Result<int> LockFolder(const std::string& folder) {
  const int file = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0) return LockError(folder);
  if (::flock(file, LOCK_EX | LOCK_NB) == 0) return file;
  const Status failed = errno == EWOULDBLOCK ? OkStatus() : LockError(folder);
  ::close(file);
  if (!failed.ok()) return failed;
  return -1;
}

std::string HeldSince(int64_t unix_ms) {
  const auto seconds = static_cast<std::time_t>(unix_ms / 1000);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char text[32];
  return std::string(text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts));
}

// "ferry-server run (host h, pid 12, since 2026-01-01T00:00:00Z)". The file may be missing or half
// told: its holder is between taking the lock and saying so, or the disk was full.
std::string HolderText(const std::string& folder) {
  const std::string unknown = "another process (it has not said which)";
  const auto bytes =
      sys::ReadFile(sys::SystemFileSystem(), sys::JoinPath(folder, kHolderFile), kMaxHolderBytes);
  if (!bytes.ok()) return unknown;
  const Result<Json> json = ParseJson(AsText(*bytes));
  if (!json.ok()) return unknown;
  const auto command = GetString(*json, "command"), host = GetString(*json, "host");
  const auto pid = GetInt(*json, "pid"), since_ms = GetInt(*json, "since_ms");
  if (!command.ok() || !host.ok() || !pid.ok() || !since_ms.ok()) return unknown;
  return fmt::format("{} (host {}, pid {}, since {})", *command, *host, *pid, HeldSince(*since_ms));
}

}  // namespace

Result<FolderLock> FolderLock::Take(const std::string& folder, const std::string& taken) {
  FERRY_ASSIGN_OR_RETURN(const int file, LockFolder(folder));
  if (file < 0) return Status::Of(Code::kFailedPrecondition, "{}: {}", folder, taken);
  return FolderLock(file, false);
}

Result<FolderLock> FolderLock::TakeHome(const std::string& folder, const std::string& command,
                                        int64_t now_ms) {
  FERRY_ASSIGN_OR_RETURN(const int file, LockFolder(folder));
  if (file < 0)
    return Status::Of(Code::kFailedPrecondition, "{}: held by {}", folder, HolderText(folder));
  FolderLock lock(file, true);
  char host[kMaxHostBytes] = {};
  if (::gethostname(host, sizeof host - 1) != 0) host[0] = '\0';
  const std::string text = WriteJson({{"command", command},
                                      {"host", host},
                                      {"pid", static_cast<int64_t>(::getpid())},
                                      {"since_ms", now_ms}}) +
                           "\n";
  FERRY_TRY(sys::WriteFileAtomically(sys::SystemFileSystem(), sys::JoinPath(folder, kHolderFile),
                                     AsBytes(text)));
  return lock;
}

FolderLock::FolderLock(FolderLock&& other) noexcept : file_(other.file_), named_(other.named_) {
  other.file_ = -1;
}

FolderLock::~FolderLock() {
  if (file_ < 0) return;
  // Below the locked folder, whatever its path has become; and before others may take the lock,
  // whose file it would be otherwise.
  if (named_) ::unlinkat(file_, kHolderFile, 0);
  ::close(file_);
}

}  // namespace ferry::server
