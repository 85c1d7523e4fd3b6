// How a channel reads its frames.
#include <algorithm>

#include "common/base/buffers.h"
#include "common/net/frame/link.h"
#include "common/net/server/seats.h"

namespace ferry::net {

size_t Link::most_undelivered() const {
  if (!admitted_) return kMaxUndeliveredStranger;
  return options_.framing == Framing::kCompact ? kMaxUndeliveredCompact : kMaxUndelivered;
}

// A frame comes in pieces: a large one on a slow line is not taken for a dead one, and room grows
// with what came, for a length alone must not cost memory.
void Link::Read() {
  std::span<uint8_t> into;
  if (length_.wants() > 0) {
    into = std::span(head_).first(length_.wants()).subspan(filled_);
  } else {
    if (filled_ == frame_.size()) {
      frame_.resize(std::min(length_.size(), filled_ + std::max(filled_, kFirstPiece)));
    }
    into = std::span(frame_).subspan(filled_);
    into = into.first(std::min(into.size(), BufferBytes(kWritePiece)));
  }
  stream_->async_read_some(asio::buffer(into.data(), into.size()),
                           [self = shared_from_this()](const ErrorCode& error, size_t got) {
                             self->OnRead(error, got);
                           });
}

void Link::OnRead(const ErrorCode& error, size_t got) {
  if (ended_) return;
  if (error && watchdog_->fired()) {
    return End(Status(Code::kDeadlineExceeded, "nothing came for too long"));
  }
  if (error) return End(Status(Code::kUnavailable, "the line broke: " + error.message()));
  if (!closing_) watchdog_->Set(Watchdog::kRead, options_.idle_timeout_ms);
  try {
    if (const Status status = Advance(got); !status.ok()) return End(status);
    if (length_.wants() == 0 && filled_ == length_.size()) return Deliver();
    Read();
  } catch (const std::exception& e) {
    End(Status::Of(Code::kOutOfMemory, "reading a frame: {}", e.what()));
  }
}

Status Link::Advance(size_t got) {
  filled_ += got;
  const size_t wants = length_.wants();
  if (wants == 0 || filled_ < wants) return OkStatus();
  filled_ = 0;
  FERRY_TRY(length_.Push(std::span(head_).first(wants)));
  return length_.wants() == 0 ? CheckSize(length_.size()) : OkStatus();
}

Status Link::CheckSize(size_t size) {
  const size_t most = options_.max_stranger_frame;
  if (admitted_ || size <= most) return OkStatus();
  const Status status =
      Status::Of(Code::kLimitExceeded,
                 "a frame of {} bytes from who has not proved who it is, at most {}", size, most);
  options_.seat->NoteRefusal("frame", status.message());
  return status;
}

void Link::Deliver() {
  const size_t size = length_.size();
  undelivered_ += size + kFrameOverhead;
  length_ = LengthReader(options_.framing);
  filled_ = 0;
  // False: nobody listens any more.
  if (on_frame_(std::exchange(frame_, Bytes()))) WaitForRoom();
}

void Link::WaitForRoom() {
  if (ended_) return;
  if (undelivered_ <= most_undelivered()) {
    if (!closing_) watchdog_->Set(Watchdog::kRead, options_.idle_timeout_ms);
    return Read();
  }
  // It is the user who is slow; but a channel that closes has its own deadline.
  if (!closing_) watchdog_->Clear(Watchdog::kRead);
  if (room_ == nullptr) room_ = std::make_unique<asio::steady_timer>(stream_->get_executor());
  room_->expires_after(std::chrono::seconds(1));  // a wake-up may come just before the wait
  room_->async_wait([self = shared_from_this()](const ErrorCode&) { self->WaitForRoom(); });
}

}  // namespace ferry::net
