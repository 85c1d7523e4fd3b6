#include "device-runtime/llm/session.h"

#include <algorithm>
#include <cstring>

#include "common/base/check.h"
#include "device-runtime/llm/load/parts.h"
#include "device-runtime/llm/workspace.h"
#include "device-runtime/tensor/buffer.h"

namespace ferry::llm {

struct Session::State {
  State(std::shared_ptr<const Model> m, std::shared_ptr<KvPool> p, const SessionOptions& o,
        Workspace w, tensor::Buffer row)
      : model(std::move(m)),
        pool(std::move(p)),
        parallel(o.parallel != nullptr ? *o.parallel : sys::SerialParallel()),
        prefill_chunk(o.prefill_chunk),
        share_prefixes(o.share_prefixes),
        adapters(o.adapters),
        scope(ScopeWith(adapters.get())),
        prefix_files(pool->has_states() ? nullptr : o.prefix_files),
        workspace(std::move(w)),
        last_row(std::move(row)),
        kv(pool->NewSequence()) {}

  int64_t outputs() const { return model->config().outputs; }
  int64_t length() const { return static_cast<int64_t>(tokens.size()); }
  float* last_logits() const { return reinterpret_cast<float*>(last_row.data()); }
  Status Append(std::span<const TokenId> ids, const std::function<bool()>& proceed, float* logits);
  Status Feed(const std::function<bool()>& proceed, int64_t logits_from, float* logits);
  // Forgets tokens behind `length`; an encoder reads those before anew, for they saw them.
  void Forget(int64_t length) {
    kv.Truncate(model->config().encoder ? 0 : std::min(kv.length(), length));
  }
  Digest prefix_key() const {
    PrefixInputs inputs{.model = model->digest(), .type = pool->type()};
    if (adapters != nullptr) inputs.adapters = adapters->digest();
    inputs.isa = kernels::IsaName(model->state().isa);
    inputs.exact = model->state().exact;
    return PrefixKey(inputs);
  }
  // Reads what other sessions, or other processes, have read before.
  Status FindPrefix(std::span<const TokenId> ids) {
    if (share_prefixes) kv = pool->NewSequence(ids, scope);
    return prefix_files == nullptr ? OkStatus() : prefix_files->Read(prefix_key(), ids, &kv);
  }
  void Offer() {
    if (share_prefixes) pool->Offer(kv, tokens, scope);
  }

