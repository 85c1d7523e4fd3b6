// How frames stand on the wire: by their protocol. Pure. For this room only.
#pragma once

#include <cstdint>
#include <string_view>

#include "common/base/bytes.h"

namespace ferry::net {

// u32: length as u32 little-endian. Compact: LEB128, one byte below 128.
enum class Framing { kU32, kCompact };

// That of an ALPN name.
Framing FramingOf(std::string_view protocol);
// Most bytes of one frame, its length not counted.
size_t MaxFrameBytes(Framing framing);
// kLimitExceeded past it.
Status CheckFrameSize(Framing framing, size_t size);
// The frame with its length before it.
Bytes Framed(Framing framing, ByteView frame);

// Reads a length byte by byte.
class LengthReader {
 public:
  explicit LengthReader(Framing framing) : framing_(framing) {}
  // How many bytes to give to Push next; 0: size() is known.
  size_t wants() const { return done_ ? 0 : framing_ == Framing::kU32 ? 4 : 1; }
  // kLimitExceeded: longer than a frame may be; kMalformed: not written in the fewest bytes.
  Status Push(ByteView bytes);
  size_t size() const { return size_; }

 private:
  Framing framing_;
  size_t size_ = 0;
  int shift_ = 0;
  bool done_ = false;
};

}  // namespace ferry::net
