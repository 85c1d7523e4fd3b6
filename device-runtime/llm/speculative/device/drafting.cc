// Drafting one token at a time, and sending what was drafted.
#include <algorithm>
#include <cmath>

#include "device-runtime/llm/speculative/device/machine.h"

namespace ferry::llm {

DraftController::Plan DeviceMachine::PlanNow() const {
  return options_.pipelined ? controller_.Pipelined() : controller_.Sync();
}

// Whether one more draft behind sequence_ is of use now.
bool DeviceMachine::DraftsWanted() const {
  if (drafter_ == nullptr || size() >= no_draft_at_ || size() >= MostLength()) return false;
  if (mode_ == SplitMode::kCloudOnly) return false;
  if (mode_ == SplitMode::kDeviceOnly && !hold_) return true;
  // The target says the token behind the drafts itself: the last one need not be drafted.
  if (!options_.pipelined && size() + 1 >= MostLength()) return false;
  if (size() > final_ && options_.stop_at_end_token &&
      std::find(end_tokens_.begin(), end_tokens_.end(), sequence_.back()) != end_tokens_.end()) {
    return false;
  }
  if (!options_.pipelined && !flights_.empty()) return false;
  return size() - final_ < PlanNow().ahead;
}

void DeviceMachine::StepDraft() {
  if (step_running_ || !DraftsWanted()) return;
  step_running_ = true;
  const int64_t begin_ns = Now();
  Result<TokenId> token = drafter_->Propose(sequence_);
  const double extra_ms = options_.draft_cost_ms ? std::max(0.0, options_.draft_cost_ms()) : 0;
  controller_.AddDraft(static_cast<double>(Now() - begin_ns) / kNsPerMs + extra_ms);
  // Also without a cost it ends later: frames that came in the meantime are read first.
  cost_debt_ms_ += extra_ms;
  const double whole_ms = std::floor(cost_debt_ms_);
  cost_debt_ms_ -= whole_ms;
  auto then = [this, generation = generation_, token = std::move(token),
               alive = std::weak_ptr<int>(alive_)] {
    if (!alive.expired()) Enter([&] { OnDrafted(generation, token); });
  };
  // A timer even when it is due at once: posted tasks go before timers, and would starve them.
  parts_.executor->PostAfter(static_cast<int64_t>(whole_ms), std::move(then));
}

void DeviceMachine::OnDrafted(uint64_t generation, Result<TokenId> token) {
  step_running_ = false;
  if (generation != generation_) return;
  if (!token.ok()) {
    no_draft_at_ = size();
    drafter_status_ = token.status();
    return;
  }
  // Only what the wire can say is a draft: the verdict is about what was sent.
  const TokenId most = vocabulary_ > 0 ? (1 << IdBits(vocabulary_)) - 1 : kMaxVocabulary;
  sequence_.push_back(*token < 0 || *token > most ? most : *token);
  ++stats_.drafted;
}

// Sends what is due: a round of drafts (one at a time), or chunk after chunk.
void DeviceMachine::SendDrafts() {
  const bool more = DraftsWanted();
  const DraftController::Plan plan = PlanNow();
  if (!options_.pipelined) {
    if (!flights_.empty() || more) return;
    // Nothing to draft: an empty round is one step of the target.
    return SendRound(final_, std::min(size() - final_, plan.tokens));
  }
  while (size() - sent_ >= plan.tokens) SendRound(sent_, plan.tokens);
  const int64_t rest = size() - sent_;
  const bool ahead_full = size() - final_ >= plan.ahead;
  if (!more && (flights_.empty() || (rest > 0 && !ahead_full))) SendRound(sent_, rest);
}

void DeviceMachine::SendRound(int64_t base, int64_t count) {
  BeforeAsking();
  SplitFrame frame;
  frame.kind = base == final_ ? FrameKind::kDraft : FrameKind::kFollow;
  frame.stream = parts_.stream;
  frame.epoch = static_cast<uint8_t>(epoch_);
  frame.position = static_cast<uint16_t>(base);
  frame.ids.assign(sequence_.begin() + base, sequence_.begin() + base + count);
  flights_.push_back({base, count, Now(), !first_round_, flights_.empty()});
  first_round_ = false;
  sent_ = base + count;
  asked_ns_ = Now();
  ++stats_.rounds;
  SendFrame(EncodeFrame(frame, vocabulary_), false);
}

}  // namespace ferry::llm
