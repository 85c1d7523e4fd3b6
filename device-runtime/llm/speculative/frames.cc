#include "device-runtime/llm/speculative/frames.h"

#include <bit>

#include "common/crypto/hash.h"
#include "common/proto/split.pb.h"

namespace ferry::llm {
namespace {

constexpr int kStreamBits = 5;
constexpr size_t kRoundHeader = 4;  // kind and stream, epoch, position
constexpr int kMinIdBits = 8;

size_t PackedBytes(size_t count, int bits) {
  return (count * static_cast<size_t>(bits) + 7) / 8;
}

void PackIds(std::span<const TokenId> ids, int bits, Bytes* out) {
  uint64_t pending = 0;
  int held = 0;
  const uint64_t mask = (uint64_t{1} << bits) - 1;
  for (TokenId id : ids) {
    pending |= (static_cast<uint64_t>(static_cast<uint32_t>(id)) & mask) << held;
    for (held += bits; held >= 8; held -= 8) {
      out->push_back(static_cast<uint8_t>(pending));
      pending >>= 8;
    }
  }
  if (held > 0) out->push_back(static_cast<uint8_t>(pending));
}

// One form only: the fewest bytes, padding zero.
Result<std::vector<TokenId>> UnpackIds(ByteView bytes, int bits) {
  const size_t count = bytes.size() * 8 / static_cast<size_t>(bits);
  if (PackedBytes(count, bits) != bytes.size()) {
    return Status::Of(Code::kMalformed, "{} bytes are no packed ids of {} bits", bytes.size(),
                      bits);
  }
  std::vector<TokenId> ids;
  ids.reserve(count);
  uint64_t pending = 0;
  int held = 0;
  const uint64_t mask = (uint64_t{1} << bits) - 1;
  for (uint8_t byte : bytes) {
    pending |= static_cast<uint64_t>(byte) << held;
    held += 8;
    if (held < bits) continue;
    ids.push_back(static_cast<TokenId>(pending & mask));
    pending >>= bits;
    held -= bits;
  }
  if (pending != 0) return Status::Of(Code::kMalformed, "padding of packed ids is not zero");
  return ids;
}

// How many ids, or which size, each kind of round has.
Status CheckRound(const SplitFrame& frame) {
  const auto count = static_cast<int64_t>(frame.ids.size());
  if (frame.kind == FrameKind::kVerdict && count != 1) {
    return Status::Of(Code::kMalformed, "a verdict with {} ids", count);
  }
  if (frame.kind == FrameKind::kTokens && count == 0) {
    return Status::Of(Code::kMalformed, "a tokens frame without ids");
  }
  if (count > kMaxDraftTokens) {
    return Status::Of(Code::kMalformed, "a frame of {} ids; at most {}", count, kMaxDraftTokens);
  }
  if (frame.kind == FrameKind::kFollow && count == 0) {
    return Status::Of(Code::kMalformed, "a chunk without ids");
  }
  return OkStatus();
}

}  // namespace

int IdBits(int64_t vocabulary) {
  if (vocabulary <= int64_t{1} << kMinIdBits) return kMinIdBits;
  return std::bit_width(static_cast<uint64_t>(vocabulary - 1));
}

Bytes EncodeFrame(const SplitFrame& frame, int64_t vocabulary) {
  Bytes out;
  const int bits = IdBits(vocabulary);
  out.reserve(kRoundHeader + PackedBytes(frame.ids.size(), bits) + frame.control.size());
  out.push_back(static_cast<uint8_t>(static_cast<int>(frame.kind) << kStreamBits |
                                     (frame.stream & (kMaxStreams - 1))));
  if (frame.kind == FrameKind::kControl) {
    out.insert(out.end(), frame.control.begin(), frame.control.end());
    return out;
  }
  out.push_back(frame.epoch);
  out.push_back(static_cast<uint8_t>(frame.position));
  out.push_back(static_cast<uint8_t>(frame.position >> 8));
  if (frame.kind == FrameKind::kStream) {
    out.push_back(frame.count);
  } else {
    PackIds(frame.ids, bits, &out);
  }
  return out;
}

Bytes EncodeControl(uint8_t stream, const proto::SplitControl& control) {
  const std::string body = control.SerializeAsString();
  SplitFrame frame;
  frame.kind = FrameKind::kControl;
  frame.stream = stream;
  frame.control = AsBytes(body);
  return EncodeFrame(frame, 0);
}

Result<SplitFrame> DecodeFrame(ByteView bytes, int64_t vocabulary) {
  if (bytes.empty() || bytes.size() > kMaxSplitFrame) {
    return Status::Of(Code::kMalformed, "a frame of {} bytes", bytes.size());
  }
  SplitFrame frame;
  frame.stream = bytes[0] & (kMaxStreams - 1);
  frame.kind = static_cast<FrameKind>(bytes[0] >> kStreamBits);
  if (frame.kind == FrameKind::kControl) {
    frame.control = bytes.subspan(1);
    return frame;
  }
  if (frame.kind > FrameKind::kFollow) {
    return Status::Of(Code::kMalformed, "a frame of unknown kind {}", bytes[0] >> kStreamBits);
  }
  if (bytes.size() < kRoundHeader) {
    return Status::Of(Code::kMalformed, "a round of {} bytes", bytes.size());
  }
  frame.epoch = bytes[1];
  frame.position = static_cast<uint16_t>(bytes[2] | bytes[3] << 8);
  const ByteView rest = bytes.subspan(kRoundHeader);
  if (frame.kind == FrameKind::kStream) {
    if (rest.size() != 1) return Status::Of(Code::kMalformed, "a stream frame's size");
    frame.count = rest[0];
    return frame;
  }
  const int bits = IdBits(vocabulary);
  if (rest.size() > PackedBytes(kMaxDraftTokens, bits)) {
    return Status::Of(Code::kMalformed, "a round of {} bytes", bytes.size());
  }
  FERRY_ASSIGN_OR_RETURN(frame.ids, UnpackIds(rest, bits));
  FERRY_TRY(CheckRound(frame));
  return frame;
}

int64_t WidenPosition(uint16_t low, int64_t around) {
  constexpr int64_t kWrap = 65536;
  int64_t position = around - (around & (kWrap - 1)) + low;
  if (position > around + kWrap / 2) position -= kWrap;
  if (position < around - kWrap / 2) position += kWrap;
  return position < 0 ? position + kWrap : position;
}

std::array<uint8_t, 16> ContextDigest(std::span<const TokenId> ids) {
  crypto::Sha256Stream stream;
  for (TokenId id : ids) {
    uint8_t bytes[4];
    PutU32(bytes, static_cast<uint32_t>(id));
    stream.Update(bytes);
  }
  const crypto::Sha256Digest digest = stream.Finish();
  std::array<uint8_t, 16> out;
  std::copy_n(digest.begin(), out.size(), out.begin());
  return out;
}

}  // namespace ferry::llm
