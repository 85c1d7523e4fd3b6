#include <algorithm>
#include <cmath>

#include "policy/gate/weigh.h"

namespace ferry::gate {
namespace {

double Margin(const Finding& finding) {
  return finding.log_evidence - finding.log_limit;
}

bool IsWorse(const Finding& a, const Finding& b) {
  if (a.decision != b.decision) return a.decision > b.decision;
  return Margin(a) > Margin(b);
}

SliceCounts Minus(SliceCounts from, const SliceCounts& what) {
  AddCounts(from.treated, what.treated, -1);
  AddCounts(from.control, what.control, -1);
  for (MetricCounts& metric : from.metrics)
    for (const MetricCounts& less : what.metrics) {
      if (less.metric != metric.metric) continue;
      metric.past -= less.past;
      metric.within -= less.within;
      metric.control_past -= less.control_past;
      metric.control_within -= less.control_within;
    }
  return from;
}

}  // namespace

Input Without(const Input& input, const std::string& slice) {
  Input out = input;
  for (StageCohort& cohort : out.stages) {
    SliceCounts rest = Minus(SliceOf(cohort, kAllSlice), SliceOf(cohort, slice));
    rest.slice = kAllSlice;
    cohort.slices = {std::move(rest)};
  }
  return out;
}

bool IsMinority(const Input& input, const std::string& slice) {
  int64_t of_slice = 0, all = 0;
  for (const StageCohort& cohort : input.stages) {
    of_slice += SliceOf(cohort, slice).treated.exposed;
    all += SliceOf(cohort, kAllSlice).treated.exposed;
  }
  return slice != kAllSlice && 2 * of_slice <= all;
}

Verdict WorstOf(const Settings& settings, const Input& input, const std::vector<Finding>& findings,
                std::vector<Finding> (*weigh)(const Settings&, const Input&)) {
  const Finding* worst = nullptr;
  const Finding* alone = nullptr;  // the stopping slice that is furthest past its limit
  for (const Finding& finding : findings) {
    if (finding.counts.bad + finding.counts.good == 0) continue;
    // A slice without bad devices has no say; all devices together speak for a release without any.
    if (finding.counts.bad == 0 && finding.slice != kAllSlice) continue;
    if (worst == nullptr || IsWorse(finding, *worst)) worst = &finding;
    if (settings.stop_slices_alone && finding.decision == Decision::kStop &&
        IsMinority(input, finding.slice) && (alone == nullptr || IsWorse(finding, *alone)))
      alone = &finding;
  }
  if (worst == nullptr) return {};
  if (alone == nullptr) return VerdictOf(*worst);
  for (const Finding& rest : weigh(settings, Without(input, alone->slice)))
    if (rest.decision == Decision::kStop) return VerdictOf(*worst);
  Verdict verdict = VerdictOf(*alone);
  verdict.stops_slice = true;
  verdict.reason += "; the slice stops alone";
  return verdict;
}

}  // namespace ferry::gate
