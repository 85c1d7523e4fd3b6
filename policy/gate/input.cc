#include "policy/gate/input.h"

#include <algorithm>

namespace ferry::gate {
namespace {

const SliceCounts& NoCounts() {
  static const auto* const kNone = new SliceCounts{};
  return *kNone;
}

}  // namespace

void AddCounts(Counts& to, const Counts& what, int64_t sign) {
  to.exposed += sign * what.exposed;
  to.failed += sign * what.failed;
  to.silent += sign * what.silent;
  to.pending += sign * what.pending;
  to.closed += sign * what.closed;
  to.closed_failed += sign * what.closed_failed;
  to.healthy += sign * what.healthy;
  to.late += sign * what.late;
  to.dropped += sign * what.dropped;
}

const SliceCounts& SliceOf(const StageCohort& cohort, const std::string& slice) {
  for (const SliceCounts& counts : cohort.slices)
    if (counts.slice == slice) return counts;
  return NoCounts();
}

const SliceCounts& PresentAll(const Input& input) {
  return input.stages.empty() ? NoCounts() : SliceOf(input.stages.back(), kAllSlice);
}

int64_t RequiredReports(const Input& input) {
  const Counts& all = PresentAll(input).treated;
  const int64_t devices = std::max(input.planned, all.exposed + all.dropped);
  if (input.min_reports > 0) return std::min(input.min_reports, devices);
  const int64_t tenth = (devices + kDefaultReportsDivisor - 1) / kDefaultReportsDivisor;
  return std::min(tenth, kMostDefaultReports);
}

double BaselineThreshold(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace ferry::gate
