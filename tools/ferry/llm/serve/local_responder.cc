#include "tools/ferry/llm/serve/local_responder.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>

#include "common/base/json.h"
#include "common/sys/clock.h"
#include "device-runtime/kernels/attention/attention.h"

namespace ferry::cli {
namespace {

double MsBetween(int64_t from_ns, int64_t to_ns) {
  return static_cast<double>(to_ns - from_ns) / 1e6;
}

// What a pass gives back to the thread that waits for it.
class PassResult {
 public:
  void Set(const Status& status, std::span<const float> logits) {
    const std::lock_guard lock(mutex_);
    status_ = status;
    logits_.assign(logits.begin(), logits.end());
    done_ = true;
    ready_.notify_one();
  }
  Status Wait() {
    std::unique_lock lock(mutex_);
    ready_.wait(lock, [this] { return done_; });
    done_ = false;
    return status_;
  }
  std::span<const float> logits() const { return logits_; }

 private:
  std::mutex mutex_;  // guards all but logits_ after Wait
  std::condition_variable ready_;
  bool done_ = false;
  Status status_;
  std::vector<float> logits_;
};

}  // namespace

// One reply, from the prompt to its last token.
class LocalResponder::Run {
 public:
  Run(LocalResponder& owner, const ReplyRequest& request, const ReplyEvents& events)
      : owner_(owner),
        request_(request),
        events_(events),
        sampler_(request.sampler, llm::PrfKey::FromSeed(request.seed),
                 owner.opened_.model->config().vocabulary),
        tokens_(request.prompt),
        adapters_(owner.AdaptersOf(request)),
        scope_(llm::ScopeWith(adapters_.get(), llm::PrefixScope::Of(request.client))),
        kv_(owner.pool_->NewSequence(request.prompt, scope_)) {}

  Result<Reply> Go() {
    Reply reply;
    reply.reused = kv_.length();
    const int64_t start = sys::SystemClock().MonotonicNs();
    int64_t first = start;
    const int64_t context = owner_.context();
    while (static_cast<int64_t>(reply.ids.size()) < request_.max_new) {
      if (static_cast<int64_t>(tokens_.size()) >= context) {
        reply.reason = llm::FinishReason::kContext;
        break;
      }
      FERRY_TRY(Pass());
      const llm::TokenId id = sampler_.Sample(result_.logits(), tokens_, tokens_.size());
      if (reply.ids.empty()) first = sys::SystemClock().MonotonicNs();
      reply.ids.push_back(id);
      tokens_.push_back(id);
      const bool go_on = !events_.on_token || events_.on_token(id);
      if (Ends(id)) {
        reply.reason = llm::FinishReason::kEndToken;
        break;
      }
      if (!go_on) {
        reply.reason = llm::FinishReason::kStopped;
        break;
      }
    }
    const int64_t end = sys::SystemClock().MonotonicNs();
    reply.prompt_ms = MsBetween(start, first);
    reply.answer_ms = MsBetween(first, end);
    return reply;
  }
  // For the next request that begins alike.
  void Keep() {
    owner_.pool_->Offer(kv_, std::span(tokens_).first(static_cast<size_t>(kv_.length())), scope_);
  }

 private:
  // Reads the tokens that the cache lacks; then result_ has the last one's logits.
  Status Pass() {
    llm::BatchRequest pass;
    pass.kv = &kv_;
    pass.tokens.assign(tokens_.begin() + kv_.length(), tokens_.end());
    pass.adapters = adapters_;
    pass.logits_from = static_cast<int64_t>(pass.tokens.size()) - 1;
    pass.done = [this](const Status& status, std::span<const float> logits) {
      result_.Set(status, logits);
    };
    pass.wanted = events_.wanted;
    FERRY_TRY(owner_.batcher_->Submit(std::move(pass)));
    return result_.Wait();
  }
  bool Ends(llm::TokenId id) const {
    if (!request_.stop_at_end_token) return false;
    const auto in = [id](const std::vector<llm::TokenId>& ids) {
      return std::find(ids.begin(), ids.end(), id) != ids.end();
    };
    return in(owner_.opened_.model->config().end_tokens) || in(request_.more_end_tokens);
  }

