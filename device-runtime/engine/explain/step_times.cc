#include "device-runtime/engine/explain/step_times.h"

#include <algorithm>

namespace ferry::engine {

double StepTimes::MedianUs(size_t step) const {
  const auto kept = static_cast<size_t>(std::min(runs_, kKept));
  if (kept == 0) return -1;
  std::vector<int64_t> sorted;
  for (size_t run = 0; run < kept; ++run) sorted.push_back(ns_[run * steps_ + step]);
  std::ranges::nth_element(sorted, sorted.begin() + static_cast<std::ptrdiff_t>(kept / 2));
  return static_cast<double>(sorted[kept / 2]) / 1e3;
}

}  // namespace ferry::engine
