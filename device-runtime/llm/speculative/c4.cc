#include "device-runtime/llm/speculative/c4.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace ferry::llm {
namespace {

template <typename F>
Best Least(int64_t most, const F& ms_per_token) {
  Best best{1, ms_per_token(1)};
  for (int64_t drafts = 2; drafts <= most; ++drafts) {
    const double ms = ms_per_token(static_cast<double>(drafts));
    if (ms < best.ms_per_token) best = {drafts, ms};
  }
  return best;
}

template <typename F>
double Greatest(int64_t most, const F& value) {
  double best = value(1);
  for (int64_t drafts = 2; drafts <= most; ++drafts) {
    best = std::max(best, value(static_cast<double>(drafts)));
  }
  return best;
}

// Time between tokens while drafts agree: the slower of drafting and verifying.
double StreamMs(const SplitCosts& costs, double drafts) {
  return std::max(costs.draft_ms, costs.verify_ms / drafts);
}

}  // namespace

double ExpectedTokens(double acceptance, double drafts) {
  if (acceptance >= 1) return drafts + 1;
  return (1 - std::pow(acceptance, drafts + 1)) / (1 - acceptance);
}

double SyncMsPerToken(const SplitCosts& costs, double drafts) {
  return (drafts * costs.draft_ms + costs.round_trip_ms + costs.verify_ms) /
         ExpectedTokens(costs.acceptance, drafts);
}

double PipelinedMsPerToken(const SplitCosts& costs, double drafts) {
  const double restart = costs.round_trip_ms + costs.verify_ms + (drafts + 1) / 2 * costs.draft_ms;
  return costs.acceptance * StreamMs(costs, drafts) + (1 - costs.acceptance) * restart;
}

double ColocatedMsPerToken(const SplitCosts& costs, double drafts) {
  return (drafts * costs.draft_ms + costs.verify_ms) / ExpectedTokens(costs.acceptance, drafts);
}

Best BestSync(const SplitCosts& costs, int64_t most) {
  return Least(most, [&](double drafts) { return SyncMsPerToken(costs, drafts); });
}

Best BestPipelined(const SplitCosts& costs, int64_t most) {
  return Least(most, [&](double drafts) { return PipelinedMsPerToken(costs, drafts); });
}

double SyncBreakEvenMs(const SplitCosts& costs, int64_t most) {
  return Greatest(most, [&](double drafts) {
    return ExpectedTokens(costs.acceptance, drafts) * costs.step_ms - drafts * costs.draft_ms -
           costs.verify_ms;
  });
}

double PipelinedBreakEvenMs(const SplitCosts& costs, int64_t most) {
  return Greatest(most, [&](double drafts) {
    return (costs.step_ms - costs.acceptance * StreamMs(costs, drafts)) / (1 - costs.acceptance) -
           costs.verify_ms - (drafts + 1) * costs.draft_ms / 2;
  });
}

double GumbelAgreement(std::span<const double> p, std::span<const double> q) {
  // max(p_j / p_i, q_j / q_i) is the first where p_j / q_j >= p_i / q_i, so after sorting by p / q
  // each sum is a tail of p and a head of q.
  std::vector<size_t> order;
  for (size_t i = 0; i < p.size(); ++i) {
    if (p[i] > 0 && q[i] > 0) order.push_back(i);
  }
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return p[a] * q[b] < p[b] * q[a]; });
  double tail = 0;  // of p, what q never draws included: its ratio is infinite
  double head = 0;  // of q, what p never draws included: its ratio is zero
  for (size_t i = 0; i < p.size(); ++i) {
    if (p[i] > 0) tail += p[i];
    if (p[i] <= 0) head += q[i];
  }
  double agreement = 0;
  for (size_t i : order) {
    agreement += 1 / (tail / p[i] + head / q[i]);
    tail -= p[i];
    head += q[i];
  }
  return agreement;
}

double LawOverlap(std::span<const double> p, std::span<const double> q) {
  double overlap = 0;
  for (size_t i = 0; i < p.size(); ++i) overlap += std::min(p[i], q[i]);
  return overlap;
}

}  // namespace ferry::llm
