// How a session begins, comes back, and takes in a context that grew without it.
#include <algorithm>
#include <utility>

#include "cloud-server/verify/service.h"

namespace ferry::server {

void VerifySession::Open(Peer& peer, uint8_t stream, const proto::SplitOpen& open) {
  if (peer_ != nullptr && (peer_ != &peer || stream_ != stream)) peer_->Seat(stream_, nullptr);
  const bool repeated = open_epoch_ != 0 && open.epoch() == open_epoch_;
  peer.Seat(stream, shared_from_this());
  peer_ = &peer;
  stream_ = stream;
  used_ms_ = service_.NowMs();
  if (!repeated) {
    open_epoch_ = open.epoch();
    view_.draft = ShownName(open.draft());
    service_.CountOpened();
    waiting_open_ = open;
    return Next();
  }
  if (waiting_open_) return;
  SendOpened();
  if (log_) SendReady(log_->length(), log_->length());
}

// Begins anew with the first `known_length` tokens, if they are those that the device has.
void VerifySession::Apply(const proto::SplitOpen& open) {
  open_ = open;
  epoch_ = open.epoch();
  rounds_.clear();
  agreed_ = -1;
  told_ = 0;
  stream_on_ = false;
  starving_ms_ = -1;
  if (log_) {
    context_ = log_->tokens();
    kv_tokens_ = log_->tokens();
    log_.reset();
  }
  const size_t known = open.known_length();
  bool same = known > 0 && known <= context_.size();
  if (same) {
    const auto digest = llm::ContextDigest(std::span(context_).first(known));
    same = AsText(digest) == open.known_digest();
  }
  context_.resize(same ? known : 0);
  SendOpened();
  if (context_.size() == open_.context_length()) Complete();
}

void VerifySession::SendOpened() {
  if (peer_ == nullptr) return;
  const llm::ModelConfig& config = target_->model->config();
  proto::SplitControl control;
  proto::SplitOpened* opened = control.mutable_opened();
  opened->set_epoch(open_epoch_);
  opened->set_have(static_cast<uint32_t>(log_ ? open_.context_length() : context_.size()));
  opened->set_target_digest(target_->digest);
  opened->set_vocabulary(static_cast<uint32_t>(config.vocabulary));
  for (const llm::TokenId id : config.end_tokens) {
    opened->add_end_tokens(static_cast<uint32_t>(id));
  }
  opened->set_max_length(static_cast<uint32_t>(config.context));
  CountDown(peer_->Send(stream_, control));
}

// `length` 0: tokens from `have` on are missing.
void VerifySession::SendReady(int64_t length, int64_t have) {
  if (peer_ == nullptr) return;
  proto::SplitControl control;
  proto::SplitReady* ready = control.mutable_ready();
  ready->set_epoch(open_epoch_);
  ready->set_length(static_cast<uint32_t>(length));
  ready->set_max_draft(static_cast<uint32_t>(llm::kMaxDraftTokens));
  ready->set_have(static_cast<uint32_t>(have));
  CountDown(peer_->Send(stream_, control));
}

void VerifySession::OnContext(const proto::SplitContext& context) {
  used_ms_ = service_.NowMs();
  if (waiting_open_ || context.epoch() != open_epoch_) return service_.CountDropped();
  // A repeated piece: what it asks for is known already.
  if (log_) return SendReady(log_->length(), log_->length());
  if (context.from() > context_.size()) {
    return SendReady(0, static_cast<int64_t>(context_.size()));
  }
  const size_t end = static_cast<size_t>(context.from()) + static_cast<size_t>(context.ids_size());
  if (end > open_.context_length()) {
    return Refuse(Status::Of(Code::kMalformed, "context up to {}, {} were announced", end,
                             open_.context_length()),
                  0);
  }
  for (size_t at = context_.size(); at < end; ++at) {
    const uint32_t id = context.ids(static_cast<int>(at - context.from()));
    if (id >= static_cast<uint64_t>(vocabulary())) {
      return Refuse(Status::Of(Code::kInvalidArgument,
                               "token {} at position {}: the target's vocabulary has {}", id, at,
                               vocabulary()),
                    0);
    }
    context_.push_back(static_cast<llm::TokenId>(id));
  }
  if (context_.size() == open_.context_length()) Complete();
}

// The whole context is there.
void VerifySession::Complete() {
  const auto parted =
      std::mismatch(context_.begin(), context_.end(), kv_tokens_.begin(), kv_tokens_.end()).first;
  // At least the last token is read again, for its logits.
  const int64_t common =
      std::min<int64_t>(parted - context_.begin(), static_cast<int64_t>(context_.size()) - 1);
  if (has_kv_) kv_.Truncate(std::min(kv_.length(), common));
  kv_tokens_.clear();
  llm::SamplerOptions sampler;
  sampler.temperature = open_.sampler().temperature();
  sampler.top_k = open_.sampler().top_k();
  sampler.top_p = open_.sampler().top_p();
  sampler.repetition_penalty = open_.sampler().repetition_penalty();
  llm::PrfKey key;
  std::copy(open_.sampler().prf_key().begin(), open_.sampler().prf_key().end(), key.bytes.begin());
  const llm::ModelConfig& config = target_->model->config();
  llm::TargetOptions options{config.vocabulary, config.context, config.end_tokens};
  if (open_.ignore_end()) options.end_tokens.clear();
  log_.emplace(std::exchange(context_, {}), llm::Sampler(sampler, key, config.vocabulary),
               std::move(options));
  SendReady(log_->length(), log_->length());
  if (log_->length() > 1 && (!has_kv_ || kv_.length() < log_->length() - 1)) {
    // Without memory for it now, the first round asks again.
    if (!Submit(Pass::kPrefill, Round())) starving_ms_ = -1;
  }
}

// The device is told and has to open the session again; what was computed stays for that.
void VerifySession::Refuse(const Status& why, int64_t retry_ms) {
  if (peer_ != nullptr) peer_->Refuse(stream_, why, retry_ms);
  if (retry_ms == 0) return service_.Forget(*this);
  if (peer_ != nullptr) peer_->Seat(stream_, nullptr);
  Detach();
}

}  // namespace ferry::server
