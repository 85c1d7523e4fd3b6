#include "common/net/frame/link.h"

#include "common/base/buffers.h"
#include "common/net/io/io_impl.h"
#include "common/net/server/seats.h"

namespace ferry::net {

Link::Link(std::shared_ptr<Stream> stream, ChannelOptions options)
    : stream_(std::move(stream)),
      options_(std::move(options)),
      admitted_(options_.seat == nullptr),
      watchdog_(std::make_shared<Watchdog>(stream_)),
      length_(options_.framing) {}

Link::~Link() {
  CloseSocket(*stream_);
}

void Link::Start(OnFrame on_frame, OnEnd on_end) {
  asio::post(stream_->get_executor(), [self = shared_from_this(), on_frame = std::move(on_frame),
                                       on_end = std::move(on_end)]() mutable {
    if (self->ended_) return on_end(self->end_);
    self->on_frame_ = std::move(on_frame);
    self->on_end_ = std::move(on_end);
    self->watchdog_->Set(Watchdog::kRead, self->options_.idle_timeout_ms);
    self->Read();
  });
}

void Link::Send(Bytes framed) {
  asio::post(stream_->get_executor(),
             [self = shared_from_this(), framed = std::move(framed)]() mutable {
               if (self->ended_) return;
               self->queue_.push_back(std::move(framed));
               self->WakeWriter();
             });
}

void Link::Close() {
  asio::post(stream_->get_executor(), [self = shared_from_this()] {
    if (self->ended_ || self->closing_) return;
    self->closing_ = true;
    self->watchdog_->Set(Watchdog::kRead, kCloseMs);
    self->WakeWriter();
  });
}

void Link::Admit() {
  if (admitted_.exchange(true)) return;
  options_.seat->Admit();
}

size_t Link::most_queued() const {
  return admitted_ ? sys::kMaxQueuedSendBytes : kMaxQueuedStranger;
}

void Link::Taken(size_t bytes) {
  const size_t before = undelivered_.fetch_sub(bytes);
  const size_t most = most_undelivered();
  if (before <= most || before - bytes > most) return;
  asio::post(stream_->get_executor(), [self = shared_from_this()] {
    if (self->room_ != nullptr) self->room_->cancel();
  });
}

void Link::WakeWriter() {
  if (writing_) return;
  writing_ = true;
  Spawn(stream_->get_executor(), WriteLoop(), "writing frames");
}

asio::awaitable<void> Link::WriteLoop() {
  const auto self = shared_from_this();
  while (!queue_.empty() && !ended_) {
    const Bytes framed = std::move(queue_.front());
    queue_.pop_front();
    ByteView rest(framed);
    while (!rest.empty()) {
      const ByteView piece = rest.first(std::min(rest.size(), BufferBytes(kWritePiece)));
      watchdog_->Set(Watchdog::kWrite, kWriteStallMs);
      auto [error, put] =
          co_await asio::async_write(*stream_, asio::buffer(piece.data(), piece.size()), kUse);
      watchdog_->Clear(Watchdog::kWrite);
      if (error) {
        End(Status(watchdog_->fired() ? Code::kDeadlineExceeded : Code::kUnavailable,
                   "the line broke: " + error.message()));
        co_return;
      }
      rest = rest.subspan(put);
    }
    queued -= framed.size() + kFrameOverhead;
  }
  writing_ = false;
  if (closing_ && !ended_) co_await Shut();
}

// Tells the peer that nothing was cut off, then closes.
asio::awaitable<void> Link::Shut() {
  writing_ = true;
  watchdog_->Set(Watchdog::kWrite, kCloseMs);
  co_await stream_->async_shutdown(kUse);
  End(Status(Code::kCancelled, "closed here"));
}

void Link::End(Status why) {
  if (ended_) return;
  ended_ = true;
  end_ = why;
  watchdog_->Stop();
  if (room_ != nullptr) room_->cancel();
  CloseSocket(*stream_);
  queue_.clear();
  frame_ = Bytes();
  on_frame_ = nullptr;
  if (on_end_) std::exchange(on_end_, nullptr)(std::move(why));
}

}  // namespace ferry::net
