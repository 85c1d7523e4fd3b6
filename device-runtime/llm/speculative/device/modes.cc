// Changing the mode between two tokens.
#include <algorithm>

#include "device-runtime/llm/speculative/device/machine.h"

namespace ferry::llm {

void DeviceMachine::EnterMode(SplitMode mode, const Status& why) {
  mode_ = mode;
  if (mode == SplitMode::kCloudOnly) {
    Truncate(final_);
    ++generation_;  // a draft that is being made comes too late
  }
  if (events_.on_mode) events_.on_mode(mode, why);
}

// Ends rounds and streams; what is under way belongs to an epoch of the past. The server's log
// keeps it, so that nothing has to be computed twice.
void DeviceMachine::LeaveRounds() {
  flights_.clear();
  ahead_.clear();
  sent_ = credit_end_ = final_;
  tries_ = 0;
  if (line_ == Line::kOpening) return;  // no rounds yet
  ++epoch_;
  if (mode_ == SplitMode::kCloudOnly && line_ == Line::kReady) SendStream(final_, 0);
}

void DeviceMachine::ApplyMode(SplitMode mode) {
  if (mode == wanted_) return;
  if (mode != SplitMode::kDeviceOnly && parts_.link == nullptr) {
    if (events_.on_mode) {
      events_.on_mode(mode_, Status::Of(Code::kFailedPrecondition, "{} needs a link to the cloud",
                                        SplitModeName(mode)));
    }
    return;
  }
  if (mode != SplitMode::kCloudOnly && drafter_ == nullptr) {
    if (events_.on_mode) {
      events_.on_mode(mode_, Status::Of(Code::kFailedPrecondition, "{} needs a draft model",
                                        SplitModeName(mode)));
    }
    return;
  }
  const bool alone = FallbackInForce();
  wanted_ = mode;
  if (mode == SplitMode::kDeviceOnly) {
    if (!alone) LeaveRounds();
    line_ = Line::kOff;
    hold_ = false;
    ping_pending_ = false;
    if (!alone) EnterMode(mode, OkStatus());
    return;
  }
  if (alone) {  // it comes into force when the link is back
    if (line_ == Line::kRefused) Reopen();
    return;
  }
  if (mode_ == SplitMode::kDeviceOnly) {
    EnterMode(mode, OkStatus());
    return Reopen();
  }
  LeaveRounds();
  EnterMode(mode, OkStatus());
}

}  // namespace ferry::llm
