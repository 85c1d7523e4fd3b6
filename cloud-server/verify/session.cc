#include "cloud-server/verify/session.h"

#include <algorithm>
#include <utility>

#include "cloud-server/verify/service.h"

namespace ferry::server {
namespace {

constexpr int64_t kShownIdleMs = 5'000;  // without a frame for so long: "idle"

llm::PrefixScope ScopeOf(const VerifyOptions& options, const std::string& device) {
  return options.tenant_of ? llm::PrefixScope::Of(options.tenant_of(device)) : llm::PrefixScope();
}

}  // namespace

VerifySession::VerifySession(VerifyService& service, std::string device, uint64_t number,
                             std::shared_ptr<LoadedTarget> target)
    : service_(service),
      device_(std::move(device)),
      number_(number),
      order_(service.NextOrder()),
      target_(std::move(target)),
      scope_(ScopeOf(service.options(), device_)),
      used_ms_(service.NowMs()),
      rate_ms_(used_ms_) {
  view_.device = device_;
  view_.session = fmt::format("{:016x}", number_);
  view_.target = target_->name + " " + target_->version;
}

VerifySession::~VerifySession() = default;

int64_t VerifySession::vocabulary() const {
  return target_->model->config().vocabulary;
}

void VerifySession::CountUp(size_t frame_bytes) {
  view_.bytes_up += static_cast<int64_t>(llm::WireBytes(frame_bytes));
}

// Whether a frame of `epoch` counts. A newer one fences all that came before.
bool VerifySession::TakeEpoch(uint8_t epoch) {
  const auto ahead = static_cast<int8_t>(epoch - static_cast<uint8_t>(epoch_));
  if (ahead < 0) return false;
  if (ahead == 0) return true;
  epoch_ += static_cast<uint32_t>(ahead);
  rounds_.clear();
  agreed_ = -1;
  told_ = 0;
  stream_on_ = false;
  return true;
}

void VerifySession::OnDraft(const llm::SplitFrame& frame) {
  if (!log_ || waiting_open_ || !TakeEpoch(frame.epoch)) return service_.CountDropped();
  Round round;
  round.epoch = frame.epoch;
  round.follow = frame.kind == llm::FrameKind::kFollow;
  round.base = llm::WidenPosition(frame.position, log_->length());
  round.ids = frame.ids;
  constexpr int64_t kMostAhead = static_cast<int64_t>(kMaxWaitingRounds) * llm::kMaxDraftTokens;
  if (static_cast<int64_t>(round.ids.size()) > llm::kMaxDraftTokens ||
      round.base < log_->context_length() || round.base > log_->length() + kMostAhead) {
    return service_.CountDropped();
  }
  stream_on_ = false;
  used_ms_ = service_.NowMs();
  // Its verdict is on the way.
  if (busy_ && running_ && running_->epoch == round.epoch && running_->base <= round.base &&
      running_->end() >= round.end()) {
    return service_.CountDropped();
  }
  ++view_.rounds;
  const auto at =
      std::lower_bound(rounds_.begin(), rounds_.end(), round, [](const Round& a, const Round& b) {
        return std::pair(a.base, a.follow) < std::pair(b.base, b.follow);
      });
  if (at != rounds_.end() && at->base == round.base && at->follow == round.follow) {
    *at = std::move(round);
  } else {
    rounds_.insert(at, std::move(round));
  }
  if (rounds_.size() > kMaxWaitingRounds) {
    rounds_.pop_back();
    service_.CountDropped();
  }
  Next();
}

void VerifySession::OnStream(const llm::SplitFrame& frame) {
  if (!log_ || waiting_open_ || !TakeEpoch(frame.epoch)) return service_.CountDropped();
  const int64_t base = llm::WidenPosition(frame.position, log_->length());
  if (base < log_->context_length() || base > log_->length() + kMaxStreamAhead) {
    return service_.CountDropped();
  }
  used_ms_ = service_.NowMs();
  if (frame.count == 0) {
    stream_on_ = false;
    return;
  }
  rounds_.clear();
  const int64_t end = base + frame.count;
  stream_next_ = stream_on_ ? std::min(stream_next_, base) : base;
  stream_end_ = stream_on_ ? std::max(stream_end_, end) : end;
  stream_on_ = true;
  Next();
}

// A chunk that continues others may be looked at only when all of those were, and agreed: else a
// verdict on it would vouch for drafts that nobody has compared.
bool VerifySession::Runnable(const Round& round) const {
  return !round.follow || (agreed_ >= 0 && round.base <= agreed_);
}

void VerifySession::Next() {
  while (!busy_ && !closed_) {
    if (waiting_open_) {
      const proto::SplitOpen open = std::move(*waiting_open_);
      waiting_open_.reset();
      Apply(open);
      continue;
    }
    if (!log_) return;
    if (!NextRound() && !NextStreamed()) return;
  }
}

// Answers one round, drops it or begins its pass; false when there is nothing that can be done now.
bool VerifySession::NextRound() {
  const auto at = std::find_if(rounds_.begin(), rounds_.end(),
                               [this](const Round& round) { return Runnable(round); });
  if (at == rounds_.end()) return false;
  Round round = *at;
  const Result<llm::Verdict> verdict = log_->Compare(round.base, round.ids);
  if (!verdict.ok() || verdict->answered) {
    rounds_.erase(at);
    if (verdict.ok()) {
      Answer(round, *verdict);
    } else {
      service_.CountDropped();
    }
    return true;
  }
  // Chunks that continue it run in the same pass, and have one verdict.
  auto last = at + 1;
  for (; last != rounds_.end() && last->follow; ++last) {
    const size_t together = round.ids.size() + last->ids.size();
    if (last->base != round.end() || together > llm::kMaxDraftTokens) break;
    round.ids.insert(round.ids.end(), last->ids.begin(), last->ids.end());
  }
  if (!Submit(Pass::kRound, round)) return false;
  rounds_.erase(at, last);
  return true;
}

// Sends what the stream may have, or begins the next step; false when there is nothing to do.
bool VerifySession::NextStreamed() {
  if (!stream_on_ || stream_next_ >= stream_end_) return false;
  const int64_t end = std::min({log_->length(), stream_end_, stream_next_ + llm::kMaxDraftTokens});
  if (stream_next_ < end) {
    if (peer_ == nullptr) return false;
    llm::SplitFrame frame;
    frame.kind = llm::FrameKind::kTokens;
    frame.stream = stream_;
    frame.epoch = static_cast<uint8_t>(epoch_);
    frame.position = static_cast<uint16_t>(stream_next_);
    frame.ids.assign(log_->tokens().begin() + stream_next_, log_->tokens().begin() + end);
    CountDown(peer_->Send(frame, vocabulary()));
    stream_next_ = end;
    return true;
  }
  if (log_->ended() || peer_ == nullptr) return false;
  Round none;
  none.base = log_->length();
  return Submit(Pass::kStep, none);
}

// From the log alone.
void VerifySession::Answer(const Round& round, const llm::Verdict& verdict) {
  agreed_ = std::max(agreed_, round.base + verdict.accepted);
  if (round.follow) {
    view_.compared += verdict.compared;
    view_.accepted += verdict.accepted;
    // Sent ahead, and refuted by a verdict that is out already: that one says it all.
    if (verdict.length <= told_) return;
  }
  SendVerdict(verdict);
}

void VerifySession::SendVerdict(const llm::Verdict& verdict) {
  told_ = std::max(told_, verdict.length);
  if (peer_ == nullptr) return;
  llm::SplitFrame frame;
  frame.kind = llm::FrameKind::kVerdict;
  frame.stream = stream_;
  frame.epoch = static_cast<uint8_t>(epoch_);
  frame.position = static_cast<uint16_t>(verdict.length);
  frame.ids = {verdict.token};
  CountDown(peer_->Send(frame, vocabulary()));
}

void VerifySession::Detach() {
  peer_ = nullptr;
  starving_ms_ = -1;
  stream_on_ = false;
  rounds_.clear();
}

void VerifySession::Close() {
  closed_ = true;
  if (peer_ != nullptr) peer_->Seat(stream_, nullptr);
  Detach();
  if (!busy_) EvictKv();
}

VerifySessionView VerifySession::View(int64_t now_ms) {
  if (now_ms - rate_ms_ >= kRateWindowMs) {
    view_.tokens_per_s = 1e3 * static_cast<double>(view_.emitted - rate_emitted_) /
                         static_cast<double>(now_ms - rate_ms_);
    rate_ms_ = now_ms;
    rate_emitted_ = view_.emitted;
  }
  VerifySessionView view = view_;
  view.connected = connected();
  view.idle_ms = now_ms - used_ms_;
  view.length = log_ ? log_->length() : static_cast<int64_t>(context_.size());
  if (!busy_) kv_length_ = has_kv_ ? kv_.length() : 0;
  view.kv_tokens = kv_length_;
  if (peer_ != nullptr) view.round_trip_ms = peer_->round_trip_ms();
  view.mode = starving_ms_ >= 0              ? "waiting"
              : !log_                        ? "opening"
              : view.idle_ms >= kShownIdleMs ? "idle"
              : stream_on_                   ? "cloud-only"
                                             : "split";
  return view;
}

}  // namespace ferry::server
