// A disk in memory that can lose power, fill up and fail. Bytes survive a power cut once their file
// was synced; names (made, renamed, removed) once their directory was synced. The model is the
// strict one of ALICE (OSDI 2014).
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "common/sys/filesystem.h"
#include "common/sys/random.h"

namespace ferry::sys {

// Any thread; open files hold on to the disk's state, not to this object.
class SimFileSystem : public FileSystem {
 public:
  SimFileSystem();
  ~SimFileSystem() override;

  Result<std::unique_ptr<WritableFile>> OpenForWrite(const std::string& path, WriteMode mode,
                                                     int permissions = kPrivateFile) override;
  Result<std::unique_ptr<ReadableFile>> OpenForRead(const std::string& path) override;
  Result<std::unique_ptr<MappedFile>> Map(const std::string& path) override;
  Result<FileInfo> Stat(const std::string& path) override;
  Result<std::vector<std::string>> List(const std::string& directory) override;
  Status MakeDirectories(const std::string& path) override;
  Status Rename(const std::string& from, const std::string& to) override;
  Status Remove(const std::string& path) override;
  Status RemoveTree(const std::string& path) override;
  Status SyncDirectory(const std::string& path) override;
  Result<uint64_t> FreeBytes(const std::string& path) override;

  // Cuts the power: what was not synced is gone; open files fail with kIo from now on. With
  // `random`, each unsynced tail is kept up to a random byte instead (a torn write).
  void CutPower(Random* random = nullptr);
  // Room for all files together; writes past it fail with kDiskFull.
  void SetCapacity(uint64_t bytes);
  // Asked before each changing call ("append", "sync", "open", "rename", "remove", "mkdir",
  // "syncdir") with the path: an error is what the call returns, without effect. Null: no faults.
  using Fault = std::function<Status(const char* what, const std::string& path)>;
  void SetFault(Fault fault);
  // How many changing calls were made so far: sweeps cut the power at each.
  uint64_t changes() const;
  // Flips the bits of `mask` in one byte of a file; for tests of bad content.
  Status Corrupt(const std::string& path, uint64_t offset, uint8_t mask);

  struct State;  // of filesystem.cc

 private:
  std::shared_ptr<State> state_;
};

}  // namespace ferry::sys
