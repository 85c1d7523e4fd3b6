// Events as JSON lines from a file that is tailed, a FIFO or standard input, each given again after
// a kill until what it led to is committed.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/base/status.h"
#include "common/sys/filesystem.h"
#include "pipeline/store/outbox.h"

namespace ferry::device {

inline constexpr size_t kMaxLineBytes = 4 << 20;   // one event; a longer line is skipped
inline constexpr size_t kMaxSpoolBytes = 1 << 20;  // of the lines that are spooled at once

// One thread at a time. Reads never block.
//
// A regular file is its own log: an event's number is where its line ends. What comes out of a pipe
// goes to the outbox's spool first. How far the log was worked off is in the outbox, where it is
// committed with what the events led to.
class EventSource {
 public:
  // `path`: "-" for standard input. A file that does not exist yet is waited for. `position_file`
  // is a twin file in which an older version kept how far a regular file was read; where no copy of
  // it can be read, events are read from the end of the file on. What is passed in outlives this.
  EventSource(sys::FileSystem& fs, std::string path, std::string position_file,
              store::Outbox& outbox);
  ~EventSource();

  // Gives up to `max_lines` complete new lines with their numbers to `take`.
  using Take = std::function<void(const std::string& line, uint64_t number)>;
  Status Read(size_t max_lines, const Take& take);

 private:
  Status Open();
  Status OpenFile(uint64_t size);
  Status OpenSpool();
  // How far an older version has read.
  Result<uint64_t> OldPosition(uint64_t size);
  Result<size_t> ReadPiece();  // bytes added to pending_
  // The next whole line in pending_, or what of a pipe can be read; nullopt: there is none.
  struct Line {
    std::string text;
    uint64_t end = 0;  // in a regular file
  };
  Result<std::optional<Line>> NextLine();
  Status ReadFileLines(size_t max_lines, const Take& take);
  Status SpoolLines(size_t max_lines);
  Status GiveSpooled(size_t max_lines, const Take& take);

  sys::FileSystem& fs_;
  std::string path_;
  std::string position_file_;
  store::Outbox& outbox_;
  int fd_ = -1;
  bool regular_ = false;
  bool skipping_ = false;  // inside a line that is too long
  uint64_t position_ = 0;  // of the first byte of pending_, in a regular file
  std::string pending_;    // read and no whole line yet
  std::vector<std::string> unspooled_;
  uint64_t given_ = 0;     // the last spooled event that was given
  bool all_given_ = true;  // of the spool
};

}  // namespace ferry::device
