// Forward passes of a session: what they read, what they cost, what comes of them.
#include <algorithm>
#include <utility>

#include "cloud-server/verify/service.h"
#include "common/base/log.h"

namespace ferry::server {

// Begins a pass; false when it cannot be now: the session then waits for memory, or was refused.
bool VerifySession::Submit(Pass pass, const Round& round) {
  if (!has_kv_) {
    kv_ = target_->pool->NewSequence(log_->tokens(), scope_);
    has_kv_ = true;
  }
  llm::BatchRequest request;
  request.kv = &kv_;
  if (pass == Pass::kPrefill) {
    request.tokens.assign(log_->tokens().begin() + kv_.length(), log_->tokens().end() - 1);
    request.logits_from = static_cast<int64_t>(request.tokens.size());
  } else {
    request.tokens = log_->Pending(kv_.length(), round.base, round.ids, &request.logits_from);
  }
  const int64_t count = static_cast<int64_t>(request.tokens.size());
  if (!Reserve(count)) return false;
  const int64_t wait_ms = service_.quota().Take(device_, count, service_.NowMs());
  if (wait_ms > 0) {
    Refuse(Status::Of(Code::kLimitExceeded, "device {} has used its {} tokens a minute", device_,
                      service_.options().limits.tokens_per_minute),
           wait_ms);
    return false;
  }
  request.wanted = [self = shared_from_this()] { return !self->closed_; };
  request.done = [self = shared_from_this(), pass, round](const Status& status,
                                                          std::span<const float> logits) {
    self->OnDone(pass, round, status, logits);
  };
  const Status submitted = target_->batcher->Submit(std::move(request));
  if (!submitted.ok()) {
    Refuse(submitted, kRetryLaterMs);
    return false;
  }
  running_.reset();
  if (pass == Pass::kRound) running_ = round;
  busy_ = true;
  return true;
}

// Room in the KV cache for `tokens` more, at the expense of sessions at rest.
bool VerifySession::Reserve(int64_t tokens) {
  Status status = kv_.Reserve(tokens);
  while (status.code() == Code::kOutOfMemory && service_.FreeMemory(*this)) {
    status = kv_.Reserve(tokens);
  }
  if (status.ok()) {
    starving_ms_ = -1;
    return true;
  }
  if (status.code() != Code::kOutOfMemory) {
    Refuse(status, kRetryLaterMs);
  } else if (starving_ms_ < 0) {
    starving_ms_ = service_.NowMs();
  }
  return false;
}

void VerifySession::OnDone(Pass pass, const Round& round, const Status& status,
                           std::span<const float> logits) {
  busy_ = false;
  if (closed_) return EvictKv();
  used_ms_ = service_.NowMs();
  if (!status.ok()) {
    LogWarn("verify", "device {} session {}: {}", device_, view_.session, status.ToString());
    EvictKv();
    Refuse(status, kRetryLaterMs);
    return Next();
  }
  ++view_.passes;
  if (pass == Pass::kPrefill) {
    // A prompt that others begin with too is read once.
    target_->pool->Offer(kv_, std::span(log_->tokens()).first(static_cast<size_t>(kv_.length())),
                         scope_);
    return Next();
  }
  const int64_t before = log_->length();
  const llm::Verdict verdict = log_->Verify(round.base, round.ids, logits);
  kv_.Truncate(std::min(kv_.length(), log_->length() - 1));
  view_.emitted += log_->length() - before;
  if (pass == Pass::kRound) {
    view_.compared += verdict.compared;
    view_.accepted += verdict.accepted;
    if (round.epoch == static_cast<uint8_t>(epoch_) && !waiting_open_) {
      agreed_ = std::max(agreed_, round.base + verdict.accepted);
      SendVerdict(verdict);
    }
  }
  Next();
}

void VerifySession::EvictKv() {
  if (!has_kv_ || busy_) return;
  // Drafts of a pass that nobody waited for may stand behind the log's tokens: they are not
  // offered.
  if (log_) target_->pool->Offer(kv_, log_->tokens(), scope_);
  kv_ = llm::KvSequence();
  kv_tokens_.clear();
  has_kv_ = false;
}

void VerifySession::Tick(int64_t now_ms) {
  if (starving_ms_ < 0) return;
  if (now_ms - starving_ms_ < service_.options().limits.memory_wait_ms) return Next();
  starving_ms_ = -1;
  const llm::KvPool::Stats stats = target_->pool->stats();
  EvictKv();
  Refuse(Status::Of(Code::kOutOfMemory, "KV memory is used up: {} of {} bytes in use",
                    stats.used_bytes, stats.limit_bytes),
         kRetryLaterMs);
}

}  // namespace ferry::server
