// What devices measured, counted for the gates: each member's first measurement against a rule's
// limit, or against what the first control devices of its stage measured.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cloud-server/core/rows.h"
#include "policy/gate/input.h"
#include "policy/gate/settings.h"

namespace ferry::server {

inline constexpr char kMeasuredStep[] = "measured";    // ReportRow::step
inline constexpr char kObservingStep[] = "observing";  // of a device that is held back
// A baseline is the median of the first values of so many control devices, those that the stage
// took first. Which devices these are, and from which one on the others count, does not depend on
// what was measured: the cohorts of those others are as they were drawn.
inline constexpr size_t kBaselineCandidates = 2 * gate::kBaselineDevices;

// Whether the report, which names the release, is the measurement that counts for this member: its
// first one, of the release's version where it was offered that, of any other version of the
// package where it is held back.
bool TakesMeasurement(const ReleaseRow& release, const MemberRow& member, const ReportRow& report);

// Adds (by = 1) or takes away (by = -1) one member under each rule and key. Of treated members the
// tally holds what differs from "all of them are within": those that were taken before the baseline
// are -1 within, those past the threshold are 1 past and -1 within. MetricsOfSlice adds the rest.
// So a member is counted as within from the moment that it is taken, without a write.
void CountMetrics(MetricTallies& tallies, const std::vector<gate::MetricRule>& rules,
                  const std::vector<BaselineRow>& baselines, const MemberRow& member, int64_t by);
// Adds what differs.
void CountMetricChange(MetricTallies& tallies, const std::vector<gate::MetricRule>& rules,
                       const std::vector<BaselineRow>& baselines, const MemberRow& before,
                       const MemberRow& after);
void AddMetricTallies(MetricTallies& sum, const MetricTallies& more);
// Entries that count nobody go: a recount has none of them.
void DropEmpty(MetricTallies& tallies);

// As WithoutSlices of tally.h.
MetricTallies MetricsWithoutSlices(const MetricTallies& tallies,
                                   const std::vector<std::string>& stopped);

// What the gates see of one slice of one stage that was offered to `treated` members. A rule
// without a limit that has no baseline in the stage yet is left out.
std::vector<gate::MetricCounts> MetricsOfSlice(const std::vector<gate::MetricRule>& rules,
                                               const Measured& measured, const std::string& release,
                                               int64_t stage, const std::string& slice,
                                               int64_t treated);

// The baselines of a stage that can be fixed now and are not: `first` are the first control members
// that the stage took, kBaselineCandidates of them where there are so many.
std::vector<BaselineRow> NewBaselines(const std::vector<gate::MetricRule>& rules,
                                      const std::vector<BaselineRow>& known,
                                      const std::vector<MemberRow>& first, int64_t now_ms);

}  // namespace ferry::server
