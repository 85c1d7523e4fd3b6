#include "policy/gate/weigh.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "policy/gate/alpha.h"

namespace ferry::gate {
namespace {

// What one test looks at.
struct Evidence {
  // Bad devices, other devices: the first so many in the order of exposure. Looking at several such
  // prefixes costs nothing: the bound of LogEValue holds for all of them at once.
  std::vector<std::pair<int64_t, int64_t>> prefixes;
  bool compared = false;
  double log_compared = 0;  // the product over stages of what comparing the cohorts says
  TwoCohorts cohorts;
};

void Compare(const StageCohort& stage, const TwoCohorts& counts, Evidence& evidence) {
  if (stage.control_share <= 0) return;
  evidence.compared = true;
  evidence.log_compared += LogCohortEValue(counts, stage.control_share);
  evidence.cohorts.control_bad += counts.control_bad;
  evidence.cohorts.control_good += counts.control_good;
}

// The prefix that speaks loudest against a rate of p0.
double Loudest(Evidence& evidence, const Finding& finding, double p0) {
  const bool broad = finding.slice == kAllSlice;
  double best = -HUGE_VAL;
  for (const auto& [bad, good] : evidence.prefixes) {
    if (bad + good == 0) continue;
    const double value = broad ? LogBroadEValue(bad, good, p0) : LogEValue(bad, good, p0);
    if (value <= best) continue;
    best = value;
    evidence.cohorts.bad = bad;
    evidence.cohorts.good = good;
  }
  return best;
}

// Devices are worse than tolerated and, where some are held back, worse than those: only then is it
// the release. Both must be shown, each at the whole alpha of the test: whichever of the two is not
// so is then shown wrongly with a chance of at most alpha.
void Decide(Evidence& evidence, Finding& finding) {
  finding.compared = evidence.compared;
  const bool bounded = finding.tolerated_rate > 0;
  double value = bounded ? Loudest(evidence, finding, finding.tolerated_rate) : 0;
  const bool past_rate = !bounded || value >= finding.log_limit;
  if (evidence.compared)
    value = bounded ? std::min(value, evidence.log_compared) : evidence.log_compared;
  finding.log_evidence = value;
  finding.counts = evidence.cohorts;
  if (bounded || evidence.compared) {
    if (past_rate && value >= finding.log_limit) finding.decision = Decision::kStop;
  }
  if (!bounded || !past_rate || finding.decision == Decision::kStop) return;
  // More than tolerated, and the cohorts do not tell yet: wait, unless the rate that the control
  // cohort shows explains it.
  const auto bad = static_cast<double>(evidence.cohorts.control_bad);
  const auto all = bad + static_cast<double>(evidence.cohorts.control_good);
  constexpr double kMostRate = 0.999;
  const double shown = all > 0 ? std::min(bad / all, kMostRate) : 0;
  const double rate = std::max(finding.tolerated_rate, shown);
  if (Loudest(evidence, finding, rate) >= finding.log_limit) finding.decision = Decision::kWait;
}

// One pointer a stage.
using Row = std::vector<const SliceCounts*>;

Row RowOf(const Input& input, const std::string& slice) {
  Row row;
  for (const StageCohort& cohort : input.stages) row.push_back(&SliceOf(cohort, slice));
  return row;
}

Evidence FailuresFrom(const Input& input, const Row& row, size_t begin) {
  Evidence out;
  std::pair<int64_t, int64_t> exposed, closed;
  for (size_t k = begin; k < row.size(); ++k) {
    const Counts& treated = row[k]->treated;
    const Counts& control = row[k]->control;
    // Windows of the present stage end in the order in which they began, and after all devices of
    // earlier stages were exposed: those, with the closed ones of this stage, are a prefix.
    const bool last = k + 1 == row.size();
    closed = exposed;
    closed.first += last ? treated.closed_failed : treated.failed;
    closed.second +=
        last ? treated.closed - treated.closed_failed : treated.exposed - treated.failed;
    exposed.first += treated.failed;
    exposed.second += treated.exposed - treated.failed;
    Compare(input.stages[k],
            {treated.closed_failed, treated.closed - treated.closed_failed + treated.dropped,
             control.closed_failed, control.closed - control.closed_failed},
            out);
  }
  out.prefixes = {exposed, closed};
  return out;
}

const MetricCounts* MetricOf(const SliceCounts& counts, const std::string& metric) {
  for (const MetricCounts& item : counts.metrics)
    if (item.metric == metric) return &item;
  return nullptr;
}

Evidence MetricFrom(const Input& input, const Row& row, size_t begin, const std::string& metric) {
  Evidence out;
  std::pair<int64_t, int64_t> seen;
  for (size_t k = begin; k < row.size(); ++k) {
    const MetricCounts* counts = MetricOf(*row[k], metric);
    if (counts == nullptr) continue;
    seen.first += counts->past;
    seen.second += counts->within;
    Compare(input.stages[k],
            {counts->past, counts->within, counts->control_past, counts->control_within}, out);
  }
  out.prefixes = {seen};
  out.cohorts.bad = seen.first;
  out.cohorts.good = seen.second;
  return out;
}

// Calls test(row, begin, finding) for every slice and every stage from which on to count.
template <typename Test>
std::vector<Finding> ForEachSequence(const Input& input, double alpha, const std::string& metric,
                                     const Test& test) {
  std::vector<Finding> out;
  for (const SliceShare& share : SliceShares(input)) {
    const Row row = RowOf(input, share.slice);
    for (size_t begin = 0; begin < row.size(); ++begin) {
      if (begin > 0 && row[begin]->treated.exposed == 0) continue;
      Finding finding;
      finding.metric = metric;
      finding.slice = share.slice;
      if (begin > 0) finding.stage = input.stages[begin].stage;
      finding.log_limit = -std::log(alpha * share.share * SequenceShare(begin));
      test(row, begin, finding);
      out.push_back(std::move(finding));
    }
  }
  return out;
}

}  // namespace

std::vector<Finding> WeighFailures(const Settings& settings, const Input& input) {
  return ForEachSequence(input, FailureAlpha(settings), kFailureMetric,
                         [&](const Row& row, size_t begin, Finding& finding) {
                           finding.tolerated_rate = settings.tolerated_rate;
                           Evidence evidence = FailuresFrom(input, row, begin);
                           Decide(evidence, finding);
                         });
}

std::vector<Finding> WeighMetrics(const Settings& settings, const Input& input) {
  std::vector<Finding> out;
  for (const MetricRule& rule : settings.metrics) {
    auto rows = ForEachSequence(input, MetricAlpha(settings), rule.name,
                                [&](const Row& row, size_t begin, Finding& finding) {
                                  if (rule.limit) finding.tolerated_rate = rule.tolerated_rate;
                                  Evidence evidence = MetricFrom(input, row, begin, rule.name);
                                  Decide(evidence, finding);
                                });
    std::move(rows.begin(), rows.end(), std::back_inserter(out));
  }
  return out;
}

std::vector<Verdict> Weigh(const Settings& settings, const Input& input) {
  std::vector<Verdict> out;
  for (const auto& weigh : {WeighFailures, WeighMetrics})
    for (const Finding& finding : weigh(settings, input)) {
      out.push_back(VerdictOf(finding));
      out.back().gate = finding.metric == kFailureMetric ? "failure" : "metric";
    }
  return out;
}

}  // namespace ferry::gate
