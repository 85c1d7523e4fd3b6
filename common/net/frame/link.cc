#include "common/net/frame/link.h"

#include "common/base/buffers.h"
#include "common/net/io/io_impl.h"

namespace ferry::net {

Link::Link(std::shared_ptr<Stream> stream, ChannelOptions options)
    : stream_(std::move(stream)),
      options_(std::move(options)),
      most_undelivered_(options_.framing == Framing::kCompact ? kMaxUndeliveredCompact
                                                              : kMaxUndelivered),
      watchdog_(std::make_shared<Watchdog>(stream_)),
      room_(stream_->get_executor()) {}

Link::~Link() {
  CloseSocket(*stream_);
  if (options_.on_gone) options_.on_gone();
}

void Link::Start(OnFrame on_frame, OnEnd on_end) {
  asio::post(stream_->get_executor(), [self = shared_from_this(), on_frame = std::move(on_frame),
                                       on_end = std::move(on_end)]() mutable {
    if (self->ended_) return on_end(self->end_);
    self->on_end_ = std::move(on_end);
    self->watchdog_->Set(Watchdog::kRead, self->options_.idle_timeout_ms);
    Spawn(self->stream_->get_executor(), self->ReadLoop(std::move(on_frame)), "reading frames");
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

void Link::Taken(size_t bytes) {
  const size_t before = undelivered_.fetch_sub(bytes);
  if (before <= most_undelivered_ || before - bytes > most_undelivered_) return;
  asio::post(stream_->get_executor(), [self = shared_from_this()] { self->room_.cancel(); });
}

// Fills `out` piece by piece, so that a large frame on a slow line is not taken for a dead one.
asio::awaitable<Status> Link::ReadInto(std::span<uint8_t> out) {
  while (!out.empty()) {
    const size_t want = std::min(out.size(), BufferBytes(kWritePiece));
    auto [error, got] = co_await stream_->async_read_some(asio::buffer(out.data(), want), kUse);
    if (error) {
      if (watchdog_->fired()) {
        co_return Status(Code::kDeadlineExceeded, "nothing came for too long");
      }
      co_return Status(Code::kUnavailable, "the line broke: " + error.message());
    }
    if (!closing_) watchdog_->Set(Watchdog::kRead, options_.idle_timeout_ms);
    out = out.subspan(got);
  }
  co_return OkStatus();
}

asio::awaitable<void> Link::ReadLoop(OnFrame on_frame) {
  const auto self = shared_from_this();
  Status status;
  while (status.ok()) {
    LengthReader length(options_.framing);
    while (status.ok() && length.wants() > 0) {
      uint8_t head[kLengthBytes];
      const auto wanted = std::span(head).first(length.wants());
      status = co_await ReadInto(wanted);
      if (status.ok()) status = length.Push(wanted);
    }
    if (!status.ok()) break;
    const size_t size = length.size();
    Bytes frame;
    // Room grows with what came: a length alone must not cost the server 4 MiB.
    while (status.ok() && frame.size() < size) {
      const size_t at = frame.size();
      frame.resize(std::min<size_t>(size, at + std::max(at, kWritePiece)));
      status = co_await ReadInto(std::span(frame).subspan(at));
    }
    if (!status.ok()) break;
    undelivered_ += size + kFrameOverhead;
    if (!on_frame(std::move(frame))) co_return;
    while (undelivered_ > most_undelivered_ && !ended_) {
      // It is the user who is slow; but a channel that closes has its own deadline.
      if (!closing_) watchdog_->Clear(Watchdog::kRead);
      room_.expires_after(std::chrono::seconds(1));  // a wake-up may come just before the wait
      co_await room_.async_wait(kUse);
    }
    if (!closing_) watchdog_->Set(Watchdog::kRead, options_.idle_timeout_ms);
  }
  End(std::move(status));
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
  room_.cancel();
  CloseSocket(*stream_);
  queue_.clear();
  if (on_end_) std::exchange(on_end_, nullptr)(std::move(why));
}

}  // namespace ferry::net
