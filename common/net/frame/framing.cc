#include "common/net/frame/framing.h"

#include <algorithm>

#include "common/net/client.h"
#include "common/sys/net.h"

namespace ferry::net {
namespace {

constexpr int kLebBits = 7;
constexpr uint8_t kLebMore = 0x80;

}  // namespace

Framing FramingOf(std::string_view protocol) {
  return protocol == kSplitFrameProtocol ? Framing::kCompact : Framing::kU32;
}

size_t MaxFrameBytes(Framing framing) {
  return framing == Framing::kCompact ? kMaxSplitFrameBytes : sys::kMaxFrameBytes;
}

Status CheckFrameSize(Framing framing, size_t size) {
  const size_t most = MaxFrameBytes(framing);
  if (size <= most) return OkStatus();
  return Status::Of(Code::kLimitExceeded, "a frame of {} bytes, at most {}", size, most);
}

Bytes Framed(Framing framing, ByteView frame) {
  uint8_t head[5];
  size_t head_size = 0;
  if (framing == Framing::kU32) {
    PutU32(head, static_cast<uint32_t>(frame.size()));
    head_size = 4;
  } else {
    size_t rest = frame.size();
    for (; rest >= kLebMore; rest >>= kLebBits) {
      head[head_size++] = static_cast<uint8_t>(rest) | kLebMore;
    }
    head[head_size++] = static_cast<uint8_t>(rest);
  }
  Bytes framed(head_size + frame.size());
  std::copy(head, head + head_size, framed.begin());
  std::copy(frame.begin(), frame.end(), framed.begin() + static_cast<ptrdiff_t>(head_size));
  return framed;
}

Status LengthReader::Push(ByteView bytes) {
  if (framing_ == Framing::kU32) {
    size_ = GetU32(bytes.data());
    done_ = true;
    return CheckFrameSize(framing_, size_);
  }
  const uint8_t byte = bytes[0];
  size_ |= static_cast<size_t>(byte & (kLebMore - 1)) << shift_;
  done_ = (byte & kLebMore) == 0;
  if (done_ && byte == 0 && shift_ > 0) {
    return Status(Code::kMalformed, "a frame's length ends with a byte of nothing");
  }
  shift_ += kLebBits;
  FERRY_TRY(CheckFrameSize(framing_, size_));
  // What follows could only make it longer.
  if (!done_ && (size_t{1} << shift_) > MaxFrameBytes(framing_)) {
    return Status::Of(Code::kLimitExceeded, "a frame's length of more than {} bits", shift_);
  }
  return OkStatus();
}

}  // namespace ferry::net
