// The times of a plan's steps, for the latest runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ferry::engine {

// All memory is taken at the start: adding a time allocates nothing.
class StepTimes {
 public:
  static constexpr int64_t kKept = 256;  // runs

  explicit StepTimes(size_t steps) : steps_(steps), ns_(steps * static_cast<size_t>(kKept)) {}

  void Add(size_t step, int64_t ns) {
    ns_[static_cast<size_t>(runs_ % kKept) * steps_ + step] = ns;
  }
  void EndRun() { ++runs_; }

  int64_t runs() const { return runs_; }
  // Over the kept runs; negative before the first.
  double MedianUs(size_t step) const;

 private:
  size_t steps_;
  int64_t runs_ = 0;
  std::vector<int64_t> ns_;  // [run][step]
};

}  // namespace ferry::engine
