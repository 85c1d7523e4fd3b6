#include "device-runtime/llm/batch/batcher.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>

#include "device-runtime/llm/batch/share.h"
#include "device-runtime/llm/workspace.h"
#include "device-runtime/tensor/buffer.h"

namespace ferry::llm {

namespace {

// A request under way.
struct Active {
  BatchRequest request;
  int64_t length_before = 0;  // of its sequence
  int64_t fed = 0;            // of its tokens
  bool reserved = false;
  tensor::Buffer logits;  // of the wanted tokens
  int64_t share = 0;      // of the pass at hand

  int64_t count() const { return static_cast<int64_t>(request.tokens.size()); }
  int64_t rows() const { return count() - request.logits_from; }
};

}  // namespace

// What is behind the mutex is for any thread, the rest for the executor; while a pass is computed
// elsewhere, chunks and workspace are that thread's. Tasks hold on to it; once `stopped`, they do
// nothing.
struct Batcher::State : std::enable_shared_from_this<Batcher::State> {
  State(std::shared_ptr<const Model> m, const BatcherOptions& o)
      : model(std::move(m)),
        options(o),
        clock(o.clock != nullptr ? *o.clock : sys::SystemClock()),
        parallel(o.parallel != nullptr ? *o.parallel : sys::SerialParallel()),
        pass_tokens(o.pass_ms > 0 ? kFirstBatchTokens : kMaxBatchTokens) {}

  void PostPass() {
    options.executor->Post([self = shared_from_this()] { self->Pass(); });
  }
  void Pass();
  bool Admit();
  Status Prepare(Active& active);
  bool Plan();
  void Compute();
  void ComputeElsewhere();
  void Computed();
  void Pace(double took_ms);
  void Finish();
  bool Answer(std::unique_ptr<Active> active, const Status& status);
  bool Stopped() {
    std::lock_guard lock(mutex);
    return stopped;
  }

  const std::shared_ptr<const Model> model;
  const BatcherOptions options;
  sys::Clock& clock;
  sys::Parallel& parallel;

  std::mutex mutex;
  std::deque<std::unique_ptr<Active>> waiting;
  size_t open = 0;  // waiting and active
  bool scheduled = false;
  bool stopped = false;
  bool elsewhere = false;  // a pass is being computed on options.passes
  std::condition_variable back;
  Stats stats;

