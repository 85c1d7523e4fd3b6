// What a SplitOpen has to satisfy before it is a session.
#include <algorithm>

#include "cloud-server/verify/service.h"
#include "common/base/log.h"
#include "common/proto/envelope.h"
#include "device-runtime/kernels/attention/attention.h"
#include "device-runtime/llm/sampler/prf.h"

namespace ferry::server {
namespace {

std::string Hex(const std::string& bytes) {
  return ToHex(AsBytes(bytes));
}

// `said`: the first bytes of a hash that the device has; empty: it does not care.
Status CheckDigest(const char* what, const std::string& said, const std::string& own) {
  if (said.empty() || said == own) return OkStatus();
  return Status::Of(Code::kFailedPrecondition, "the device's {} is {}, the server's is {}", what,
                    Hex(said.substr(0, kDigestBytes)), own.empty() ? "none" : Hex(own));
}

Status CheckSampler(const proto::SplitSampler& sampler) {
  llm::SamplerOptions options;
  options.temperature = sampler.temperature();
  options.top_k = sampler.top_k();
  options.top_p = sampler.top_p();
  options.repetition_penalty = sampler.repetition_penalty();
  FERRY_TRY(options.Check());
  if (sampler.prf_key().size() == sizeof(llm::PrfKey)) return OkStatus();
  return Status::Of(Code::kInvalidArgument, "prf_key has {} bytes, not {}",
                    sampler.prf_key().size(), sizeof(llm::PrfKey));
}

Status CheckOpen(const LoadedTarget& target, const proto::SplitOpen& open) {
  FERRY_TRY(CheckDigest("target", open.target_digest(), target.digest));
  FERRY_TRY(CheckDigest("tokenizer", open.tokenizer_digest(), target.tokenizer_digest));
  FERRY_TRY(CheckSampler(open.sampler()));
  if (open.epoch() == 0) return Status(Code::kInvalidArgument, "epochs begin at 1");
  if (open.context_length() == 0 || open.known_length() > open.context_length()) {
    return Status::Of(Code::kInvalidArgument, "a context of {} tokens, {} of them known",
                      open.context_length(), open.known_length());
  }
  const int64_t most = target.model->config().context;
  if (open.context_length() > most) {
    return Status::Of(Code::kLimitExceeded, "a context of {} tokens: {} {} takes {}",
                      open.context_length(), target.name, target.version, most);
  }
  const llm::KvPool::Stats kv = target.pool->stats();
  const int64_t pages = 1 + open.context_length() / kernels::kPagePositions;
  if (pages * kv.page_bytes > kv.limit_bytes) {
    return Status::Of(Code::kOutOfMemory,
                      "a context of {} tokens takes {} bytes of KV memory of {}",
                      open.context_length(), pages * kv.page_bytes, kv.limit_bytes);
  }
  return OkStatus();
}

}  // namespace

std::string ShownName(std::string_view name) {
  std::string shown = proto::CutText(name, kMaxNameText);
  std::replace_if(
      shown.begin(), shown.end(),
      [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; }, '?');
  return shown;
}

Result<std::shared_ptr<LoadedTarget>> VerifyService::Choose(const proto::SplitOpen& open) const {
  std::string names;
  for (const auto& [name, target] : targets_) names += (names.empty() ? "" : ", ") + name;
  if (open.target().empty() && targets_.size() == 1) return targets_.begin()->second;
  const auto at = targets_.find(open.target());
  if (at != targets_.end()) return at->second;
  if (targets_.empty()) return Status(Code::kUnavailable, "no target is served yet");
  if (open.target().empty()) {
    return Status::Of(Code::kInvalidArgument, "name the target: one of {}", names);
  }
  return Status::Of(Code::kNotFound, "no target {}: there are {}", ShownName(open.target()), names);
}

void VerifyService::OnOpen(Peer& peer, uint8_t stream, const proto::SplitOpen& open) {
  const auto refuse = [&](const Status& why, int64_t retry_ms) {
    // Who asks again and again fills no log.
    if (peer.MayLog()) LogInfo("verify", "device {}: {}", peer.device(), why.ToString());
    peer.Seat(stream, nullptr);
    peer.Refuse(stream, why, retry_ms);
    // Who asks for the impossible again and again is cut off, as who sends garbage is.
    if (retry_ms == 0) peer.Bad();
  };
  if (options_.authorize) {
    const Status allowed = options_.authorize(peer.device());
    if (!allowed.ok()) return refuse(allowed, 0);
  }
  const Key key{peer.device(), open.session()};
  const auto at = sessions_.find(key);
  std::shared_ptr<VerifySession> session = at == sessions_.end() ? nullptr : at->second;
  if (session != nullptr && open.epoch() < session->open_epoch()) return CountDropped();
  // A session stays with the version that it began on, as long as it is the one that is meant.
  if (session != nullptr) {
    const LoadedTarget& own = *session->target();
    const bool meant = (open.target().empty() || open.target() == own.name) &&
                       (open.target_digest().empty() || open.target_digest() == own.digest);
    if (!meant) {
      Forget(*session);
      session = nullptr;
    }
  }
  std::shared_ptr<LoadedTarget> target;
  if (session != nullptr) {
    target = session->target();
  } else {
    const auto chosen = Choose(open);
    if (!chosen.ok()) {
      return refuse(chosen.status(), chosen.code() == Code::kUnavailable ? kRetryLaterMs : 0);
    }
    target = *chosen;
  }
  const Status fits = CheckOpen(*target, open);
  if (!fits.ok()) return refuse(fits, 0);
  // Comparing a long context with its digest is work too.
  if (session == nullptr || open.epoch() != session->open_epoch()) {
    const int64_t wait_ms = opens_.Take(peer.device(), 1, NowMs());
    if (wait_ms > 0) {
      return refuse(Status::Of(Code::kLimitExceeded, "device {} has used its {} opens a minute",
                               peer.device(), options_.limits.opens_per_minute),
                    wait_ms);
    }
  }
  if (session == nullptr) {
    const Status admitted = Admit(peer.device());
    if (!admitted.ok()) return refuse(admitted, kRetryLaterMs);
    session = std::make_shared<VerifySession>(*this, peer.device(), open.session(), target);
    sessions_[key] = session;
  }
  session->Open(peer, stream, open);
}

}  // namespace ferry::server
