#include "device-runtime/api/runtime/llm/llm_session.h"

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>

#include "common/base/json.h"
#include "common/sys/clock.h"
#include "common/sys/random.h"
#include "device-runtime/api/runtime/wait.h"
#include "device-runtime/llm/speculative/frames.h"
#include "device-runtime/llm/template/chat_prompt.h"
#include "device-runtime/llm/tokenizer/tokenizer.h"

namespace ferry::api {
namespace {

constexpr double kNsPerS = 1e9;
constexpr double kNsPerMs = 1e6;

// Whether this thread runs a callback of a session: it must not wait for callbacks.
bool& InCallback() {
  thread_local bool inside = false;
  return inside;
}

double PerToken(int64_t amount, int64_t tokens) {
  return tokens > 0 ? static_cast<double>(amount) / static_cast<double>(tokens) : 0;
}

Result<std::vector<llm::ChatMessage>> ReadMessages(const Json& json) {
  if (!json.is_array() || json.empty())
    return Status(Code::kMalformed, "messages are a list of {\"role\", \"content\"}");
  if (json.size() > kMaxMessages)
    return Status::Of(Code::kLimitExceeded, "{} messages, the limit is {}", json.size(),
                      kMaxMessages);
  std::vector<llm::ChatMessage> out;
  for (const Json& one : json) {
    llm::ChatMessage message;
    FERRY_ASSIGN_OR_RETURN(message.role, GetString(one, "role").Context("message {}", out.size()));
    FERRY_ASSIGN_OR_RETURN(message.content,
                           GetString(one, "content").Context("message {}", out.size()));
    out.push_back(std::move(message));
  }
  return out;
}

// A mode that needs the server finds one, and its line is being dialled. On the core's executor.
Status Reach(LlmCore& core, llm::SplitMode mode) {
  if (mode == llm::SplitMode::kDeviceOnly) return OkStatus();
  FERRY_ASSIGN_OR_RETURN(agent::SplitLine * line, core.Line());
  if (line == nullptr)
    return Status::Of(Code::kFailedPrecondition,
                      "mode {} needs a server: start the agent before the session",
                      llm::SplitModeName(mode));
  line->Start();
  return OkStatus();
}

}  // namespace

// Lives as long as the handle; tasks hold it weakly, so that no thread ends itself.
struct LlmSession::State : std::enable_shared_from_this<LlmSession::State> {
  std::shared_ptr<LlmCore> core;
  NamedModel model;
  LlmSessionEvents events;

  // On the core's executor.
  LlmSessionOptions options;
  std::shared_ptr<llm::KvPool> pool;
  std::unique_ptr<agent::SplitStream> stream;  // outlives the session
  std::unique_ptr<llm::SplitSession> session;
  std::unique_ptr<llm::StreamDecoder> decoder;
  bool running = false;
  int64_t prompt_tokens = 0;
  int64_t start_ns = 0;
  int64_t first_ns = 0;
  int64_t last_ns = 0;
  std::array<int64_t, 3> by_source{};  // by llm::TokenSource
  Json last = Json::object();

  // Any thread.
  std::mutex mutex;
  std::condition_variable idle;
  int waiting = 0;  // generations whose on_end was not handed out

