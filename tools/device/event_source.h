// Events as JSON lines from a file that is tailed, a FIFO or standard input.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "common/base/status.h"
#include "common/sys/filesystem.h"
#include "device-runtime/agent/state/twin_file.h"

namespace ferry::device {

inline constexpr size_t kMaxLineBytes = 4 << 20;  // one event; a longer line is skipped

// One thread at a time. Reads never block.
class EventSource {
 public:
  // `path`: "-" for standard input. A file that does not exist yet is waited for. How far a
  // regular file was read is kept in `position_file`, a twin file, so that a restart does not give
  // events twice. Where no copy of it can be read, events are read from the end of the file on.
  EventSource(sys::FileSystem& fs, std::string path, std::string position_file);
  ~EventSource();

  // Gives up to `max_lines` complete new lines to `take`, then remembers the position.
  Status Read(size_t max_lines, const std::function<void(const std::string& line)>& take);

 private:
  Status Open();
  Result<size_t> ReadPiece();  // bytes added to pending_
  Status SavePosition();

  std::string path_;
  agent::TwinFile position_file_;
  int fd_ = -1;
  bool regular_ = false;
  bool skipping_ = false;  // inside a line that is too long
  uint64_t position_ = 0;  // of the first byte of pending_, in a regular file
  uint64_t saved_ = 0;
  std::string pending_;  // read and not yet given
};

}  // namespace ferry::device
