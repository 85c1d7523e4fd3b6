// Who guesses the next token of a split session: by default the draft model; tests and measures put
// others in its place.
#pragma once

#include <memory>
#include <span>

#include "device-runtime/llm/session.h"

namespace ferry::llm {

class Drafter {
 public:
  virtual ~Drafter() = default;
  // The token that it expects behind `sequence` (not empty; prompt, final tokens and drafts). Calls
  // go on from the sequence of the last one or from any earlier state. An error means that it can
  // not draft behind this sequence (kLimitExceeded: its context is full); it is asked again when
  // the sequence has become another.
  virtual Result<TokenId> Propose(std::span<const TokenId> sequence) = 0;
};

// Drafts with a model and its adapters (null: none): its KV cache follows the sequence by
// truncation.
Result<std::unique_ptr<Drafter>> MakeModelDrafter(std::shared_ptr<const Model> model,
                                                  std::shared_ptr<KvPool> pool,
                                                  sys::Parallel* parallel,
                                                  const SamplerOptions& sampler, const PrfKey& key,
                                                  std::shared_ptr<const AdapterSet> adapters = {});

}  // namespace ferry::llm
