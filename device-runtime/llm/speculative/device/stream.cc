// Cloud-only: the target goes on alone; the device gives credit and puts what comes in order.
#include <algorithm>

#include "device-runtime/llm/speculative/device/machine.h"

namespace ferry::llm {

// Renews the credit when half of it is used, by the range behind the old one.
void DeviceMachine::AskForTokens() {
  const int64_t most = MostLength();
  if (credit_end_ >= most || credit_end_ - final_ > kStreamCredit / 2) return;
  BeforeAsking();
  const int64_t base = std::max(credit_end_, final_);
  credit_end_ = std::min(most, final_ + kStreamCredit);
  if (base == final_) progress_ns_ = Now();
  SendStream(base, credit_end_ - base);
}

// A count of 0 stops it.
void DeviceMachine::SendStream(int64_t base, int64_t count) {
  SplitFrame frame;
  frame.kind = FrameKind::kStream;
  frame.stream = parts_.stream;
  frame.epoch = static_cast<uint8_t>(epoch_);
  frame.position = static_cast<uint16_t>(base);
  frame.count = static_cast<uint8_t>(count);
  asked_ns_ = Now();
  SendFrame(EncodeFrame(frame, vocabulary_), false);
}

void DeviceMachine::OnTokens(const SplitFrame& frame) {
  if (mode_ != SplitMode::kCloudOnly) return;
  const int64_t base = WidenPosition(frame.position, final_);
  for (size_t i = 0; i < frame.ids.size(); ++i) {
    const int64_t at = base + static_cast<int64_t>(i);
    if (at >= final_ && at < credit_end_) ahead_.emplace(at, frame.ids[i]);
  }
  const int64_t before = final_;
  while (!ahead_.empty() && ahead_.begin()->first == size()) {
    Push(ahead_.begin()->second);
    ahead_.erase(ahead_.begin());
  }
  if (size() == before) return;
  token_gap_.Add(static_cast<double>(Now() - progress_ns_) / kNsPerMs);
  progress_ns_ = Now();
  tries_ = 0;
  synced_ = size();
  Deliver(size(), TokenSource::kCloud);
}

}  // namespace ferry::llm