  Status Start(std::vector<llm::TokenId> ids);
  Status Prepare(llm::SplitParts* parts);
  llm::SplitEvents Hooks();
  void OnTokens(std::span<const llm::TokenId> ids, llm::TokenSource source);
  void OnEnd(const Result<llm::FinishReason>& end);
  void Drop();
  Json Stats() const;
  void Call(std::function<void(State&)> body);
};

// Runs `body` on the callback thread, unless the handle is gone by then.
void LlmSession::State::Call(std::function<void(State&)> body) {
  core->callbacks().Post([weak = weak_from_this(), body = std::move(body)] {
    const auto self = weak.lock();
    if (self == nullptr) return;
    InCallback() = true;
    body(*self);
    InCallback() = false;
  });
}

// The way to the verifier and the memory, as the mode asks for.
Status LlmSession::State::Prepare(llm::SplitParts* parts) {
  FERRY_TRY(Reach(*core, options.mode));
  FERRY_ASSIGN_OR_RETURN(agent::SplitLine * line, core->Line());
  if (line != nullptr) {
    // Alone nothing goes over it, but SetMode may want it later.
    auto opened = line->Open();
    if (!opened.ok() && options.mode != llm::SplitMode::kDeviceOnly) return opened.status();
    if (opened.ok()) stream = std::move(*opened);
  }
  if (pool == nullptr && options.memory_bytes > 0) {
    FERRY_ASSIGN_OR_RETURN(pool, model.model->NewKvPool({.limit_bytes = options.memory_bytes}));
  } else if (pool == nullptr) {
    FERRY_ASSIGN_OR_RETURN(pool, core->PoolOf(model.model));
  }
  parts->executor = &core->executor();
  parts->clock = &sys::SystemClock();
  parts->random = &sys::SystemRandom();
  parts->parallel = core->parallel();
  parts->link = stream.get();
  parts->stream = stream != nullptr ? stream->id() : uint8_t{0};
  return OkStatus();
}

llm::SplitEvents LlmSession::State::Hooks() {
  return {.on_tokens = [this](std::span<const llm::TokenId> ids,
                              llm::TokenSource source) { OnTokens(ids, source); },
          .on_mode =
              [this](llm::SplitMode mode, const Status& why) {
                if (!events.on_mode) return;
                Call([mode, why](State& self) { self.events.on_mode(mode, why); });
              },
          .on_end = [this](const Result<llm::FinishReason>& end) { OnEnd(end); }};
}

Status LlmSession::State::Start(std::vector<llm::TokenId> ids) {
  if (running)
    return Status(Code::kFailedPrecondition, "a generation of this session runs already");
  if (ids.empty()) return Status(Code::kInvalidArgument, "the prompt has no tokens");
  FERRY_TRY(model.model->CheckTokens(ids, 0));
  FERRY_TRY(options.sampler.Check());
  llm::SplitParts parts;
  FERRY_TRY(Prepare(&parts));
  llm::SplitOptions split;
  split.mode = options.mode;
  split.pipelined = options.pipelined;
  split.draft_tokens = options.draft_tokens;
  split.fallback = options.fallback;
  split.sampler = options.sampler;
  split.key = llm::PrfKey::FromSeed(options.seed);
  split.target = options.target;
  split.adapters = options.adapters;
  split.draft_name = model.package.empty() ? std::string() : model.package + " " + model.version;
  split.max_new = options.max_new;
  split.stop_at_end_token = options.stop_at_end_token;
  FERRY_ASSIGN_OR_RETURN(auto made,
                         llm::SplitSession::Create(model.model, pool, parts, split, Hooks()));
  prompt_tokens = static_cast<int64_t>(ids.size());
  by_source = {};
  first_ns = last_ns = 0;
  start_ns = sys::SystemClock().MonotonicNs();
  decoder.reset();
  if (const auto tokenizer = model.model->tokenizer(); tokenizer.ok())
    decoder = std::make_unique<llm::StreamDecoder>(**tokenizer);
  FERRY_TRY(made->Start(std::move(ids)));
  session = std::move(made);
  running = true;
  const std::lock_guard lock(mutex);
  ++waiting;
  return OkStatus();
}

void LlmSession::State::OnTokens(std::span<const llm::TokenId> ids, llm::TokenSource source) {
  last_ns = sys::SystemClock().MonotonicNs();
  if (first_ns == 0) first_ns = last_ns;
  by_source[static_cast<size_t>(source)] += static_cast<int64_t>(ids.size());
  std::string text;
  if (decoder != nullptr)
    for (const llm::TokenId id : ids) text += decoder->Push(id);
  if (!events.on_tokens) return;
  Call([text = std::move(text), copy = std::vector<llm::TokenId>(ids.begin(), ids.end()),
        source](State& self) { self.events.on_tokens(text, copy, source); });
}

void LlmSession::State::OnEnd(const Result<llm::FinishReason>& end) {
  last = Stats();
  Status status = end.status();
  if (end.ok() && *end == llm::FinishReason::kStopped)
    status = Status(Code::kCancelled, "the generation was cancelled");
  last["reason"] = end.ok() ? llm::FinishReasonName(*end) : "error";
  std::string rest = decoder != nullptr ? decoder->Finish() : std::string();
  // The session is the one that is calling: it goes after its callback, and before the app's.
  core->executor().Post([weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->Drop();
  });
  Call([rest = std::move(rest), status, stats = last](State& self) {
    if (!rest.empty() && self.events.on_tokens)
      self.events.on_tokens(rest, {}, llm::TokenSource::kDevice);
    if (self.events.on_end) self.events.on_end(status, stats);
    const std::lock_guard lock(self.mutex);
    --self.waiting;
    self.idle.notify_all();
  });
}

void LlmSession::State::Drop() {
  session.reset();
  stream.reset();
  running = false;
}

Json LlmSession::State::Stats() const {
  if (session == nullptr) return last;
  const llm::SplitStats stats = session->stats();
  Json out = SplitStatsToJson(stats);
  out["mode"] = llm::SplitModeName(session->mode());
  out["prompt_tokens"] = prompt_tokens;
  out["tokens"] = {{"verified", by_source[0]}, {"cloud", by_source[1]}, {"device", by_source[2]}};
  out["first_token_ms"] = first_ns > 0 ? static_cast<double>(first_ns - start_ns) / kNsPerMs : 0.0;
  const double seconds = static_cast<double>(last_ns - start_ns) / kNsPerS;
  out["tokens_per_s"] = last_ns > start_ns ? static_cast<double>(stats.emitted) / seconds : 0.0;
  return out;
}

Json SplitStatsToJson(const llm::SplitStats& stats) {
  const int64_t bytes = stats.bytes_up + stats.bytes_down;
  const int64_t setup = stats.setup_bytes_up + stats.setup_bytes_down;
  return {{"emitted", stats.emitted},
          {"compared", stats.compared},
          {"accepted", stats.accepted},
          {"acceptance", PerToken(stats.accepted, stats.compared)},
          {"drafted", stats.drafted},
          {"rounds", stats.rounds},
          {"retransmits", stats.retransmits},
          {"reopens", stats.reopens},
          {"fallbacks", stats.fallbacks},
          {"bytes_up", stats.bytes_up},
          {"bytes_down", stats.bytes_down},
          {"setup_bytes_up", stats.setup_bytes_up},
          {"setup_bytes_down", stats.setup_bytes_down},
          {"round_bytes_per_token", PerToken(bytes - setup, stats.emitted)},
          {"round_trip_ms", stats.round_trip_ms}};
}

Result<std::unique_ptr<LlmSession>> LlmSession::Create(std::shared_ptr<LlmCore> core,
                                                       NamedModel model,
                                                       const LlmSessionOptions& options,
                                                       LlmSessionEvents events) {
  FERRY_TRY(options.sampler.Check());
  if (options.max_new < 0 || options.draft_tokens < 0 || options.memory_bytes < 0)
    return Status(Code::kInvalidArgument,
                  "max_new, draft_tokens and memory_bytes are not negative");
  if (options.draft_tokens > llm::kMaxDraftTokens)
    return Status::Of(Code::kInvalidArgument, "draft_tokens {}, the limit is {}",
                      options.draft_tokens, llm::kMaxDraftTokens);
  FERRY_TRY(llm::CheckAdapters(options.adapters.get(), *model.model));
  Status reachable;
  RunOn(core->executor(), [&] { reachable = Reach(*core, options.mode); });
  FERRY_TRY(reachable);
  auto state = std::make_shared<State>();
  state->core = std::move(core);
  state->model = std::move(model);
  state->options = options;
  state->events = std::move(events);
  return std::unique_ptr<LlmSession>(new LlmSession(std::move(state)));
}

LlmSession::~LlmSession() {
  RunOn(state_->core->executor(), [this] { state_->Drop(); });
  if (!InCallback()) RunOn(state_->core->callbacks(), [] {});
}

Status LlmSession::StartText(std::string_view text) {
  FERRY_ASSIGN_OR_RETURN(const llm::Tokenizer* tokenizer, state_->model.model->tokenizer());
  FERRY_ASSIGN_OR_RETURN(auto ids, tokenizer->Encode(text));
  return StartIds(std::move(ids));
}

Status LlmSession::StartChat(const Json& messages) {
  FERRY_ASSIGN_OR_RETURN(const auto read, ReadMessages(messages));
  FERRY_ASSIGN_OR_RETURN(const llm::Tokenizer* tokenizer, state_->model.model->tokenizer());
  FERRY_ASSIGN_OR_RETURN(const llm::ChatTemplate* chat, state_->model.model->chat_template());
  FERRY_ASSIGN_OR_RETURN(auto ids, llm::ChatPrompt(*tokenizer, *chat).Render(read));
  return StartIds(std::move(ids));
}

Status LlmSession::StartIds(std::vector<llm::TokenId> ids) {
  Status status;
  RunOn(state_->core->executor(), [&] {
    status = state_->Start(std::move(ids));
    if (!status.ok() && !state_->running) state_->Drop();
  });
  return status;
}

Status LlmSession::SetMode(llm::SplitMode mode) {
  Status status;
  RunOn(state_->core->executor(), [&] {
    status = Reach(*state_->core, mode);
    if (status.ok() && mode != llm::SplitMode::kDeviceOnly && state_->running && !state_->stream)
      status = Status(Code::kFailedPrecondition, "the generation began without a server");
    if (!status.ok()) return;
    state_->options.mode = mode;
    if (state_->session != nullptr) state_->session->SetMode(mode);
  });
  return status;
}

void LlmSession::Cancel() {
  RunOn(state_->core->executor(), [this] {
    if (state_->session != nullptr) state_->session->Cancel();
  });
}

Json LlmSession::StatsJson() {
  Json out;
  RunOn(state_->core->executor(), [&] { out = state_->Stats(); });
  return out;
}

Status LlmSession::Wait(int64_t timeout_ms) {
  if (InCallback())
    return Status(Code::kFailedPrecondition, "wait was called from a callback of a session");
  std::unique_lock lock(state_->mutex);
  const auto done = [this] { return state_->waiting == 0; };
  if (timeout_ms < 0) {
    state_->idle.wait(lock, done);
    return OkStatus();
  }
  if (state_->idle.wait_for(lock, std::chrono::milliseconds(timeout_ms), done)) return OkStatus();
  return Status::Of(Code::kDeadlineExceeded, "the generation was not done after {} ms", timeout_ms);
}

const NamedModel& LlmSession::model() const {
  return state_->model;
}

}  // namespace ferry::api
