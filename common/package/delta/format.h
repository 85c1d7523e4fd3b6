// The tensor-aware delta, format 1. All numbers are little-endian. Private to common/package.
//
//   4  "FDT1"
//   8  length of the new file
//   8  length of the base
//   then chunks, each of at most kMaxChunkBytes of the new file, in order:
//     4  length of the new bytes       4  segments
//     4  length of the coded numbers   4  length of the zstd frame with the literals (0: none)
//     8  where in the base the frame's prefix begins   4  its length
//     kSegmentBytes a segment, the coded numbers, the frame
//   A segment: 1 mode, 3 zeros, 4 length, 4 numbers in a row, 8 where in the base it begins.
//
// Every chunk's numbers end exactly where the coder does; its frame opens to exactly its literals.
#pragma once

#include <array>
#include <cstddef>

#include "common/base/bytes.h"
#include "common/package/delta/numbers.h"

namespace ferry::package::delta {

inline constexpr std::array<uint8_t, 4> kMagic = {'F', 'D', 'T', '1'};
inline constexpr size_t kHeaderBytes = 20;
inline constexpr size_t kChunkHeaderBytes = 28;
inline constexpr size_t kSegmentBytes = 20;
inline constexpr uint32_t kMaxChunkBytes = 4 << 20;
inline constexpr uint32_t kMaxSegments = 8192;  // of a chunk
// What a chunk may bring: numbers and literals hardly grow when they are coded.
inline constexpr uint32_t kMaxCodedBytes = kMaxChunkBytes + (kMaxChunkBytes >> 2);
inline constexpr uint32_t kMaxPrefixBytes = 16 << 20;
inline constexpr int kLiteralWindowLog = 25;  // prefix and literals

struct Segment {
  Mode mode = Mode::kEqual;
  uint32_t length = 0;
  uint32_t stride = 1;
  uint64_t from = 0;  // in the base
};

struct ChunkHeader {
  uint32_t length = 0;
  uint32_t segments = 0;
  uint32_t coded = 0;
  uint32_t frame = 0;
  uint64_t prefix_from = 0;
  uint32_t prefix = 0;
};

}  // namespace ferry::package::delta
