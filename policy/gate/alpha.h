// How the chance of a false stop is spent over what is tested, so that the sum is bounded however
// many slices, stages and metrics there come to be. Private to the room.
#pragma once

#include <string>
#include <vector>

#include "policy/gate/input.h"
#include "policy/gate/settings.h"

namespace ferry::gate {

struct SliceShare {
  std::string slice;
  double share = 0;
};

// The slices of all stages, "all" first, the others in the order in which they were first seen (by
// name where that is equal), each with its share; the shares sum to less than 1 for any number of
// slices, and a share never changes when slices come later. At most kMaxSlices: the rest is judged
// as part of "all".
std::vector<SliceShare> SliceShares(const Input& input);
inline constexpr size_t kMaxSlices = 256;

// Share of the sequence that begins with the k-th stage that has devices (0: the whole release);
// sums to 1 over all k.
double SequenceShare(size_t k);

// Alpha of the failure test, or of each metric's: half and half where metrics are tested.
double FailureAlpha(const Settings& settings);
double MetricAlpha(const Settings& settings);

}  // namespace ferry::gate
