// The segments of a log that are on the disk: found, indexed, read, dropped. Internal to the room.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "common/sys/filesystem.h"
#include "pipeline/log/identity.h"
#include "pipeline/log/segment.h"

namespace ferry::log {

inline constexpr uint64_t kIndexBytes = 16 << 10;  // of a segment, for one entry of its index

// What is known of one file. Only the writer changes it, under the log's lock of what waits.
struct Segment {
  Head head;
  std::string path;
  uint64_t begin = 0, end = 0;   // of its good blocks in the file
  uint64_t first = 0, last = 0;  // numbers; 0 while it has none
  uint64_t events = 0;
  int64_t last_arrival_ms = 0;
  struct Mark {
    uint64_t first = 0, at = 0;  // a block's first number and place
  };
  std::vector<Mark> marks;  // every kIndexBytes or more, the first block too

  void Add(const BlockHead& block, uint64_t at, uint64_t block_end);
};
using SegmentPtr = std::shared_ptr<const Segment>;

std::string SegmentPath(const std::string& directory, uint64_t segment);

// What a start finds. Files of other names are left alone; erased segments are removed.
struct FoundSegments {
  std::vector<std::shared_ptr<Segment>> segments;  // in order, each with an event
  uint64_t next_segment = 1;                       // above all files that are there
};
Result<FoundSegments> FindSegments(sys::FileSystem& fs, const std::string& directory,
                                   const Identity& identity, LogStats* stats);

// Gives the events of [from, to] of one segment, as it was when it was copied; `*given` is the last
// number that was given. False when `take` returned false.
Result<bool> ReadSegment(sys::FileSystem& fs, const Segment& segment, uint64_t from, uint64_t to,
                         const std::function<bool(const Entry&)>& take, uint64_t* given);

}  // namespace ferry::log
