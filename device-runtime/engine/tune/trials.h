// What the measured mode runs: a primitive on made-up numbers, in memory of its own.
#pragma once

#include <vector>

#include "common/sys/executor.h"
#include "device-runtime/backends/cpu/search/search.h"
#include "device-runtime/engine/tune/tuner.h"

namespace ferry::engine {

// A candidate whose memory cannot be had is left out. All arguments must outlive the result.
Tuner::Prepare ConvTrials(const kernels::KernelTable& table, sys::Parallel& parallel,
                          const kernels::ConvShape& shape,
                          const std::vector<backends::ConvCandidate>& candidates);
Tuner::Prepare ProductTrials(const kernels::KernelTable& table, sys::Parallel& parallel,
                             const kernels::GemmShape& shape,
                             const std::vector<backends::ProductCandidate>& candidates);

}  // namespace ferry::engine
