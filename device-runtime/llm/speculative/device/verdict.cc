// Frames that arrive, and what a verdict says: drafts become final, or are thrown away.
#include <algorithm>

#include "device-runtime/llm/speculative/device/machine.h"

namespace ferry::llm {

void DeviceMachine::OnFrame(ByteView bytes) {
  const auto wire = static_cast<int64_t>(WireBytes(bytes.size()));
  stats_.bytes_down += wire;
  Result<SplitFrame> frame = DecodeFrame(bytes, std::max<int64_t>(vocabulary_, 2));
  if (!frame.ok()) return;
  if (frame->kind == FrameKind::kControl) {
    stats_.setup_bytes_down += wire;
    return OnControl(frame->control, frame->stream);
  }
  if (frame->stream != parts_.stream || vocabulary_ <= 0) return;
  for (TokenId id : frame->ids) {
    if (id >= vocabulary_) return;
  }
  if (frame->kind != FrameKind::kVerdict && frame->kind != FrameKind::kTokens) return;
  Heard();
  if (line_ != Line::kReady || frame->epoch != static_cast<uint8_t>(epoch_)) return;
  if (frame->kind == FrameKind::kVerdict) OnVerdict(*frame);
  if (frame->kind == FrameKind::kTokens) OnTokens(*frame);
}

// All below length - 1 is as it was drafted in this epoch; there stands `token`.
void DeviceMachine::OnVerdict(const SplitFrame& frame) {
  if (mode_ != SplitMode::kSplit) return;
  const int64_t length = WidenPosition(frame.position, final_);
  const int64_t at = length - 1;
  if (length <= final_ || at > sent_) return;  // stale, or about what was never sent
  const TokenId token = frame.ids[0];
  CountAnswer(length);
  stats_.compared += at - final_;
  stats_.accepted += at - final_;
  for (int64_t i = final_; i < at; ++i) controller_.AddCompared(true);
  const bool drafted = at < size();
  const bool agrees = drafted && sequence_[static_cast<size_t>(at)] == token;
  if (at < sent_) {
    ++stats_.compared;
    stats_.accepted += agrees ? 1 : 0;
    controller_.AddCompared(agrees);
  }
  if (!agrees) {
    if (at < sent_) {
      // Frames of drafts behind it are on their way: the new epoch fences them off.
      ++epoch_;
      flights_.clear();
    }
    Truncate(at);
    Push(token);
    if (no_draft_at_ > at) no_draft_at_ = INT64_MAX;
  }
  tries_ = 0;
  synced_ = length;
  Deliver(length, TokenSource::kVerified);
  while (!flights_.empty() && flights_.front().base + flights_.front().count <= final_) {
    flights_.pop_front();
  }
  // An answer up to the end of a chunk leaves its last draft to the next verdict; one within it,
  // and the chunk is still awaited.
  if (!flights_.empty() && flights_.front().base < final_) {
    flights_.front().count -= final_ - flights_.front().base;
    flights_.front().base = final_;
    flights_.front().timed = false;
  }
}

// Measures the round that this verdict answers.
void DeviceMachine::CountAnswer(int64_t length) {
  for (const Flight& flight : flights_) {
    if (length > flight.base + flight.count + 1) continue;
    if (flight.timed && length > flight.base) {
      controller_.AddRound(static_cast<double>(Now() - flight.sent_ns) / kNsPerMs, flight.count,
                           flight.alone);
    }
    return;
  }
}

// What is not answered, in one frame from the final length on.
void DeviceMachine::ResendRound() {
  const int64_t count = std::min(sent_ - final_, kMaxDraftTokens);
  ++stats_.retransmits;
  flights_.clear();
  SendRound(final_, count);
  --stats_.rounds;
  flights_.back().timed = false;
}

}  // namespace ferry::llm
