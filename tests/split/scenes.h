// Scenes drawn from a seed: prompts, samplers, drafts and links of all kinds.
#pragma once

#include <memory>
#include <string>

#include "device-runtime/llm/speculative/drafter.h"
#include "tests/split/harness.h"

namespace ferry::split {

// Sampler: greedy, temperature 0.7 and 1, each with and without top-k, top-p and penalty. No
// fallback. The link has delay, jitter, loss and doubling, each by itself or together.
Scene RandomScene(uint64_t seed, bool pipelined);

// Drafters that mean no good.
enum class Hostile { kAlwaysWrong, kRandom, kOneToken, kOutOfVocabulary };
// kAlwaysWrong knows what the target will say: `right` is its text.
std::unique_ptr<llm::Drafter> MakeHostile(Hostile kind, std::vector<llm::TokenId> right,
                                          int64_t vocabulary, uint64_t seed);

std::string Describe(const Scene& scene);

}  // namespace ferry::split
