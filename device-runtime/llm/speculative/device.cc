#include "device-runtime/llm/speculative/device.h"

#include <utility>

#include "device-runtime/llm/speculative/device/machine.h"
#include "device-runtime/llm/tokenizer/tokenizer.h"

namespace ferry::llm {
namespace {

constexpr size_t kDigestBytes = 8;

Status CheckParts(const SplitParts& parts, const SplitOptions& options, bool drafts) {
  FERRY_TRY(options.sampler.Check());
  if (options.mode != SplitMode::kDeviceOnly && parts.link == nullptr) {
    return Status::Of(Code::kInvalidArgument, "{} needs a link to the cloud",
                      SplitModeName(options.mode));
  }
  if (options.mode != SplitMode::kCloudOnly && !drafts) {
    return Status::Of(Code::kInvalidArgument, "{} needs a draft model",
                      SplitModeName(options.mode));
  }
  if (options.draft_tokens < 0 || options.draft_tokens > kMaxDraftTokens) {
    return Status::Of(Code::kInvalidArgument, "draft_tokens is {}; 0 to {}", options.draft_tokens,
                      kMaxDraftTokens);
  }
  return OkStatus();
}

}  // namespace

const char* SplitModeName(SplitMode mode) {
  switch (mode) {
    case SplitMode::kDeviceOnly:
      return "device-only";
    case SplitMode::kSplit:
      return "split";
    case SplitMode::kCloudOnly:
      return "cloud-only";
  }
  return "?";
}

struct SplitSession::Impl {
  std::shared_ptr<const Model> draft;
  DeviceMachine machine;
};

SplitSession::SplitSession(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
SplitSession::~SplitSession() = default;

Result<std::unique_ptr<SplitSession>> SplitSession::Create(std::shared_ptr<const Model> draft,
                                                           std::shared_ptr<KvPool> pool,
                                                           const SplitParts& parts,
                                                           const SplitOptions& options,
                                                           SplitEvents events) {
  FERRY_TRY(CheckParts(parts, options, draft != nullptr || parts.drafter != nullptr));
  DraftFacts facts;
  std::unique_ptr<Drafter> drafter;
  if (draft != nullptr) {
    facts.vocabulary = draft->config().vocabulary;
    facts.end_tokens = draft->config().end_tokens;
    if (const Result<const Tokenizer*> tokenizer = draft->tokenizer(); tokenizer.ok()) {
      const Digest& digest = (*tokenizer)->digest();
      facts.tokenizer_digest.assign(digest.begin(), digest.begin() + kDigestBytes);
    }
    if (parts.drafter == nullptr) {
      FERRY_ASSIGN_OR_RETURN(
          drafter, MakeModelDrafter(draft, std::move(pool), parts.parallel, options.sampler,
                                    options.key, options.adapters));
    }
  }
  // The machine is bound to its address: timers and the link call it.
  return std::unique_ptr<SplitSession>(new SplitSession(
      std::unique_ptr<Impl>(new Impl{draft, DeviceMachine(parts, options, std::move(events),
                                                          std::move(drafter), std::move(facts))})));
}

Status SplitSession::Start(std::vector<TokenId> prompt) {
  if (impl_->draft != nullptr) {
    const Status fits = impl_->draft->CheckTokens(prompt, 0);
    // A prompt that is too long for the draft may fit the target.
    const bool long_only = fits.code() == Code::kLimitExceeded;
    if (!fits.ok() && (!long_only || impl_->machine.mode() == SplitMode::kDeviceOnly)) {
      return fits.Context("prompt");
    }
  }
  return impl_->machine.Start(std::move(prompt));
}

void SplitSession::SetMode(SplitMode mode) {
  impl_->machine.SetMode(mode);
}

void SplitSession::Cancel() {
  impl_->machine.Cancel();
}

SplitMode SplitSession::mode() const {
  return impl_->machine.mode();
}

const std::vector<TokenId>& SplitSession::tokens() const {
  return impl_->machine.tokens();
}

SplitStats SplitSession::stats() const {
  return impl_->machine.stats();
}

}  // namespace ferry::llm
