// Choosing the next token from logits. Source: Gumbel-max sampling (Gumbel 1954), so that a draft
// and a target that share a key agree as often as their laws allow (Daliri, Musco and Suresh,
// "Coupling without Communication", 2024).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/base/status.h"
#include "device-runtime/llm/model.h"
#include "device-runtime/llm/sampler/prf.h"

namespace ferry::llm {

struct SamplerOptions {
  float temperature = 0;         // 0: greedy
  int64_t top_k = 0;             // 0: off
  float top_p = 1;               // 1: off
  float repetition_penalty = 1;  // 1: off; as Hugging Face: l > 0 ? l / p : l * p for tokens seen

  // kInvalidArgument names the field: temperature in [0, 100], top_k >= 0, top_p in (0, 1],
  // penalty in (0, 100], all finite.
  Status Check() const;
  bool operator==(const SamplerOptions&) const = default;
};

// One thread at a time: it keeps scratch memory. Its choice depends on its arguments alone.
class Sampler {
 public:
  Sampler(const SamplerOptions& options, const PrfKey& key, int64_t vocabulary);
  ~Sampler();
  Sampler(Sampler&&) noexcept;
  Sampler& operator=(Sampler&&) noexcept;

  // The token at `position` (index in the whole sequence, the prompt included) after `context` (all
  // tokens before it; read by the penalty only). Penalty, then temperature, top-k, top-p, then
  // argmax(logit + Gumbel noise of (key, position, token)); ties go to the lowest id. Greedy is the
  // argmax after the penalty. A logit that is NaN is never chosen; all NaN: token 0.
  TokenId Sample(std::span<const float> logits, std::span<const TokenId> context,
                 uint64_t position);
  // The law that Sample draws from: probabilities of all tokens, [vocabulary]. For tests, measures
  // and confidence.
  void Probabilities(std::span<const float> logits, std::span<const TokenId> context,
                     std::span<double> out);
  const SamplerOptions& options() const;
  const PrfKey& key() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ferry::llm
