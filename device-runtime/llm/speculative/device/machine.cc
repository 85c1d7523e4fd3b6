#include "device-runtime/llm/speculative/device/machine.h"

#include <algorithm>
#include <utility>

namespace ferry::llm {

DeviceMachine::DeviceMachine(const SplitParts& parts, const SplitOptions& options,
                             SplitEvents events, std::unique_ptr<Drafter> own_drafter,
                             DraftFacts facts)
    : parts_(parts),
      options_(options),
      events_(std::move(events)),
      own_drafter_(std::move(own_drafter)),
      drafter_(parts.drafter != nullptr ? parts.drafter : own_drafter_.get()),
      vocabulary_(facts.vocabulary),
      end_tokens_(std::move(facts.end_tokens)),
      tokenizer_digest_(std::move(facts.tokenizer_digest)),
      controller_({.draft_tokens = options.draft_tokens,
                   .most_tokens = kMaxDraftTokens,
                   .id_bits = IdBits(facts.vocabulary)}),
      wanted_(options.mode),
      mode_(options.mode) {
  session_id_ = parts_.random->Next64();
  ping_value_ = static_cast<uint32_t>(parts_.random->Next64());
}

DeviceMachine::~DeviceMachine() {
  if (!ended_) SendClose();
  if (timer_) parts_.executor->Cancel(*timer_);
}

Status DeviceMachine::Start(std::vector<TokenId> prompt) {
  if (started_) return Status::Of(Code::kFailedPrecondition, "the session was started before");
  if (prompt.empty()) return Status::Of(Code::kInvalidArgument, "the prompt is empty");
  started_ = true;
  tokens_ = std::move(prompt);
  sequence_ = tokens_;
  prompt_ = final_ = sent_ = credit_end_ = size();
  if (parts_.link != nullptr) {
    const std::weak_ptr<int> alive = alive_;
    parts_.link->Start({.on_frame =
                            [this, alive](ByteView bytes) {
                              if (!alive.expired()) Enter([&] { OnFrame(bytes); });
                            },
                        .on_state =
                            [this, alive](bool up) {
                              if (!alive.expired()) Enter([&] { OnLink(up); });
                            }});
  }
  // Not at once: the app's callbacks never come from within its own call.
  parts_.executor->Post([this, alive = std::weak_ptr<int>(alive_)] {
    if (alive.expired()) return;
    Enter([this] {
      if (options_.max_new <= 0) return Finish(FinishReason::kLength);
      if (mode_ != SplitMode::kDeviceOnly && line_ == Line::kOff) Reopen();
    });
  });
  return OkStatus();
}

void DeviceMachine::SetMode(SplitMode mode) {
  asked_mode_ = mode;
  if (depth_ == 0 && started_) Enter([] {});
}

void DeviceMachine::Cancel() {
  cancelled_ = true;
  if (depth_ == 0 && started_) Enter([] {});
}

// Calls of the app from within its callbacks only leave a note; it is read here, between events.
void DeviceMachine::Enter(const std::function<void()>& event) {
  if (ended_) return;
  ++depth_;
  event();
  while (!ended_ && (cancelled_ || asked_mode_)) {
    if (cancelled_) {
      Finish(FinishReason::kStopped);
    } else {
      ApplyMode(*std::exchange(asked_mode_, std::nullopt));
    }
  }
  if (!ended_) Advance();
  --depth_;
  // What callbacks of Advance asked for.
  if (depth_ == 0 && !ended_ && (cancelled_ || asked_mode_)) Enter([] {});
}

void DeviceMachine::Advance() {
  // Alone, a draft is as good as said.
  if (mode_ == SplitMode::kDeviceOnly && !hold_ && size() > final_) {
    Deliver(size(), TokenSource::kDevice);
  }
  if (ended_) return;
  if (drafter_ == nullptr && mode_ == SplitMode::kDeviceOnly) {
    return Finish(Status::Of(Code::kFailedPrecondition, "device-only needs a draft model"));
  }
  if (mode_ == SplitMode::kDeviceOnly && !hold_ && size() >= no_draft_at_) {
    if (drafter_status_.code() == Code::kLimitExceeded) return Finish(FinishReason::kContext);
    return Finish(drafter_status_);
  }
  if (line_ == Line::kReady) {
    if (mode_ == SplitMode::kSplit) SendDrafts();
    if (mode_ == SplitMode::kCloudOnly) AskForTokens();
  }
  StepDraft();
  Arm();
}

int64_t DeviceMachine::MostLength() const {
  const int64_t asked =
      options_.max_new > INT64_MAX - prompt_ ? INT64_MAX : prompt_ + options_.max_new;
  return std::min(asked, max_length_);
}

std::optional<FinishReason> DeviceMachine::EndAfter(TokenId id) const {
  if (options_.stop_at_end_token &&
      std::find(end_tokens_.begin(), end_tokens_.end(), id) != end_tokens_.end()) {
    return FinishReason::kEndToken;
  }
  if (final_ >= prompt_ + options_.max_new) return FinishReason::kLength;
  if (final_ >= max_length_) return FinishReason::kContext;
  return std::nullopt;
}

// Makes sequence_ up to `end` final.
void DeviceMachine::Deliver(int64_t end, TokenSource source) {
  const int64_t begin = final_;
  std::optional<FinishReason> finished;
  while (final_ < end && !finished) {
    const TokenId id = sequence_[static_cast<size_t>(final_)];
    if (id < 0 || (vocabulary_ > 0 && id >= vocabulary_)) {
      return Finish(Status::Of(Code::kInternal, "token {} is not in the vocabulary", id));
    }
    tokens_.push_back(id);
    ++final_;
    ++stats_.emitted;
    finished = EndAfter(id);
  }
  sent_ = std::max(sent_, final_);
  if (final_ > begin && events_.on_tokens) {
    const std::vector<TokenId> fresh(tokens_.begin() + begin, tokens_.end());
    events_.on_tokens(fresh, source);
  }
  if (finished) Finish(*finished);
}

void DeviceMachine::Truncate(int64_t length) {
  if (length >= size()) return;
  sequence_.resize(static_cast<size_t>(length));
  ++generation_;
  sent_ = std::min(sent_, length);
}

void DeviceMachine::Push(TokenId id) {
  sequence_.push_back(id);
  ++generation_;
}

void DeviceMachine::Finish(Result<FinishReason> end) {
  if (ended_) return;
  ended_ = true;
  SendClose();
  line_ = Line::kOff;
  if (timer_) parts_.executor->Cancel(*std::exchange(timer_, std::nullopt));
  // Later, so that the app may drop the session in it.
  parts_.executor->Post(
      [on_end = events_.on_end, end = std::move(end), alive = std::weak_ptr<int>(alive_)] {
        if (!alive.expired() && on_end) on_end(end);
      });
}

// Also from a mode that needs no server: it keeps the session for one that does.
void DeviceMachine::SendClose() {
  if (!ever_opened_) return;
  proto::SplitControl control;
  control.mutable_close();
  SendControl(control);
}

SplitStats DeviceMachine::stats() const {
  SplitStats stats = stats_;
  stats.round_trip_ms = controller_.round_trip_ms();
  return stats;
}

}  // namespace ferry::llm