  const std::shared_ptr<const Model> model;
  const std::shared_ptr<KvPool> pool;
  sys::Parallel& parallel;
  const int64_t prefill_chunk;
  const bool share_prefixes;
  const std::shared_ptr<const AdapterSet> adapters;
  const PrefixScope scope;
  const std::shared_ptr<const PrefixFiles> prefix_files;
  Workspace workspace;
  tensor::Buffer last_row;  // [outputs]
  std::vector<TokenId> tokens;
  KvSequence kv;           // of a prefix of `tokens`
  int64_t logits_at = -1;  // the length that last_row belongs to
};

// Runs the tokens that `kv` lacks. Logits of tokens from `logits_from` on go to `logits`; when that
// is null, those of the last token to last_row.
Status Session::State::Feed(const std::function<bool()>& proceed, int64_t logits_from,
                            float* logits) {
  // At once, so that what cannot end does not begin; but a window gives back as it moves on.
  const bool windowed = kv.window_pages() > 0;
  if (!windowed) FERRY_TRY(kv.Reserve(length() - kv.length()));
  while (kv.length() < length()) {
    if (proceed && !proceed()) return Status(Code::kCancelled, "reading the prompt was cancelled");
    const int64_t begin = kv.length();
    const int64_t count = std::min(prefill_chunk, length() - begin);
    if (windowed) FERRY_TRY(kv.Reserve(count));
    Chunk chunk{.kv = &kv,
                .tokens = std::span<const TokenId>(tokens).subspan(static_cast<size_t>(begin),
                                                                   static_cast<size_t>(count)),
                .adapters = adapters.get()};
    if (logits != nullptr) {
      chunk.logits_from = std::clamp<int64_t>(logits_from - begin, 0, count);
      chunk.logits = logits + std::max<int64_t>(begin - logits_from, 0) * outputs();
    } else {
      chunk.logits_from = begin + count == length() ? count - 1 : count;
      chunk.logits = last_logits();
    }
    model->Forward({&chunk, 1}, workspace, parallel);
  }
  logits_at = length();
  return OkStatus();
}

Status Session::State::Append(std::span<const TokenId> ids, const std::function<bool()>& proceed,
                              float* logits) {
  if (ids.empty()) return OkStatus();
  const int64_t before = length();
  FERRY_TRY(model->CheckTokens(ids, before));
  if (before == 0 && logits == nullptr) FERRY_TRY(FindPrefix(ids));
  tokens.insert(tokens.end(), ids.begin(), ids.end());
  const Status status = Feed(proceed, before, logits);
  if (!status.ok()) {
    tokens.resize(static_cast<size_t>(before));
    kv.Truncate(std::min(kv.length(), before));
    return status;
  }
  if (logits != nullptr) {
    const float* last = logits + static_cast<int64_t>(ids.size() - 1) * outputs();
    std::memcpy(last_logits(), last, static_cast<size_t>(outputs()) * sizeof(float));
  }
  if (ids.size() > 1) Offer();
  return OkStatus();
}

Result<std::unique_ptr<Session>> Session::Create(std::shared_ptr<const Model> model,
                                                 const SessionOptions& options) {
  FERRY_TRY(model->Ready());
  const ModelConfig& config = model->config();
  if (options.prefill_chunk < 1 || options.prefill_chunk > kMaxChunkTokens) {
    return Status::Of(Code::kInvalidArgument, "prefill_chunk is {}, it must be 1 to {}",
                      options.prefill_chunk, kMaxChunkTokens);
  }
  FERRY_TRY(CheckAdapters(options.adapters.get(), *model));
  SessionOptions own = options;
  if (config.encoder) {
    if (!options.encodes) FERRY_TRY(model->CheckContinues());
    // All of a text in one pass; what a prefix keeps depends on what follows it.
    own.prefill_chunk = std::min(config.context, kMaxChunkTokens);
    own.share_prefixes = false;
    own.prefix_files = nullptr;
  }
  std::shared_ptr<KvPool> pool = options.pool;
  if (pool == nullptr) {
    FERRY_ASSIGN_OR_RETURN(pool, model->NewKvPool(options.kv));
  }
  FERRY_ASSIGN_OR_RETURN(Workspace workspace, model->NewWorkspace(own.prefill_chunk));
  FERRY_ASSIGN_OR_RETURN(
      tensor::Buffer row,
      tensor::Buffer::Allocate(config.outputs * static_cast<int64_t>(sizeof(float))));
  return std::unique_ptr<Session>(new Session(std::make_unique<State>(
      std::move(model), std::move(pool), own, std::move(workspace), std::move(row))));
}

Session::Session(std::unique_ptr<State> state) : state_(std::move(state)) {}

Session::~Session() {
  State& s = *state_;
  if (s.prefix_files != nullptr) s.prefix_files->Write(s.prefix_key(), s.tokens, s.kv);
  s.Offer();
}

const Model& Session::model() const {
  return *state_->model;
}

const std::vector<TokenId>& Session::tokens() const {
  return state_->tokens;
}

Status Session::Append(std::span<const TokenId> ids, const std::function<bool()>& proceed) {
  return state_->Append(ids, proceed, nullptr);
}

Status Session::AppendWithLogits(std::span<const TokenId> ids, std::span<float> logits) {
  const auto wanted = ids.size() * static_cast<size_t>(state_->outputs());
  if (logits.size() != wanted) {
    return Status::Of(Code::kInvalidArgument, "room for {} logits, {} tokens have {}",
                      logits.size(), ids.size(), wanted);
  }
  return state_->Append(ids, {}, logits.data());
}

Result<std::span<const float>> Session::logits() {
  State& s = *state_;
  if (s.tokens.empty()) return std::span<const float>();
  if (s.logits_at != s.length()) {
    // The last token is read again; should that fail, the next call that needs it does so.
    s.Forget(s.length() - 1);
    FERRY_TRY(s.Feed({}, 0, nullptr));
  }
  return std::span<const float>(s.last_logits(), static_cast<size_t>(s.outputs()));
}

void Session::Truncate(int64_t length) {
  State& s = *state_;
  CHECK(length >= 0 && length <= s.length());
  if (length == s.length()) return;
  s.tokens.resize(static_cast<size_t>(length));
  s.Forget(length);
  s.logits_at = -1;
}

}  // namespace ferry::llm
