// Lines that end by the server's wish: the device is told when to come back.
#include "cloud-server/gateway/session.h"
#include "cloud-server/rollout/rollout.h"

namespace ferry::server {

void Session::SendAway(const Status& why, int64_t after_ms) {
  if (state_ == State::kClosed) return;
  ++gateway_.sent_away_;
  SendError(why, true, after_ms);
  if (state_ == State::kReady) options().rollout->QueueSeen(device_);
  state_ = State::kClosed;
  subscription_.reset();
  channel_->Close();  // on_close then forgets the session
}

// Drawn, so that lines which began together do not end together.
void Session::ScheduleEnd() {
  const int64_t life_ms = options().session_life_ms;
  if (life_ms <= 0) return;
  const int64_t fifth_ms = life_ms / 5;
  const int64_t drawn_ms =
      life_ms - fifth_ms +
      static_cast<int64_t>(options().random->Below(static_cast<uint64_t>(2 * fifth_ms) + 1));
  executor_.Cancel(life_timer_);
  life_timer_ = executor_.PostAfter(drawn_ms, [weak = weak_from_this()] {
    const auto self = weak.lock();
    if (self != nullptr)
      self->SendAway(Status(Code::kUnavailable, "this line has lived its time: come back"),
                     kSoonComeBackMs);
  });
}

}  // namespace ferry::server