  std::deque<std::unique_ptr<Active>> active;  // the next to be served first
  std::optional<Workspace> workspace;
  std::vector<Chunk> chunks;  // of the pass at hand
  int64_t chunk_tokens = 0;
  double took_ms = 0;     // of that pass
  int64_t pass_tokens;    // of the next pass at most
  double carried_ms = 0;  // of extra costs, below the timer's resolution
};

// Calls `done`; false when the batcher is gone afterwards.
bool Batcher::State::Answer(std::unique_ptr<Active> one, const Status& status) {
  std::span<const float> logits;
  if (status.ok() && one->rows() > 0) {
    logits = {reinterpret_cast<const float*>(one->logits.data()),
              static_cast<size_t>(one->rows() * model->config().vocabulary)};
  }
  if (!status.ok()) one->request.kv->Truncate(one->length_before);
  {
    std::lock_guard lock(mutex);
    --open;
    ++stats.requests;
  }
  if (one->request.done) one->request.done(status, logits);
  return !Stopped();
}

// Room for its keys, values and logits, taken at once so that a request that cannot end does not
// begin.
Status Batcher::State::Prepare(Active& one) {
  if (one.request.wanted && !one.request.wanted()) {
    return Status(Code::kCancelled, "the request is no longer wanted");
  }
  if (one.reserved) return OkStatus();
  FERRY_TRY(model->Ready());
  FERRY_TRY(one.request.kv->Reserve(one.count()));
  const int64_t row_bytes = model->config().vocabulary * static_cast<int64_t>(sizeof(float));
  FERRY_ASSIGN_OR_RETURN(one.logits, tensor::Buffer::Allocate(one.rows() * row_bytes));
  if (!workspace.has_value()) {
    FERRY_ASSIGN_OR_RETURN(workspace, model->NewWorkspace(kMaxBatchTokens));
  }
  one.reserved = true;
  return OkStatus();
}

// Takes in what was submitted and answers what cannot or need not go on; false when the batcher is
// gone.
bool Batcher::State::Admit() {
  {
    std::lock_guard lock(mutex);
    if (stopped) return false;
    for (auto& one : waiting) active.push_back(std::move(one));
    waiting.clear();
  }
  std::deque<std::unique_ptr<Active>> going_on;
  while (!active.empty()) {
    std::unique_ptr<Active> one = std::move(active.front());
    active.pop_front();
    const Status status = Prepare(*one);
    if (status.ok()) {
      going_on.push_back(std::move(one));
    } else if (!Answer(std::move(one), status)) {
      return false;
    }
  }
  active = std::move(going_on);
  return true;
}

// Deals the next pass out to the active requests; false when there are none.
bool Batcher::State::Plan() {
  std::vector<int64_t> remaining;
  for (const auto& one : active) remaining.push_back(one->count() - one->fed);
  const std::vector<int64_t> shares = ShareTokens(remaining, pass_tokens);
  chunks.clear();
  chunk_tokens = 0;
  for (size_t i = 0; i < active.size(); ++i) {
    Active& one = *active[i];
    one.share = shares[i];
    if (one.share == 0) continue;
    const int64_t row = std::max<int64_t>(one.fed - one.request.logits_from, 0);
    chunks.push_back(
        {.kv = one.request.kv,
         .tokens = std::span<const TokenId>(one.request.tokens)
                       .subspan(static_cast<size_t>(one.fed), static_cast<size_t>(one.share)),
         .logits_from = std::clamp<int64_t>(one.request.logits_from - one.fed, 0, one.share),
         .logits = reinterpret_cast<float*>(one.logits.data()) + row * model->config().vocabulary,
         .adapters = one.request.adapters.get()});
    one.fed += one.share;
    chunk_tokens += one.share;
  }
  return !chunks.empty();
}

void Batcher::State::Compute() {
  const int64_t start = clock.MonotonicNs();
  model->Forward(chunks, *workspace, parallel);
  took_ms = static_cast<double>(clock.MonotonicNs() - start) * 1e-6;
}

// On the thread of passes. The batcher does not go before the pass has ended: it uses sequences
// that are their owners'.
void Batcher::State::ComputeElsewhere() {
  {
    std::lock_guard lock(mutex);
    if (stopped) return;
    elsewhere = true;
  }
  Compute();
  std::lock_guard lock(mutex);
  elsewhere = false;
  back.notify_all();
  if (stopped) return;
  options.executor->Post([self = shared_from_this()] {
    if (!self->Stopped()) self->Computed();
  });
}

// How long the next pass may be after this one.
void Batcher::State::Pace(double pass_took_ms) {
  const auto most_ms = static_cast<double>(options.pass_ms);
  if (most_ms <= 0) return;
  if (pass_took_ms > most_ms) {
    const auto fitting =
        static_cast<int64_t>(static_cast<double>(chunk_tokens) * most_ms / pass_took_ms);
    pass_tokens = std::clamp(fitting, kLeastBatchTokens, pass_tokens);
  } else if (chunk_tokens == pass_tokens && pass_took_ms < most_ms / 2) {
    pass_tokens = std::min(2 * pass_tokens, kMaxBatchTokens);
  }
}

void Batcher::State::Pass() {
  if (!Admit()) return;
  if (!Plan()) {
    std::lock_guard lock(mutex);
    scheduled = !waiting.empty();
    if (scheduled) PostPass();
    return;
  }
  if (options.passes != nullptr) {
    options.passes->Post([self = shared_from_this()] { self->ComputeElsewhere(); });
    return;
  }
  Compute();
  Computed();
}

// Counts the pass and answers it, once it has cost what it is said to.
void Batcher::State::Computed() {
  const auto sequences = static_cast<int64_t>(chunks.size());
  const double extra = options.extra_cost_ms ? options.extra_cost_ms(chunk_tokens, sequences) : 0;
  carried_ms += extra;
  Pace(took_ms);
  {
    std::lock_guard lock(mutex);
    ++stats.passes;
    stats.tokens += chunk_tokens;
    stats.largest_batch = std::max(stats.largest_batch, sequences);
    stats.busy_ms += took_ms + extra;
  }
  const auto wait_ms = static_cast<int64_t>(carried_ms);
  carried_ms -= static_cast<double>(wait_ms);
  if (wait_ms <= 0) return Finish();
  options.executor->PostAfter(wait_ms, [self = shared_from_this()] {
    if (!self->Stopped()) self->Finish();
  });
}

// Answers what the pass has completed and asks for the next one.
void Batcher::State::Finish() {
  std::deque<std::unique_ptr<Active>> completed, served, left;
  for (auto& one : active) {
    const bool complete = one->fed == one->count();
    (complete ? completed : one->share > 0 ? served : left).push_back(std::move(one));
  }
  active = std::move(left);
  for (auto& one : served) active.push_back(std::move(one));
  for (auto& one : completed) {
    if (!Answer(std::move(one), OkStatus())) return;
  }
  std::lock_guard lock(mutex);
  scheduled = !waiting.empty() || !active.empty();
  if (scheduled) PostPass();
}

Batcher::Batcher(std::shared_ptr<const Model> model, const BatcherOptions& options)
    : state_(std::make_shared<State>(std::move(model), options)) {}

Batcher::~Batcher() {
  std::deque<std::unique_ptr<Active>> waiting, active;  // their callbacks end outside the lock
  std::unique_lock lock(state_->mutex);
  state_->stopped = true;
  state_->back.wait(lock, [this] { return !state_->elsewhere; });
  std::swap(waiting, state_->waiting);
  std::swap(active, state_->active);
}

Status Batcher::Submit(BatchRequest request) {
  State& s = *state_;
  const auto count = static_cast<int64_t>(request.tokens.size());
  if (request.kv == nullptr || count == 0 || request.logits_from < 0 ||
      request.logits_from > count) {
    return Status::Of(Code::kInvalidArgument,
                      "a request of {} tokens with logits from {} of {} sequence", count,
                      request.logits_from, request.kv == nullptr ? "no" : "a");
  }
  FERRY_TRY(s.model->CheckContinues());
  FERRY_TRY(s.model->CheckTokens(request.tokens, request.kv->length()));
  FERRY_TRY(CheckAdapters(request.adapters.get(), *s.model));
  auto one = std::make_unique<Active>();
  one->length_before = request.kv->length();
  one->request = std::move(request);
  std::lock_guard lock(s.mutex);
  if (s.open >= kMaxBatchRequests) {
    return Status::Of(Code::kLimitExceeded, "{} requests wait already, at most {} may", s.open,
                      kMaxBatchRequests);
  }
  ++s.open;
  s.waiting.push_back(std::move(one));
  if (!s.scheduled) {
    s.scheduled = true;
    s.PostPass();
  }
  return OkStatus();
}

Batcher::Stats Batcher::stats() const {
  std::lock_guard lock(state_->mutex);
  return state_->stats;
}

}  // namespace ferry::llm
