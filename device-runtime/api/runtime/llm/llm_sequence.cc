#include "device-runtime/api/runtime/llm/llm_sequence.h"

#include <algorithm>

#include "device-runtime/api/runtime/wait.h"
#include "device-runtime/llm/tokenizer/tokenizer.h"

namespace ferry::api {
namespace {

// A pool that holds `context` positions.
Result<std::shared_ptr<llm::KvPool>> PoolOfContext(const llm::Model& model, int64_t context) {
  FERRY_ASSIGN_OR_RETURN(const auto probe, model.NewKvPool({}));
  const int64_t pages = (context + llm::kPositionsOfPage - 1) / llm::kPositionsOfPage;
  return model.NewKvPool({.limit_bytes = pages * probe->stats().page_bytes});
}

}  // namespace

Result<std::unique_ptr<LlmSequence>> LlmSequence::Create(std::shared_ptr<LlmCore> core,
                                                         NamedModel model, int64_t context) {
  const llm::ModelConfig& config = model.model->config();
  if (context == 0) context = config.context;
  if (context < 1 || context > config.context)
    return Status::Of(Code::kInvalidArgument, "a sequence of {} tokens, the model takes 1 to {}",
                      context, config.context);
  std::unique_ptr<LlmSequence> made(new LlmSequence());
  llm::SessionOptions options;
  FERRY_ASSIGN_OR_RETURN(options.pool, PoolOfContext(*model.model, context));
  options.parallel = core->parallel();
  options.share_prefixes = false;
  FERRY_ASSIGN_OR_RETURN(made->session_, llm::Session::Create(model.model, options));
  made->core_ = std::move(core);
  made->model_ = std::move(model);
  made->context_ = context;
  return made;
}

Status LlmSequence::AppendPiece(std::span<const llm::TokenId> ids) {
  if (stopped_) return Status(Code::kCancelled, "the sequence is being destroyed");
  Status status;
  RunOn(core_->executor(), [&] { status = session_->Append(ids); });
  return status;
}

Status LlmSequence::Append(std::span<const llm::TokenId> ids) {
  FERRY_TRY(model_.model->CheckTokens(ids, session_->length()));
  if (session_->length() + static_cast<int64_t>(ids.size()) > context_)
    return Status::Of(Code::kLimitExceeded, "{} tokens and {} more pass the sequence's {}",
                      session_->length(), ids.size(), context_);
  // Piece by piece, so that sessions of the model go on meanwhile.
  const int64_t before = session_->length();
  while (!ids.empty()) {
    const size_t count = std::min<size_t>(ids.size(), llm::kDefaultPrefillChunk);
    if (Status status = AppendPiece(ids.first(count)); !status.ok()) {
      session_->Truncate(before);
      return status;
    }
    ids = ids.subspan(count);
  }
  return OkStatus();
}

Status LlmSequence::Truncate(size_t length) {
  if (length > tokens().size())
    return Status::Of(Code::kInvalidArgument, "truncating a sequence of {} tokens to {}",
                      tokens().size(), length);
  session_->Truncate(static_cast<int64_t>(length));
  return OkStatus();
}

Result<std::vector<float>> LlmSequence::Logits() {
  if (tokens().empty()) return Status(Code::kFailedPrecondition, "the sequence is empty");
  std::vector<float> out;
  Status status;
  RunOn(core_->executor(), [&] {
    const auto logits = session_->logits();
    status = logits.status();
    if (logits.ok()) out.assign(logits->begin(), logits->end());
  });
  if (!status.ok()) return status;
  return out;
}

// Appends the token before, if there is one, and chooses the next.
Result<llm::TokenId> LlmSequence::Next(llm::Sampler& sampler, const llm::TokenId* last) {
  if (last != nullptr) FERRY_TRY(AppendPiece({last, 1}));
  llm::TokenId chosen = 0;
  Status status;
  RunOn(core_->executor(), [&] {
    const auto logits = session_->logits();
    status = logits.status();
    if (logits.ok())
      chosen = sampler.Sample(*logits, session_->tokens(), static_cast<uint64_t>(tokens().size()));
  });
  if (!status.ok()) return status;
  return chosen;
}

Result<llm::FinishReason> LlmSequence::Generate(const SequenceGeneration& wanted) {
  if (tokens().empty())
    return Status(Code::kFailedPrecondition, "nothing to continue: the sequence is empty");
  FERRY_TRY(wanted.sampler.Check());
  const llm::ModelConfig& config = model_.model->config();
  FERRY_ASSIGN_OR_RETURN(const llm::Tokenizer* tokenizer, model_.model->tokenizer());
  llm::Sampler sampler(wanted.sampler, llm::PrfKey::FromSeed(wanted.seed), config.vocabulary);
  llm::StreamDecoder decoder(*tokenizer);
  llm::FinishReason reason = llm::FinishReason::kLength;
  llm::TokenId token = 0;
  for (int64_t made = 0; made < wanted.max_new; ++made) {
    if (session_->length() + (made == 0 ? 0 : 1) >= context_) {
      reason = llm::FinishReason::kContext;
      break;
    }
    FERRY_ASSIGN_OR_RETURN(token, Next(sampler, made == 0 ? nullptr : &token));
    const bool end = wanted.stop_at_end_token &&
                     std::ranges::find(config.end_tokens, token) != config.end_tokens.end();
    const std::string text = decoder.Push(token);
    const bool go_on = !wanted.on_tokens || wanted.on_tokens(text, {&token, 1});
    if (end || !go_on) {
      reason = end ? llm::FinishReason::kEndToken : llm::FinishReason::kStopped;
      break;
    }
  }
  const std::string rest = decoder.Finish();
  if (!rest.empty() && reason != llm::FinishReason::kStopped && wanted.on_tokens)
    wanted.on_tokens(rest, {});
  return reason;
}

}  // namespace ferry::api
