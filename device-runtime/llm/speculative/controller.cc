#include "device-runtime/llm/speculative/controller.h"

#include <algorithm>
#include <cmath>

#include "device-runtime/llm/speculative/device.h"
#include "device-runtime/llm/speculative/frames.h"

namespace ferry::llm {
namespace {

constexpr double kFirstAcceptance = 0.6;  // before anything was compared
constexpr double kFirstDraftMs = 5;
constexpr double kFirstVerifyMs = 20;
constexpr int64_t kAcceptanceMemory = 96;  // compared drafts; times forget as fast
constexpr double kDraftMemory = 16;        // draft tokens
constexpr double kRoundMemory = 32;        // rounds
constexpr double kFirstTimeoutMs = 250;    // while nothing is known
constexpr double kLeastTimeoutMs = 25;
// A longer draft may cost this part more bytes a token than the shortest form, or kSyncBytes.
constexpr double kByteSlack = 1.25;
constexpr double kSyncBytes = 7.6;
// Drafts that are used with a smaller probability are not made.
constexpr double kLeastUse = 0.03;
// Bytes of rounds on the wire without their ids.
constexpr double kDraftFrameBytes = 5;
constexpr double kVerdictBytes = 5;

double Memory(int64_t count, double most) {
  return std::min(static_cast<double>(count), most);
}

}  // namespace

void SmoothedTime::Add(double ms) {
  if (!known_) {
    known_ = true;
    mean_ms_ = ms;
    deviation_ms_ = ms / 2;
  } else {
    deviation_ms_ += (std::abs(ms - mean_ms_) - deviation_ms_) / 4;
    mean_ms_ += (ms - mean_ms_) / 8;
  }
  last_[count_++ % kWindow] = ms;
}

double SmoothedTime::least_ms() const {
  return *std::min_element(last_.begin(),
                           last_.begin() + static_cast<ptrdiff_t>(std::min(count_, kWindow)));
}

void DraftController::AddRound(double ms, int64_t tokens, bool alone) {
  round_.Add(ms);
  if (!alone || !round_trip_.known()) return;
  const double verify_ms = std::max(0.0, ms - round_trip_.least_ms());
  const double keep = 1 - 1 / kRoundMemory;
  const auto x = static_cast<double>(tokens);
  weight_ = weight_ * keep + 1;
  sum_x_ = sum_x_ * keep + x;
  sum_y_ = sum_y_ * keep + verify_ms;
  sum_xx_ = sum_xx_ * keep + x * x;
  sum_xy_ = sum_xy_ * keep + x * verify_ms;
}

void DraftController::AddDraft(double ms) {
  ++drafts_;
  draft_ms_ += (ms - draft_ms_) / Memory(drafts_, kDraftMemory);
}

void DraftController::AddCompared(bool accepted) {
  ++compared_;
  if (compared_ == 1) acceptance_ = kFirstAcceptance;
  acceptance_ += ((accepted ? 1 : 0) - acceptance_) /
                 Memory(compared_ + 8, static_cast<double>(kAcceptanceMemory));
}

void DraftController::SetMostTokens(int64_t tokens) {
  options_.most_tokens = std::clamp<int64_t>(tokens, 1, kMaxDraftTokens);
}

SplitCosts DraftController::Costs(double tokens) const {
  SplitCosts costs;
  costs.acceptance = compared_ > 0 ? std::clamp(acceptance_, 0.02, 0.98) : kFirstAcceptance;
  costs.draft_ms = drafts_ > 0 ? draft_ms_ : kFirstDraftMs;
  costs.round_trip_ms = round_trip_.known() ? round_trip_.least_ms() : 0;
  costs.verify_ms = kFirstVerifyMs;
  if (weight_ > 0) {
    // A ridge of one round keeps the slope at nothing while all drafts have the same length.
    const double mean_x = sum_x_ / weight_;
    const double mean_y = sum_y_ / weight_;
    const double spread = sum_xx_ - weight_ * mean_x * mean_x + 1;
    const double slope = std::max(0.0, (sum_xy_ - weight_ * mean_x * mean_y) / spread);
    costs.verify_ms = std::max(mean_y / 4, mean_y + slope * (tokens - mean_x));
  }
  return costs;
}

DraftController::Plan DraftController::Sync() const {
  const int64_t most = options_.most_tokens;
  if (options_.draft_tokens > 0) {
    const int64_t tokens = std::min(options_.draft_tokens, most);
    return {tokens, tokens};
  }
  const double id_bytes = options_.id_bits / 8.0;
  const auto bytes = [&](int64_t tokens) {
    const double acceptance = Costs(0).acceptance;
    return (kDraftFrameBytes + kVerdictBytes + std::ceil(static_cast<double>(tokens) * id_bytes) +
            std::ceil(id_bytes)) /
           ExpectedTokens(acceptance, static_cast<double>(tokens));
  };
  double least_bytes = bytes(1);
  for (int64_t tokens = 2; tokens <= most; ++tokens) {
    least_bytes = std::min(least_bytes, bytes(tokens));
  }
  const double budget = std::max(kSyncBytes, least_bytes * kByteSlack);
  Best best{1, -1};
  for (int64_t tokens = 1; tokens <= most; ++tokens) {
    if (bytes(tokens) > budget) continue;
    const auto drafts = static_cast<double>(tokens);
    const double ms = SyncMsPerToken(Costs(drafts), drafts);
    if (best.ms_per_token < 0 || ms < best.ms_per_token) best = {tokens, ms};
  }
  return {best.drafts, best.drafts};
}

DraftController::Plan DraftController::Pipelined() const {
  const int64_t most = options_.most_tokens;
  Best best{std::min(options_.draft_tokens, most), 0};
  if (options_.draft_tokens <= 0) {
    best = {1, -1};
    for (int64_t tokens = 1; tokens <= most; ++tokens) {
      const auto drafts = static_cast<double>(tokens);
      const double ms = PipelinedMsPerToken(Costs(drafts), drafts);
      if (best.ms_per_token < 0 || ms < best.ms_per_token) best = {tokens, ms};
    }
  }
  // What covers the time until the first verdict, but no draft that is hardly ever used.
  const SplitCosts costs = Costs(static_cast<double>(best.drafts));
  const double cover = (costs.round_trip_ms + costs.verify_ms) / std::max(costs.draft_ms, 0.05) + 1;
  const double useful = std::log(kLeastUse) / std::log(costs.acceptance);
  const double ahead = std::min(cover, useful) + static_cast<double>(best.drafts);
  return {best.drafts, std::clamp(static_cast<int64_t>(ahead), best.drafts, most)};
}

double DraftController::RoundTimeoutMs() const {
  if (!round_.known()) return AnswerTimeoutMs() + kFirstTimeoutMs;
  const double slack =
      std::max({4 * round_.deviation_ms(), 0.5 * round_.mean_ms(), kLeastTimeoutMs});
  return round_.mean_ms() + slack;
}

double DraftController::AnswerTimeoutMs() const {
  if (!round_trip_.known()) return kFirstTimeoutMs;
  const double slack =
      std::max({4 * round_trip_.deviation_ms(), 0.25 * round_trip_.mean_ms(), kLeastTimeoutMs});
  return round_trip_.mean_ms() + slack;
}

double DraftController::GoneMs() const {
  return std::max(3 * round_trip_.mean_ms(), static_cast<double>(kLinkGoneMs));
}

}  // namespace ferry::llm
