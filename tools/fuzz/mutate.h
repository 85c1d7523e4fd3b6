// A plain mutator for runs without libFuzzer.
#pragma once

#include <random>
#include <span>

#include "common/base/bytes.h"

namespace ferry::fuzz {

// One to four changes: bits, bytes, little-endian numbers at the edges of their range, runs cut
// out, doubled, moved, or taken from another of `inputs`. Never longer than `max_bytes`.
Bytes Mutate(Bytes bytes, std::span<const Bytes> inputs, size_t max_bytes, std::mt19937& random);

}  // namespace ferry::fuzz
