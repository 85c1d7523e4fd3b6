// What config.json says of rotary positions, in one form for families. Source: Hugging Face's
// members of today (rope_parameters, also one set a kind of layer) and of before (rope_theta,
// rope_scaling, rope_local_base_freq).
#pragma once

#include "common/base/json.h"
#include "common/base/status.h"

namespace ferry::llm {

// An object of the kinds of layers that have rotary positions of their own ("full_attention",
// "sliding_attention"), and "any". Each has scaling, factor, original, low, high, beta_fast,
// beta_slow, truncate, amplitude, short, long as description.h says, `part` (of a head's
// dimensions that turn), `alpha` (or null), `score` (products of queries and keys times this) and
// theta (or null: the family's default). kMalformed, kBadModel.
Result<Json> ReadRopes(const Json& config);

}  // namespace ferry::llm
