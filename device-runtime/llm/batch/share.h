// How the tokens of one forward pass are dealt out.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace ferry::llm {

// Tokens that a request gets before an older one gets more: a verification or a step of decoding
// fits in, so that it never waits for a long prompt.
inline constexpr int64_t kAssuredTokens = 16;

// remaining[i] >= 1 tokens are left of request i, the oldest first; the result deals out at most
// `budget`. First each gets up to kAssuredTokens, or up to the most, at least 1, that there is for
// all; then the oldest get what is left. Requests that get 0 go to the front of the next pass.
std::vector<int64_t> ShareTokens(std::span<const int64_t> remaining, int64_t budget);

}  // namespace ferry::llm
