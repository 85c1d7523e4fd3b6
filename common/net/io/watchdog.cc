#include "common/net/io/watchdog.h"

namespace ferry::net {

void Watchdog::Set(Deadline which, int64_t ms_from_now) {
  deadlines_[which] = std::chrono::steady_clock::now() + std::chrono::milliseconds(ms_from_now);
  // A timer that fires early arms itself again, so that progress costs no timer operation.
  if (deadlines_[which] < armed_) Arm();
}

void Watchdog::Stop() {
  stopped_ = true;
  timer_.cancel();
}

void Watchdog::Arm() {
  if (stopped_ || fired_) return;
  armed_ = *std::min_element(deadlines_, deadlines_ + kDeadlines);
  if (armed_ == Time::max()) return;
  timer_.expires_at(armed_);
  timer_.async_wait([self = shared_from_this(), armed = armed_](const ErrorCode&) {
    if (self->stopped_ || self->fired_ || armed != self->armed_) return;
    const Time now = std::chrono::steady_clock::now();
    self->armed_ = Time::max();
    if (std::any_of(self->deadlines_, self->deadlines_ + kDeadlines,
                    [now](Time t) { return t <= now; })) {
      self->fired_ = true;
      CloseSocket(*self->stream_);
      return;
    }
    self->Arm();
  });
}

void CloseSocket(Stream& stream) {
  ErrorCode ignored;
  stream.next_layer().shutdown(tcp::socket::shutdown_both, ignored);
  stream.next_layer().close(ignored);
}

}  // namespace ferry::net
