// The state directory of `ferry stream run` or of a device: its outbox and its log of events.
#pragma once

#include <memory>
#include <optional>
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
// Opens the log that FindLog found, for reading. A sealed one needs the key, 32 bytes or 64
// hexadecimal characters in the file `key_file`; what is not sealed stays so. kWrongKey.
Result<std::unique_ptr<log::Log>> OpenLogOf(const std::string& directory,
                                            const std::string& key_file = "");
// The file of JSON lines that is the log of a ferry-device of DIR, up to what it has worked off.
struct EventsFile {
  std::string path;
  uint64_t end = 0;  // bytes
};
// nullopt: DIR is of no device that tails a file. kNotFound names a file that is not there.
Result<std::optional<EventsFile>> FindEventsFile(const std::string& directory,
                                                 const std::string& key_file);
// Opens the outbox of an existing directory, with the key as OpenLogOf. kNotFound, kWrongKey.
Result<std::unique_ptr<store::Outbox>> OpenOutboxOf(const std::string& directory,
                                                    const std::string& key_file = "");

}  // namespace ferry::cli
