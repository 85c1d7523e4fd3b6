// What a split session costs: milliseconds per emitted token, as closed formulas. Pure. Sources:
// Leviathan, Kalman and Matias, "Fast Inference from Transformers via Speculative Decoding" (2023)
// for the expected length of a round; the pipelined form is the project's own, checked against
// event simulations; agreement after Daliri, Musco and Suresh (2024).
#pragma once

#include <cstdint>
#include <span>

namespace ferry::llm {

// All in milliseconds, for drafts that agree independently with probability `acceptance`.
struct SplitCosts {
  double acceptance = 0;     // in [0, 1]
  double draft_ms = 0;       // the device's time of one draft token
  double step_ms = 0;        // one step of the target alone
  double verify_ms = 0;      // one pass over a draft and the token before it
  double round_trip_ms = 0;  // with serialisation and queues
};

// Tokens of a round of `drafts`: those that agree and the target's own behind them.
double ExpectedTokens(double acceptance, double drafts);
double SyncMsPerToken(const SplitCosts& costs, double drafts);
// Chunks of `drafts` follow each other without waiting.
double PipelinedMsPerToken(const SplitCosts& costs, double drafts);
// Draft and target on one machine, where a draft token takes costs.draft_ms.
double ColocatedMsPerToken(const SplitCosts& costs, double drafts);

struct Best {
  int64_t drafts = 0;
  double ms_per_token = 0;
};
// The draft length in [1, most] with the least time per token.
Best BestSync(const SplitCosts& costs, int64_t most);
Best BestPipelined(const SplitCosts& costs, int64_t most);

// The round trip up to which the split is faster than the target streaming alone; negative: never.
double SyncBreakEvenMs(const SplitCosts& costs, int64_t most);
double PipelinedBreakEvenMs(const SplitCosts& costs, int64_t most);

// Laws of one position, [vocabulary] each, summing to 1. How often draws that share Gumbel noise
// agree: sum over i of 1 / sum over j of max(p_j / p_i, q_j / q_i), in n log n.
double GumbelAgreement(std::span<const double> p, std::span<const double> q);
// Sum of min(p, q): the best that any coupling can do.
double LawOverlap(std::span<const double> p, std::span<const double> q);

}  // namespace ferry::llm
