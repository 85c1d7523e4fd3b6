// Writes blocks to the segment that is open, and begins the next one. Internal to the room; the
// caller locks.
#pragma once

#include <memory>
#include <string>

#include "pipeline/log/segments.h"

namespace ferry::log {

// A first head has no names; the segment behind it stays this small, so that the next one has them.
inline constexpr uint64_t kNamelessSegmentBytes = 16 << 10;

class SegmentWriter {
 public:
  SegmentWriter(sys::FileSystem& fs, sys::Clock& clock, sys::Random& random,
                const LogOptions& options)
      : fs_(fs), clock_(clock), random_(random), options_(options) {}

  // From here on segments are of this log, with numbers from `next_segment`. Closes what is open.
  void Begin(const Identity& identity, uint64_t next_segment);
  void Learn(const HeadNames& names) { counts_.AddHead(names); }

  struct Written {
    std::shared_ptr<Segment> began;  // a new segment, or null
    BlockHead block;
    uint64_t at = 0, end = 0;  // of the block in its file
    uint64_t encoded = 0, bytes = 0;
  };
  // On the disk on return. After an error the segment is closed, and the next block begins another.
  Result<Written> Write(const BlockBuilder& block);
  bool HasOpen() const { return file_ != nullptr; }
  uint64_t next_segment() const { return next_segment_; }

 private:
  Status Put(const std::string& bytes);

  sys::FileSystem& fs_;
  sys::Clock& clock_;
  sys::Random& random_;
  const LogOptions& options_;
  Identity identity_;
  NameCounts counts_;
  uint64_t next_segment_ = 1;
  std::unique_ptr<sys::WritableFile> file_;
  std::string path_;
  Head head_;
  uint64_t size_ = 0;
  uint32_t next_block_ = 0;
};

}  // namespace ferry::log
