#include "device-runtime/bindings/types/generation.h"

#include <algorithm>
#include <limits>

#include "common/sys/clock.h"
#include "device-runtime/bindings/modules.h"
#include "device-runtime/llm/kv/kv_cache.h"

namespace ferry::bindings {
namespace {

using vm::CallContext;
using vm::Value;

// Rows of the vocabulary beside the workspace: logits, and what a sampler keeps.
constexpr int64_t kVocabularyRows = 4;

// The pool that holds exactly `capacity` positions.
Result<std::shared_ptr<llm::KvPool>> PoolFor(const llm::Model& model, int64_t capacity,
                                             int64_t* bytes) {
  FERRY_ASSIGN_OR_RETURN(auto probe, model.NewKvPool({}));
  const int64_t page_bytes = probe->stats().page_bytes;
  *bytes = (capacity + llm::kPositionsOfPage - 1) / llm::kPositionsOfPage * page_bytes;
  return model.NewKvPool({.limit_bytes = *bytes});
}

Result<float> FloatOr(CallContext& c, Value value, const char* name, float fallback) {
  if (value.empty()) return fallback;
  FERRY_ASSIGN_OR_RETURN(const double number, c.AsNumber(value, name));
  return static_cast<float>(number);
}

Result<int64_t> IntOr(CallContext& c, Value value, const char* name, int64_t fallback) {
  if (value.empty()) return fallback;
  return c.AsInt(value, name);
}

Status ReadStops(CallContext& c, Value value, std::vector<std::string>* out) {
  if (value.empty() || value.IsNone()) return OkStatus();
  FERRY_ASSIGN_OR_RETURN(auto items, c.AsSequence(value, "stop"));
  if (items.size() > kMaxStops)
    return Status::Of(Code::kInvalidArgument, "{} stop texts, the limit is {}", items.size(),
                      kMaxStops);
  for (const Value item : items) {
    FERRY_ASSIGN_OR_RETURN(std::string_view text, c.AsString(item, "stop"));
    if (text.empty() || text.size() > kMaxStopBytes)
      return Status::Of(Code::kInvalidArgument, "a stop text of {} bytes, 1 to {} are allowed",
                        text.size(), kMaxStopBytes);
    out->emplace_back(text);
  }
  return OkStatus();
}

// Where the first of `stops` begins in `text`, if one ends behind `from`; npos.
size_t FindStop(const std::string& text, const std::vector<std::string>& stops, size_t from) {
  size_t found = std::string::npos;
  for (const std::string& stop : stops) {
    const size_t begin = from > stop.size() ? from - stop.size() : 0;
    found = std::min(found, text.find(stop, begin));
  }
  return found;
}

}  // namespace

Result<std::unique_ptr<ScriptSequence>> ScriptSequence::Create(
    CallContext& c, std::shared_ptr<const llm::Model> model, int64_t capacity) {
  const llm::ModelConfig& config = model->config();
  if (capacity < 1 || capacity > config.context)
    return Status::Of(Code::kInvalidArgument, "a sequence of {} tokens, the model takes 1 to {}",
                      capacity, config.context);
  int64_t kv_bytes = 0;
  FERRY_ASSIGN_OR_RETURN(auto pool, PoolFor(*model, capacity, &kv_bytes));
  std::unique_ptr<ScriptSequence> made(new ScriptSequence());
  made->capacity_ = capacity;
  const int64_t rows = kVocabularyRows * config.vocabulary * static_cast<int64_t>(sizeof(float));
  const int64_t bytes = kv_bytes + rows + model->WorkspaceBytes(kScriptPrefillChunk);
  FERRY_TRY(c.ReserveExternal(static_cast<size_t>(bytes)));
  auto budget = HostOf(c).Budget();
  if (budget != nullptr && !budget->TryReserve(bytes))
    return Status::Of(Code::kOutOfMemory,
                      "a sequence of {} tokens takes {} bytes: {} of {} of the task are in use",
                      capacity, bytes, budget->used(), budget->limit());
  made->budget_ = std::move(budget);
  made->bytes_ = bytes;
  llm::SessionOptions options;
  options.pool = std::move(pool);
  options.parallel = HostOf(c).Threads();
  options.prefill_chunk = kScriptPrefillChunk;
  options.share_prefixes = false;
  FERRY_ASSIGN_OR_RETURN(made->session_, llm::Session::Create(std::move(model), options));
  return made;
}

ScriptSequence::~ScriptSequence() {
  session_.reset();
  if (budget_ != nullptr) budget_->Release(bytes_);
}

Status ScriptSequence::Append(CallContext& c, std::span<const llm::TokenId> ids) {
  FERRY_TRY(session_->model().CheckTokens(ids, session_->length()));
  if (session_->length() + static_cast<int64_t>(ids.size()) > capacity_)
    return Status::Of(Code::kLimitExceeded, "{} tokens and {} more pass the sequence's {}",
                      session_->length(), ids.size(), capacity_);
  // Piece by piece, so that a passed limit or an interrupt ends a long prompt soon.
  const int64_t before = session_->length();
  while (!ids.empty()) {
    const size_t count = std::min<size_t>(ids.size(), kScriptPrefillChunk);
    Status status = c.Charge(static_cast<int64_t>(count) * kTokenSteps);
    if (status.ok()) {
      const vm::LongWork running(c);
      status = session_->Append(ids.first(count));
    }
    if (!status.ok()) {
      session_->Truncate(before);
      return status;
    }
    ids = ids.subspan(count);
  }
  return OkStatus();
}

Result<std::vector<llm::TokenId>> ReadPrompt(CallContext& c, const llm::Model& model,
                                             Value prompt) {
  if (c.IsString(prompt)) {
    FERRY_ASSIGN_OR_RETURN(const std::string_view text, c.AsString(prompt, "prompt"));
    FERRY_TRY(c.Charge(static_cast<int64_t>(text.size())));
    FERRY_ASSIGN_OR_RETURN(const llm::Tokenizer* tokenizer, model.tokenizer());
    return tokenizer->Encode(text);
  }
  FERRY_ASSIGN_OR_RETURN(const auto items, c.AsSequence(prompt, "prompt"));
  FERRY_TRY(c.Charge(static_cast<int64_t>(items.size())));
  std::vector<llm::TokenId> ids;
  ids.reserve(items.size());
  for (const Value item : items) {
    FERRY_ASSIGN_OR_RETURN(const int64_t id, c.AsInt(item, "a token id"));
    if (id < 0 || id >= model.config().vocabulary)
      return Status::Of(Code::kInvalidArgument, "token id {} is not below the vocabulary's {}", id,
                        model.config().vocabulary);
    ids.push_back(static_cast<llm::TokenId>(id));
  }
  return ids;
}

Result<ScriptGeneration> ReadGeneration(CallContext& c, const Value* args) {
  ScriptGeneration out;
  FERRY_ASSIGN_OR_RETURN(out.max_new, IntOr(c, args[0], "max_new", kDefaultMaxNew));
  if (out.max_new < 0)
    return Status::Of(Code::kInvalidArgument, "max_new {} is negative", out.max_new);
  FERRY_ASSIGN_OR_RETURN(out.sampler.temperature, FloatOr(c, args[1], "temperature", 0));
  FERRY_ASSIGN_OR_RETURN(const int64_t seed, IntOr(c, args[2], "seed", 0));
  out.key = llm::PrfKey::FromSeed(static_cast<uint64_t>(seed));
  FERRY_ASSIGN_OR_RETURN(out.sampler.top_k, IntOr(c, args[3], "top_k", 0));
  FERRY_ASSIGN_OR_RETURN(out.sampler.top_p, FloatOr(c, args[4], "top_p", 1));
  FERRY_ASSIGN_OR_RETURN(out.sampler.repetition_penalty,
                         FloatOr(c, args[5], "repetition_penalty", 1));
  FERRY_TRY(out.sampler.Check());
  FERRY_TRY(ReadStops(c, args[6], &out.stop));
  return out;
}

Result<std::string> GenerateText(CallContext& c, ScriptSequence& sequence,
                                 const ScriptGeneration& request) {
  llm::Session& session = sequence.session();
  const llm::Model& model = session.model();
  FERRY_ASSIGN_OR_RETURN(const llm::Tokenizer* tokenizer, model.tokenizer());
  llm::Sampler sampler(request.sampler, request.key, model.config().vocabulary);
  llm::StreamDecoder decoder(*tokenizer);
  std::string text;
  size_t stop = std::string::npos;
  Status charged;
  llm::GenerateOptions options;
  options.max_new = std::min(request.max_new, sequence.capacity() - session.length());
  options.on_token = [&](llm::TokenId id) {
    charged = c.Charge(kTokenSteps);
    const size_t before = text.size();
    text += decoder.Push(id);
    stop = FindStop(text, request.stop, before);
    return charged.ok() && stop == std::string::npos;
  };
  sys::Clock& clock = sys::SystemClock();
  const int64_t start_ns = clock.MonotonicNs();
  const auto generate = [&] {
    const vm::LongWork running(c);
    return llm::Generate(session, sampler, options);
  };
  const auto generated = generate();
  FERRY_TRY(charged);
  if (!generated.ok()) return generated.status();
  HostOf(c).CountInference(clock.MonotonicNs() - start_ns);
  if (stop != std::string::npos)
    text.resize(stop);
  else
    text += decoder.Finish();
  return text;
}

}  // namespace ferry::bindings
