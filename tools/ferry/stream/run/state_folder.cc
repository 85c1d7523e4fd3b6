#include "tools/ferry/stream/run/state_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>

#include "common/crypto/secret.h"
#include "common/sys/clock.h"
#include "common/sys/filesystem.h"
#include "common/sys/random.h"

namespace ferry::cli {
namespace {

// Of the directories that agents and `ferry stream run` keep.
constexpr char kLockFile[] = "lock";
constexpr uint64_t kMaxKeyFileBytes = 256;

bool HoldsSegments(const std::string& directory) {
  const auto names = sys::SystemFileSystem().List(directory);
  return names.ok() && std::any_of(names->begin(), names->end(),
                                   [](const std::string& name) { return name.ends_with(".log"); });
}

// 32 bytes, or 64 hexadecimal characters with white space around them.
Result<std::optional<crypto::Secret32>> ReadKeyFile(const std::string& file) {
  FERRY_ASSIGN_OR_RETURN(
      Bytes text,
      sys::ReadFile(sys::SystemFileSystem(), file, kMaxKeyFileBytes).Context("the key"));
  if (text.size() != crypto::Secret32::kBytes) {
    while (!text.empty() && std::isspace(text.back())) text.pop_back();
    FERRY_ASSIGN_OR_RETURN(text, FromHex(AsText(text)).Context("the key in {}", file));
  }
  FERRY_ASSIGN_OR_RETURN(crypto::Secret32 key, crypto::Secret32::From(text, "the key"));
  crypto::Wipe(text);
  return std::optional<crypto::Secret32>(std::move(key));
}

// A plain file would be sealed from then on: the key is for those that are.
template <typename T, typename Open>
Result<T> WithKey(std::string_view what, const std::string& key_file, const Open& open) {
  Result<T> opened = open(std::optional<crypto::Secret32>());
  if (opened.code() != Code::kWrongKey) return opened;
  if (key_file.empty()) return opened.status().Context("{}: give its key with --key-file", what);
  FERRY_ASSIGN_OR_RETURN(auto key, ReadKeyFile(key_file));
  return open(std::move(key)).Context("{}", what);
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

Result<std::unique_ptr<log::Log>> OpenLogOf(const std::string& directory,
                                            const std::string& key_file) {
  FERRY_ASSIGN_OR_RETURN(const std::string path, FindLog(directory));
  return WithKey<std::unique_ptr<log::Log>>("the log of events", key_file, [&path](auto key) {
    return log::Log::Open(sys::SystemFileSystem(), sys::SystemClock(), sys::SystemRandom(),
                          {.directory = path, .key = std::move(key)});
  });
}

Result<std::optional<EventsFile>> FindEventsFile(const std::string& directory,
                                                 const std::string& key_file) {
  if (!sys::Exists(sys::SystemFileSystem(), sys::JoinPath(directory, kOutboxFile)))
    return std::optional<EventsFile>();
  FERRY_ASSIGN_OR_RETURN(const auto outbox, OpenOutboxOf(directory, key_file));
  FERRY_ASSIGN_OR_RETURN(const auto logs, outbox->Logs());
  std::optional<EventsFile> out;
  for (const store::KnownLog& log : logs)
    if (log.name != store::kSpoolLog && !log.name.starts_with(std::string(store::kEventLog) + ":"))
      out = EventsFile{log.name, log.position.value_or(0)};
  if (!out) return out;
  const auto info = sys::SystemFileSystem().Stat(out->path);
  if (!info.ok())
    return Status::Of(Code::kNotFound,
                      "the device of {} reads its events from {}, which is not here: give it with "
                      "--events",
                      directory, out->path);
  if (info->size < out->end)
    return Status::Of(Code::kCorruptContent,
                      "{} is shorter than what the device of {} has read of it: it was replaced",
                      out->path, directory);
  return out;
}

Result<std::unique_ptr<store::Outbox>> OpenOutboxOf(const std::string& directory,
                                                    const std::string& key_file) {
  const std::string path = sys::JoinPath(directory, kOutboxFile);
  if (!sys::Exists(sys::SystemFileSystem(), path))
    return Status::Of(Code::kNotFound, "{} has no {}", directory, kOutboxFile);
  return WithKey<std::unique_ptr<store::Outbox>>("the outbox", key_file, [&path](auto key) {
    store::OutboxOptions options;
    options.key = std::move(key);
    return store::OpenOutbox(path, sys::SystemRandom(), options);
  });
}

}  // namespace ferry::cli
