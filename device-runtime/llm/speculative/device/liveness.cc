// Is the link there? Time-outs, repeated tries, pings, and what happens when it goes or comes back.
#include <algorithm>
#include <cmath>

#include "device-runtime/llm/speculative/device/machine.h"

namespace ferry::llm {

namespace {

constexpr double kFirstProbeMs = 250;
constexpr double kOpenedTimeoutMs =
    500;  // the server reads a context: its pings tell that it lives

int64_t Ns(double ms) {
  return static_cast<int64_t>(std::ceil(ms * kNsPerMs));
}

}  // namespace

// Something was asked that is not answered yet.
bool DeviceMachine::Waiting() const {
  if (ping_pending_ || line_ == Line::kOpening) return true;
  if (line_ != Line::kReady) return false;
  if (mode_ == SplitMode::kCloudOnly) return credit_end_ > final_;
  return !flights_.empty();
}

void DeviceMachine::BeforeAsking() {
  if (!Waiting()) silent_since_ns_ = Now();
}

void DeviceMachine::Heard() {
  silent_since_ns_ = Now();
  if (line_ == Line::kLost) Reopen();
}

void DeviceMachine::SendPing() {
  BeforeAsking();
  proto::SplitControl control;
  control.mutable_ping()->set_value(++ping_value_);
  ping_pending_ = true;
  ping_ns_ = Now();
  SendControl(control);
}

void DeviceMachine::OnPong(uint32_t value) {
  if (!ping_pending_ || value != ping_value_) return;
  ping_pending_ = false;
  controller_.AddRoundTrip(static_cast<double>(Now() - ping_ns_) / kNsPerMs);
}

// A connection that broke or is there again, as the link itself says.
void DeviceMachine::OnLink(bool up) {
  link_down_ = !up;
  if (!up) {
    if (line_ != Line::kOff) OnGone(Status::Of(Code::kUnavailable, "the connection broke"));
    return;
  }
  ping_pending_ = false;
  if (line_ != Line::kOff) Reopen();  // another server may take what one refused
}

void DeviceMachine::OnGone(const Status& why) {
  if (!CanGoOnAlone()) return;  // tries go on
  ping_pending_ = false;
  line_ = Line::kLost;
  hold_ = false;
  probe_ms_ = kFirstProbeMs;
  asked_ns_ = Now();
  if (mode_ == SplitMode::kDeviceOnly) return;
  LeaveRounds();
  ++stats_.fallbacks;
  EnterMode(SplitMode::kDeviceOnly, why);
}

double DeviceMachine::ResendAfterMs() const {
  double ms = controller_.AnswerTimeoutMs();
  if (line_ == Line::kOpening) {
    if (opened_) ms = std::max(ms, kOpenedTimeoutMs);
  } else if (mode_ == SplitMode::kSplit) {
    ms = controller_.RoundTimeoutMs();
  } else {
    const double gap_ms = token_gap_.known() ? token_gap_.mean_ms() + 4 * token_gap_.deviation_ms()
                                             : kOpenedTimeoutMs;
    ms += std::max(gap_ms, ms);
  }
  ms *= std::exp2(std::min(tries_, 10));
  return std::min(ms, std::max(kMostTimeoutMs, 4 * controller_.round_trip_ms()));
}

// Repeats what is not answered. Nothing is repeated that the server could take for something new.
void DeviceMachine::Resend() {
  ++tries_;
  if (line_ == Line::kOpening) {
    ++stats_.retransmits;
    return SendOpen();
  }
  if (tries_ >= kReopenTries) return Reopen();
  if (mode_ == SplitMode::kSplit) return ResendRound();
  ++stats_.retransmits;
  SendStream(final_, credit_end_ - final_);
}

int64_t DeviceMachine::NextDeadline() const {
  int64_t next = INT64_MAX;
  if (line_ == Line::kLost && !link_down_) next = asked_ns_ + Ns(probe_ms_);
  if (line_ == Line::kRefused) next = retry_at_ns_;
  if (line_ == Line::kReady || line_ == Line::kOpening) {
    const double gone_ms = controller_.GoneMs();
    if (Waiting()) {
      const int64_t last = mode_ == SplitMode::kCloudOnly && line_ == Line::kReady
                               ? std::max(asked_ns_, progress_ns_)
                               : asked_ns_;
      const bool asked =
          line_ == Line::kOpening || !flights_.empty() || mode_ == SplitMode::kCloudOnly;
      if (asked) next = std::min(next, last + Ns(ResendAfterMs()));
      if (CanGoOnAlone()) next = std::min(next, silent_since_ns_ + Ns(gone_ms));
      // A slow answer is no silence: ask whether the other side lives.
      const double probe_ms = std::min(
          gone_ms / 2, std::max(controller_.RoundTimeoutMs(), controller_.AnswerTimeoutMs()));
      next = std::min(next, std::max(silent_since_ns_, ping_ns_) + Ns(probe_ms));
    }
    if (line_ == Line::kReady) next = std::min(next, ping_ns_ + kPingEveryMs * kNsPerMs);
  }
  return next;
}

void DeviceMachine::Arm() {
  const int64_t due = NextDeadline();
  if (timer_ && due == timer_due_ns_) return;
  if (timer_) parts_.executor->Cancel(*timer_);
  timer_.reset();
  if (due == INT64_MAX) return;
  timer_due_ns_ = due;
  const int64_t delay_ms = std::max<int64_t>(0, (due - Now() + kNsPerMs - 1) / kNsPerMs);
  timer_ = parts_.executor->PostAfter(delay_ms, [this, alive = std::weak_ptr<int>(alive_)] {
    if (alive.expired()) return;
    timer_.reset();
    Enter([this] { OnTimer(); });
  });
}

void DeviceMachine::OnTimer() {
  const int64_t now = Now();
  // Late: this executor was busy, and what arrived meanwhile waits behind this timer. Read it
  // first, but give way only once: who drafts slowly is always late.
  const int64_t late_ns = now - timer_due_ns_;
  late_once_ = !late_once_ && late_ns > kLateTimerMs * kNsPerMs;
  if (late_once_) {
    silent_since_ns_ = std::min(now, silent_since_ns_ + late_ns);
    asked_ns_ = std::min(now, asked_ns_ + late_ns);
    progress_ns_ = std::min(now, progress_ns_ + late_ns);
    ping_ns_ = std::min(now, ping_ns_ + late_ns);
    return;
  }
  if (line_ == Line::kLost) {
    if (link_down_) return;
    asked_ns_ = now;
    probe_ms_ = std::min(probe_ms_ * 1.5, kMostTimeoutMs);
    return SendPing();
  }
  if (line_ == Line::kRefused) {
    if (now >= retry_at_ns_) Reopen();
    return;
  }
  if (line_ != Line::kReady && line_ != Line::kOpening) return;
  if (Waiting()) {
    const double silent_ms = static_cast<double>(now - silent_since_ns_) / kNsPerMs;
    if (CanGoOnAlone() && silent_ms >= controller_.GoneMs()) {
      OnGone(Status::Of(Code::kUnavailable, "the link was silent for {:.0f} ms", silent_ms));
      return;
    }
    const bool asked =
        line_ == Line::kOpening || !flights_.empty() || mode_ == SplitMode::kCloudOnly;
    const int64_t last = mode_ == SplitMode::kCloudOnly && line_ == Line::kReady
                             ? std::max(asked_ns_, progress_ns_)
                             : asked_ns_;
    if (asked && now >= last + Ns(ResendAfterMs())) Resend();
    const double probe_ms =
        std::min(controller_.GoneMs() / 2,
                 std::max(controller_.RoundTimeoutMs(), controller_.AnswerTimeoutMs()));
    if (now >= std::max(silent_since_ns_, ping_ns_) + Ns(probe_ms)) SendPing();
  }
  if (line_ == Line::kReady && now >= ping_ns_ + kPingEveryMs * kNsPerMs) SendPing();
}

void DeviceMachine::SendFrame(const Bytes& frame, bool setup) {
  const auto wire = static_cast<int64_t>(WireBytes(frame.size()));
  stats_.bytes_up += wire;
  if (setup) stats_.setup_bytes_up += wire;
  parts_.link->Send(frame);
}

}  // namespace ferry::llm