  LocalResponder& owner_;
  const ReplyRequest& request_;
  const ReplyEvents& events_;
  llm::Sampler sampler_;
  std::vector<llm::TokenId> tokens_;
  const std::shared_ptr<const llm::AdapterSet> adapters_;
  const llm::PrefixScope scope_;
  llm::KvSequence kv_;
  PassResult result_;
};

LocalResponder::LocalResponder(OpenedModel opened, const LocalOptions& options)
    : opened_(std::move(opened)), options_(options) {}

LocalResponder::~LocalResponder() {
  executor_.reset();
}

Result<std::unique_ptr<LocalResponder>> LocalResponder::Create(OpenedModel opened,
                                                               const LocalOptions& options) {
  std::unique_ptr<LocalResponder> made(new LocalResponder(std::move(opened), options));
  const llm::Model& model = *made->opened_.model;
  FERRY_TRY(model.CheckContinues());
  FERRY_ASSIGN_OR_RETURN(made->tokenizer_, model.tokenizer());
  made->template_ = TemplateOf(model);
  FERRY_ASSIGN_OR_RETURN(made->pool_, model.NewKvPool(made->opened_.kv));
  made->admission_ = std::make_unique<Admission>(
      AdmissionLimits{options.max_requests, options.max_waiting, options.max_waiting_each,
                      made->pool_->stats().limit_bytes});
  made->executor_ = sys::StartThreadExecutor("ferry-model");
  llm::BatcherOptions batcher;
  batcher.executor = made->executor_.get();
  batcher.clock = &sys::SystemClock();
  batcher.parallel = made->opened_.parallel.get();
  batcher.pass_ms = kServePassMs;
  made->batcher_ = std::make_unique<llm::Batcher>(made->opened_.model, batcher);
  return made;
}

int64_t LocalResponder::BytesFor(const ReplyRequest& request) const {
  const auto prompt = static_cast<int64_t>(request.prompt.size());
  const int64_t positions = std::min(context(), prompt + std::min(request.max_new, context()));
  const int64_t pages = (positions + kernels::kPagePositions - 1) / kernels::kPagePositions;
  return pages * pool_->stats().page_bytes;
}

std::vector<std::string> LocalResponder::adapters() const {
  std::vector<std::string> names;
  if (!options_.adapters_by_name) return names;
  for (const auto& [name, set] : opened_.named) names.push_back(name);
  return names;
}

const std::shared_ptr<const llm::AdapterSet>& LocalResponder::AdaptersOf(
    const ReplyRequest& request) const {
  if (!options_.adapters_by_name) return opened_.adapters;
  const auto named = opened_.named.find(request.adapter);
  return named == opened_.named.end() ? opened_.unnamed : named->second;
}

Status LocalResponder::CheckRequest(const ReplyRequest& request) const {
  FERRY_TRY(request.sampler.Check());
  if (request.prompt.empty()) return Status(Code::kInvalidArgument, "the prompt is empty");
  FERRY_TRY(opened_.model->CheckTokens(request.prompt, 0));
  const int64_t limit = pool_->stats().limit_bytes;
  if (BytesFor(request) > limit)
    return Status::Of(Code::kLimitExceeded,
                      "a prompt of {} tokens and {} more need {} MiB of keys and values, over the "
                      "limit of {} MiB (--kv-mb)",
                      request.prompt.size(), request.max_new, BytesFor(request) >> 20, limit >> 20);
  return OkStatus();
}

Result<Reply> LocalResponder::Answer(const ReplyRequest& request, const ReplyEvents& events) {
  FERRY_TRY(CheckRequest(request));
  FERRY_ASSIGN_OR_RETURN(const Admission::Place place,
                         admission_->Enter(request.client, BytesFor(request), events.wanted));
  Run run(*this, request, events);
  Result<Reply> reply = run.Go();
  run.Keep();
  return reply;
}

Status LocalResponder::SetMode(const std::string&) {
  return Status(Code::kUnsupported, "this model runs on this machine only: there is no other mode");
}

Json LocalResponder::Stats() const {
  const llm::Batcher::Stats batch = batcher_->stats();
  const llm::KvPool::Stats kv = pool_->stats();
  const Admission::Stats requests = admission_->stats();
  return {{"passes", batch.passes},
          {"tokens", batch.tokens},
          {"largest_batch", batch.largest_batch},
          {"busy_ms", batch.busy_ms},
          {"running", requests.running},
          {"waiting", requests.waiting},
          {"finished", requests.finished},
          {"kv_used_bytes", kv.used_bytes},
          {"kv_kept_bytes", kv.kept_bytes},
          {"kv_spilled_bytes", kv.spilled_bytes},
          {"kv_limit_bytes", kv.limit_bytes},
          {"prefix_hits", kv.prefix_hits}};
}

}  // namespace ferry::cli
