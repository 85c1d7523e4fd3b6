// Both halves of a split session in one process and in virtual time: the device drafts, the
// verifier of the cloud verifies, a simulated link is between them. What is really computed is
// charged to the virtual clock as it is measured.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "common/base/status.h"
#include "common/sys/executor.h"
#include "device-runtime/llm/model.h"
#include "device-runtime/llm/speculative/device.h"
#include "device-runtime/llm/speculative/drafter.h"
#include "device-runtime/llm/speculative/sim_link.h"

namespace ferry::splitsim {

struct Simulation {
  std::shared_ptr<const llm::Model> draft;  // may be null in cloud-only mode
  std::shared_ptr<const llm::Model> target;
  sys::Parallel* draft_parallel = nullptr;  // null: one thread
  sys::Parallel* target_parallel = nullptr;
  std::vector<llm::TokenId> prompt;
  llm::SplitOptions options;  // draft_cost_ms is set by Run
  llm::SimLinkOptions link;
  uint64_t seed = 1;  // of link and session number
  bool charge_computation = true;
  double draft_ms = 0;              // a draft token takes so much more
  double target_ms = 0;             // and a pass of the target
  llm::Drafter* drafter = nullptr;  // null: the draft model
  int64_t kv_bytes = int64_t{1} << 30;
  int64_t limit_ms = int64_t{24} * 3600 * 1000;  // of virtual time; kDeadlineExceeded past it
};

struct Simulated {
  std::vector<llm::TokenId> ids;
  llm::FinishReason reason = llm::FinishReason::kLength;
  llm::SplitStats stats;
  int64_t target_passes = 0;  // those that read the prompt included
  int64_t target_tokens = 0;  // read by them
  double virtual_s = 0;       // from the start to the last token
  double first_token_s = 0;
  double tokens_per_s = 0;    // behind the first tokens that came
  double draft_ms_mean = 0;   // what a draft token and a pass were charged
  double target_ms_mean = 0;  // passes of more than the prompt only
};

// Runs one session to its end.
Result<Simulated> Run(const Simulation& simulation);

// What the target writes alone: an independent generation.
Result<std::vector<llm::TokenId>> CloudOnly(const Simulation& simulation);

// Guesses right with a given probability, each position by itself, as long as the sequence is that
// of `truth` (prompt and text): stands for a draft model of that acceptance.
std::unique_ptr<llm::Drafter> MakeOracle(std::vector<llm::TokenId> truth, double acceptance,
                                         int64_t vocabulary, uint64_t seed);

}  // namespace ferry::splitsim
