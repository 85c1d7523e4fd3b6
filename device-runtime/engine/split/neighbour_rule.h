// For tests: the best way to give runs of neighbouring steps to backends, by looking at all of them
// (the square of the steps), each part with copies of its own.
#pragma once

#include <limits>
#include <map>
#include <span>

#include "device-runtime/engine/split/extract.h"
#include "device-runtime/engine/split/placement.h"

namespace ferry::engine {

inline double CopyUs(const ir::Program& program, const Backend& backend, ir::BufferId root) {
  const ir::BufferInfo& buffer = program.buffers[static_cast<size_t>(root)];
  return backend.CopyCost(buffer.shape.elements() *
                          static_cast<int64_t>(tensor::DTypeSize(buffer.dtype)));
}

// Costs of spans that begin at one step, as they grow to the right.
class GrowingSpan {
 public:
  GrowingSpan(const ir::Program& program, const std::vector<size_t>& last_reads,
              const Backend& backend)
      : program_(program), last_reads_(last_reads), backend_(backend), us_(backend.PartCost()) {}

  // Takes step `i` in; false when the backend does not run it.
  bool Add(size_t i) {
    const ir::Step& step = program_.steps[i];
    if (!backend_.Runs(program_, step)) return false;
    us_ += backend_.StepCost(program_, step);
    for (ir::BufferId id : step.inputs) {
      if (id >= 0) Read(program_.Root(id), i);
    }
    for (ir::BufferId id : step.outputs) {
      if (id >= 0) Make(program_.Root(id), i);
    }
    return true;
  }
  double us() const { return us_ + leaving_us_; }

 private:
  void Read(ir::BufferId root, size_t i) {
    const bool is_constant = program_.buffers[static_cast<size_t>(root)].constant.has_value();
    const auto [at, is_new] = seen_.emplace(root, 0.0);
    if (is_new && !is_constant) us_ += CopyUs(program_, backend_, root);
    if (last_reads_[static_cast<size_t>(root)] != i) return;
    leaving_us_ -= at->second;  // nobody behind the span wants it any more
    at->second = 0;
  }
  void Make(ir::BufferId root, size_t i) {
    const bool leaves = last_reads_[static_cast<size_t>(root)] > i;
    const double us = leaves ? CopyUs(program_, backend_, root) : 0;
    seen_[root] = us;
    leaving_us_ += us;
  }

  const ir::Program& program_;
  const std::vector<size_t>& last_reads_;
  const Backend& backend_;
  double us_;
  double leaving_us_ = 0;
  std::map<ir::BufferId, double> seen_;  // what it costs to copy back what was made here
};

inline double NeighbourRuleCost(const ir::Program& program, std::span<const double> cpu_us,
                                std::span<const Backend* const> backends) {
  const size_t count = program.steps.size();
  std::vector<double> best(count + 1, std::numeric_limits<double>::infinity());
  best[0] = 0;  // of the first steps
  const std::vector<size_t> last_reads = LastReads(program);
  for (size_t i = 0; i < count; ++i) {
    best[i + 1] = std::min(best[i + 1], best[i] + cpu_us[i]);
    for (const Backend* backend : backends) {
      GrowingSpan span(program, last_reads, *backend);
      for (size_t j = i; j < count && span.Add(j); ++j) {
        best[j + 1] = std::min(best[j + 1], best[i] + span.us());
      }
    }
  }
  return best[count];
}

}  // namespace ferry::engine
