#include "cloud-server/verify/service.h"

#include <algorithm>
#include <utility>

#include "common/base/log.h"
#include "device-runtime/llm/speculative/channel_link.h"
#include "device-runtime/llm/tokenizer/tokenizer.h"

namespace ferry::server {
namespace {

constexpr int64_t kSweepMs = 100;
constexpr int kViewSweeps = kVerifyViewMs / kSweepMs;

std::string NameOf(const llm::MatrixType& type) {
  if (type.packed) return llm::MatrixTypeName(type);
  switch (type.rows) {
    case kernels::WeightType::kF32:
      return "float32";
    case kernels::WeightType::kBF16:
      return "bfloat16";
    case kernels::WeightType::kI8:
      return "8 bit";
    case kernels::WeightType::kF16:
      return "float16";
  }
  return "?";
}

std::string FirstBytes(const llm::Digest& digest) {
  return std::string(AsText(ByteView(digest).first(kDigestBytes)));
}

}  // namespace

VerifyService::VerifyService(const VerifyOptions& options)
    : options_(options),
      quota_(options.limits.tokens_per_minute),
      opens_(options.limits.opens_per_minute) {}

// Requests that wait hold their sessions: they go first.
VerifyService::~VerifyService() {
  for (const auto& weak : all_targets_) {
    if (const auto target = weak.lock()) target->batcher.reset();
  }
}

void VerifyService::Start() {
  const auto tick = [](const std::shared_ptr<VerifyService>& self, const auto& again,
                       int count) -> void {
    self->Sweep();
    if (count % kViewSweeps == 0) self->Publish();
    self->options_.executor->PostAfter(kSweepMs, [weak = self->weak_from_this(), again, count] {
      if (const auto alive = weak.lock()) again(alive, again, count + 1);
    });
  };
  tick(shared_from_this(), tick, 0);
}

Status VerifyService::SetTarget(const VerifyTarget& target) {
  FERRY_TRY(target.model->CheckContinues());
  FERRY_TRY(target.model->Ready());
  auto loaded = std::make_shared<LoadedTarget>();
  loaded->name = target.name;
  loaded->version = target.version;
  loaded->model = target.model;
  FERRY_ASSIGN_OR_RETURN(loaded->pool, target.model->NewKvPool({.limit_bytes = target.kv_bytes}));
  llm::BatcherOptions batcher;
  batcher.executor = options_.executor;
  batcher.passes = options_.passes;
  batcher.clock = options_.clock;
  batcher.parallel = options_.parallel;
  batcher.pass_ms = kPassMs;
  batcher.extra_cost_ms = options_.extra_cost_ms;
  loaded->batcher = std::make_unique<llm::Batcher>(target.model, batcher);
  loaded->digest = FirstBytes(target.model->digest());
  const auto tokenizer = target.model->tokenizer();
  if (tokenizer.ok()) loaded->tokenizer_digest = FirstBytes((*tokenizer)->digest());
  std::erase_if(all_targets_, [](const auto& weak) { return weak.expired(); });
  all_targets_.push_back(loaded);
  targets_[target.name] = std::move(loaded);
  Publish();
  return OkStatus();
}

void VerifyService::Accept(std::unique_ptr<llm::SplitLink> link, const std::string& device,
                           const std::string& peer) {
  auto made = std::make_shared<Peer>(*this, std::move(link), device, peer);
  peers_[made.get()] = made;
  made->Start();
}

void VerifyService::ForgetPeer(Peer& peer) {
  // It may be on the stack, and its link in an event of its own.
  options_.executor->Post([weak = weak_from_this(), gone = peer.shared_from_this()] {
    if (const auto self = weak.lock()) self->peers_.erase(gone.get());
  });
}

void VerifyService::CloseOlderLines(const std::string& device) {
  std::vector<Peer*> lines;
  for (const auto& [line, held] : peers_) {
    if (!line->ended() && line->device() == device) lines.push_back(line);
  }
  std::sort(lines.begin(), lines.end(),
            [](const Peer* a, const Peer* b) { return a->order() > b->order(); });
  const int64_t most = options_.limits.lines_per_device;
  for (size_t i = static_cast<size_t>(most); i < lines.size(); ++i) lines[i]->MakeRoom(most);
}

void VerifyService::SendAway(int64_t count) {
  std::vector<Peer*> lines;
  for (const auto& [line, held] : peers_)
    if (!line->ended()) lines.push_back(line);
  std::sort(lines.begin(), lines.end(), [](const Peer* a, const Peer* b) {
    return std::pair(!a->at_rest(), a->order()) < std::pair(!b->at_rest(), b->order());
  });
  lines.resize(std::min(lines.size(), static_cast<size_t>(std::max<int64_t>(count, 0))));
  for (Peer* line : lines) line->SendAway();
}

void VerifyService::Forget(VerifySession& session) {
  const auto at = sessions_.find({session.device(), session.number()});
  if (at == sessions_.end() || at->second.get() != &session) return;
  const auto gone = std::move(at->second);
  sessions_.erase(at);
  gone->Close();
}

bool VerifyService::FreeMemory(const VerifySession& asking) {
  const int64_t rested_by = NowMs() - options_.limits.yield_ms;
  VerifySession* longest = nullptr;
  VerifySession* youngest = nullptr;  // of those that wait for memory themselves
  for (const auto& [key, session] : sessions_) {
    if (session.get() == &asking || session->target() != asking.target()) continue;
    if (!session->has_kv()) continue;
    // The oldest goes first: else all could hold a part and none what it needs.
    if (session->starving() && session->order() > asking.order() &&
        (youngest == nullptr || session->order() > youngest->order())) {
      youngest = session.get();
    }
    if (!session->at_rest()) continue;
    if (session->connected() && session->used_ms() > rested_by) continue;
    if (longest == nullptr || session->used_ms() < longest->used_ms()) longest = session.get();
  }
  if (longest == nullptr) longest = youngest;
  if (longest == nullptr) return false;
  longest->EvictKv();
  ++counts_.evicted;
  return true;
}

// Ends the session that was used longest ago, among those without a connection and those that rest
// long enough to have lost their cache; of one device when given.
bool VerifyService::DropIdle(const std::string* device) {
  VerifySession* oldest = nullptr;
  const int64_t rested_by = NowMs() - options_.limits.idle_ms;
  for (const auto& [key, session] : sessions_) {
    if (device != nullptr && key.first != *device) continue;
    const bool rests = session->at_rest() && session->used_ms() <= rested_by;
    if (session->connected() && !rests) continue;
    if (oldest == nullptr || session->used_ms() < oldest->used_ms()) oldest = session.get();
  }
  if (oldest == nullptr) return false;
  Forget(*oldest);
  return true;
}

Status VerifyService::Admit(const std::string& device) {
  const VerifyLimits& limits = options_.limits;
  const auto own = std::count_if(sessions_.begin(), sessions_.end(),
                                 [&](const auto& entry) { return entry.first.first == device; });
  if (own >= limits.sessions_per_device && !DropIdle(&device)) {
    return Status::Of(Code::kLimitExceeded, "device {} has {} sessions, at most {}", device, own,
                      limits.sessions_per_device);
  }
  if (static_cast<int64_t>(sessions_.size()) >= limits.sessions && !DropIdle(nullptr)) {
    return Status::Of(Code::kLimitExceeded, "the verifier has {} sessions, at most {}",
                      sessions_.size(), limits.sessions);
  }
  return OkStatus();
}

void VerifyService::Sweep() {
  const int64_t now = NowMs();
  const auto peers = peers_;
  for (const auto& [key, peer] : peers) peer->Tick(now);
  const auto sessions = sessions_;
  for (const auto& [key, session] : sessions) {
    session->Tick(now);
    if (!session->at_rest()) continue;
    const int64_t rests = now - session->used_ms();
    if (rests >= options_.limits.forget_ms) {
      Forget(*session);
    } else if (rests >= options_.limits.idle_ms && session->has_kv()) {
      session->EvictKv();
      ++counts_.evicted;
    }
  }
  quota_.Sweep(now);
  opens_.Sweep(now);
}

void VerifyService::Publish() {
  VerifyView view = counts_;
  view.connections = static_cast<int64_t>(peers_.size());
  const int64_t now = NowMs();
  for (const auto& [key, session] : sessions_) view.sessions.push_back(session->View(now));
  for (const auto& weak : all_targets_) {
    const auto target = weak.lock();
    if (target == nullptr) continue;
    VerifyTargetView& shown = view.targets.emplace_back();
    shown.name = target->name;
    shown.version = target->version;
    shown.digest = ToHex(AsBytes(target->digest));
    shown.weights = NameOf(target->model->weight_type());
    shown.parameters = target->model->parameters();
    shown.weight_bytes = target->model->weight_bytes();
    shown.sessions = std::count_if(sessions_.begin(), sessions_.end(), [&](const auto& entry) {
      return entry.second->target() == target;
    });
    const llm::KvPool::Stats kv = target->pool->stats();
    shown.kv_used_bytes = kv.used_bytes;
    shown.kv_kept_bytes = kv.kept_bytes;
    shown.kv_limit_bytes = kv.limit_bytes;
    const llm::Batcher::Stats batches = target->batcher->stats();
    shown.passes = batches.passes;
    shown.tokens = batches.tokens;
    shown.requests = batches.requests;
    shown.largest_batch = batches.largest_batch;
    shown.busy_ms = batches.busy_ms;
  }
  std::lock_guard lock(mutex_);
  published_ = std::move(view);
}

VerifyView VerifyService::View() const {
  std::lock_guard lock(mutex_);
  return published_;
}

Verifier::Verifier(const VerifyOptions& options)
    : service_(std::make_shared<VerifyService>(options)) {
  service_->Start();
}

Verifier::~Verifier() = default;

Status Verifier::SetTarget(const VerifyTarget& target) {
  return service_->SetTarget(target);
}

void Verifier::Accept(std::unique_ptr<llm::SplitLink> link, const std::string& device,
                      const std::string& peer) {
  service_->Accept(std::move(link), device, peer);
}

void Verifier::Accept(std::unique_ptr<sys::FrameChannel> channel) {
  const std::string peer = channel->peer();
  Accept(std::make_unique<llm::ChannelLink>(std::move(channel)), "", peer);
}

void Verifier::SendAway(int64_t count) {
  service_->SendAway(count);
}

VerifyView Verifier::View() const {
  return service_->View();
}

}  // namespace ferry::server
