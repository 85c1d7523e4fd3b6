// A violation in the smallest scenario that shows it still.
#pragma once

#include "tools/fleetsim/fleetsim.h"

namespace ferry::fleetsim {

// Takes away devices, agents, releases, acts, truths and faults, one after another, as long as the
// same invariant breaks, for at most `budget_ms` of real time. Its faults are all named, so that it
// is run with FaultLevel::kNone. `options` broke that invariant.
Scenario Shrink(const Options& options, const std::string& invariant, int64_t budget_ms);

inline constexpr int64_t kShrinkMs = 60'000;

}  // namespace ferry::fleetsim
