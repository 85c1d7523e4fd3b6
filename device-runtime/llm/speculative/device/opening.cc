// Opening, resuming and rebasing: SplitOpen, the context that the server lacks, Ready.
#include <algorithm>

#include "device-runtime/llm/speculative/device/machine.h"

namespace ferry::llm {

namespace {

proto::SplitSampler* Describe(const SplitOptions& options, proto::SplitSampler* sampler) {
  sampler->set_temperature(options.sampler.temperature);
  sampler->set_top_k(options.sampler.top_k);
  sampler->set_top_p(options.sampler.top_p);
  sampler->set_repetition_penalty(options.sampler.repetition_penalty);
  sampler->set_prf_key(options.key.bytes.data(), options.key.bytes.size());
  return sampler;
}

}  // namespace

// What is final now becomes the server's context; drafts behind it stay and are sent again.
void DeviceMachine::Reopen() {
  if (parts_.link == nullptr) return;
  BeforeAsking();
  line_ = Line::kOpening;
  open_epoch_ = ++epoch_;
  opened_context_ = final_;
  opened_ = false;
  tries_ = 0;
  flights_.clear();
  sent_ = final_;
  ahead_.clear();
  credit_end_ = final_;
  if (ever_opened_) ++stats_.reopens;
  ever_opened_ = true;
  SendOpen();
}

void DeviceMachine::SendOpen() {
  proto::SplitControl control;
  proto::SplitOpen& open = *control.mutable_open();
  open.set_session(session_id_);
  open.set_epoch(open_epoch_);
  open.set_target(options_.target);
  open.set_target_digest(options_.target_digest.data(), options_.target_digest.size());
  open.set_tokenizer_digest(tokenizer_digest_.data(), tokenizer_digest_.size());
  Describe(options_, open.mutable_sampler());
  open.set_context_length(static_cast<uint32_t>(opened_context_));
  const int64_t known = std::min(synced_, opened_context_);
  open.set_known_length(static_cast<uint32_t>(known));
  if (known > 0) {
    const auto digest = ContextDigest(std::span(sequence_).first(static_cast<size_t>(known)));
    open.set_known_digest(digest.data(), digest.size());
  }
  open.set_draft(options_.draft_name);
  open.set_ignore_end(!options_.stop_at_end_token);
  asked_ns_ = Now();
  SendControl(control);
}

void DeviceMachine::SendContext(int64_t from) {
  for (int64_t at = from; at < opened_context_;) {
    proto::SplitControl control;
    proto::SplitContext& context = *control.mutable_context();
    context.set_epoch(open_epoch_);
    context.set_from(static_cast<uint32_t>(at));
    const int64_t end = std::min(opened_context_, at + static_cast<int64_t>(kContextPiece));
    for (; at < end; ++at) {
      context.add_ids(static_cast<uint32_t>(sequence_[static_cast<size_t>(at)]));
    }
    SendControl(control);
  }
  asked_ns_ = Now();
}

void DeviceMachine::OnControl(ByteView bytes, uint8_t stream) {
  proto::SplitControl control;
  if (!control.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) return;
  // Stream 0 may speak for the whole connection, but only to refuse it.
  if (stream != parts_.stream && !control.has_refused()) return;
  Heard();
  switch (control.body_case()) {
    case proto::SplitControl::kOpened:
      return OnOpened(control.opened());
    case proto::SplitControl::kReady:
      return OnReady(control.ready());
    case proto::SplitControl::kRefused:
      return OnRefused(control.refused());
    case proto::SplitControl::kPong:
      return OnPong(control.pong().value());
    case proto::SplitControl::kPing: {
      proto::SplitControl answer;
      answer.mutable_pong()->set_value(control.ping().value());
      return SendControl(answer);
    }
    default:
      return;
  }
}

void DeviceMachine::OnOpened(const proto::SplitOpened& opened) {
  if (line_ != Line::kOpening || opened.epoch() != open_epoch_) return;
  if (opened.have() > opened_context_) return;
  if (!opened_ && tries_ == 0) {
    controller_.AddRoundTrip(static_cast<double>(Now() - asked_ns_) / kNsPerMs);
  }
  if (opened.vocabulary() > 1 && opened.vocabulary() <= kMaxVocabulary) {
    vocabulary_ = opened.vocabulary();
    controller_.SetIdBits(IdBits(vocabulary_));
  }
  if (opened.end_tokens_size() > 0) {
    end_tokens_.clear();
    for (uint32_t id : opened.end_tokens()) end_tokens_.push_back(static_cast<TokenId>(id));
  }
  if (opened.max_length() > 0) max_length_ = opened.max_length();
  const bool again = opened_;
  opened_ = true;
  if (final_ >= max_length_) return Finish(FinishReason::kContext);
  // A repeated answer does not repeat the context: Ready says what is missing.
  if (!again || tries_ > 0) SendContext(opened.have());
}

void DeviceMachine::OnReady(const proto::SplitReady& ready) {
  if (line_ != Line::kOpening || ready.epoch() != open_epoch_) return;
  if (ready.length() < opened_context_) {
    if (opened_ && ready.have() < opened_context_) SendContext(ready.have());
    return;
  }
  if (ready.max_draft() > 0) controller_.SetMostTokens(ready.max_draft());
  synced_ = opened_context_;
  tries_ = 0;
  if (FallbackInForce() && final_ > opened_context_) {
    // The device went on alone in the meantime: hand over the rest, which is short.
    hold_ = true;
    return Reopen();
  }
  line_ = Line::kReady;
  hold_ = false;
  sent_ = credit_end_ = final_;
  first_round_ = true;
  progress_ns_ = Now();
  if (mode_ != wanted_) EnterMode(wanted_, OkStatus());
  if (ping_ns_ == 0) SendPing();
}

void DeviceMachine::OnRefused(const proto::SplitRefused& refused) {
  if (line_ != Line::kOpening && line_ != Line::kReady) return;
  const std::optional<Code> known = CodeFromNumber(refused.code());
  const Code code = known && *known != Code::kOk ? *known : Code::kInternal;
  if (code == Code::kNotFound && refused.retry_ms() > 0) {
    // A server that was started anew, or did not keep an idle session. While opening it speaks of
    // rounds sent before.
    return line_ == Line::kReady ? Reopen() : void();
  }
  const Status why = Status::Of(code, "the cloud refused the session: {}", refused.text());
  line_ = Line::kRefused;
  flights_.clear();
  retry_at_ns_ = refused.retry_ms() > 0 ? Now() + refused.retry_ms() * kNsPerMs : INT64_MAX;
  if (CanGoOnAlone()) {
    hold_ = false;
    if (mode_ != SplitMode::kDeviceOnly) {
      ++stats_.fallbacks;
      EnterMode(SplitMode::kDeviceOnly, why);
    }
    return;
  }
  if (refused.retry_ms() == 0) Finish(why);
}

void DeviceMachine::SendControl(const proto::SplitControl& control) {
  SendFrame(EncodeControl(parts_.stream, control), true);
}

}  // namespace ferry::llm
