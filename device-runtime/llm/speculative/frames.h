// The split's wire form: rounds in a few bytes. A frame on the wire is its length (LEB128: one byte
// below 128) and these bytes. The protocol is drawn in README.md of this folder.
//
//   byte 0: kind in the upper 3 bits, stream in the lower 5
//   draft    (device)  epoch u8, base u16, ids; base is the device's final length
//   follow   (device)  the same, but continues the drafts of its epoch before base
//   verdict  (server)  epoch u8, length u16, one id
//   tokens   (server)  epoch u8, base u16, ids: the cloud goes on alone
//   stream   (device)  epoch u8, base u16, count u8: asks for tokens [base, base + count); 0: stop
//   control  (both)    proto::SplitControl
//
// u16 are positions modulo 65536, little-endian; ids are packed at IdBits(vocabulary) bits each,
// the lowest bit first; how many there are follows from the frame's length.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "common/base/bytes.h"
#include "common/base/status.h"
#include "device-runtime/llm/model.h"

namespace ferry::proto {
class SplitControl;
}

namespace ferry::llm {

inline constexpr uint32_t kSplitProtocol = 1;
inline constexpr int kMaxStreams = 32;              // of one connection; control of all on stream 0
inline constexpr int64_t kMaxDraftTokens = 64;      // of one draft or tokens frame
inline constexpr size_t kMaxSplitFrame = 64 << 10;  // bytes after the length
inline constexpr size_t kMaxContextIds = 8192;      // of one SplitContext

enum class FrameKind : uint8_t {
  kDraft = 0,
  kVerdict = 1,
  kTokens = 2,
  kStream = 3,
  kFollow = 4,
  kControl = 7
};

struct SplitFrame {
  FrameKind kind = FrameKind::kControl;
  uint8_t stream = 0;
  uint8_t epoch = 0;         // the low bits of the session's epoch
  uint16_t position = 0;     // base or length, modulo 65536
  uint8_t count = 0;         // kStream
  std::vector<TokenId> ids;  // kDraft and kFollow (may be none), kTokens; one for kVerdict
  ByteView control;          // kControl: protobuf bytes, inside the frame's
};

// Bits of one id: enough for the vocabulary, and at least 8, so that padding is never an id.
int IdBits(int64_t vocabulary);
Bytes EncodeFrame(const SplitFrame& frame, int64_t vocabulary);
Bytes EncodeControl(uint8_t stream, const proto::SplitControl& control);
// kMalformed for anything else than a whole frame; ids may lie outside the vocabulary (a hostile
// draft), callers check. For control, `vocabulary` does not matter.
Result<SplitFrame> DecodeFrame(ByteView bytes, int64_t vocabulary);
// Bytes on the wire of a frame of `size` bytes: with its length.
constexpr size_t WireBytes(size_t size) {
  return size + (size < 128 ? 1 : size < 16384 ? 2 : 3);
}

// The position nearest to `around` that is `low` modulo 65536 and not negative.
int64_t WidenPosition(uint16_t low, int64_t around);
// First 16 bytes of SHA-256 over the ids as u32 little-endian.
std::array<uint8_t, 16> ContextDigest(std::span<const TokenId> ids);

}  // namespace ferry::llm
