#include "cloud-server/core/metrics/metrics.h"

#include "cloud-server/core/tally.h"

namespace ferry::server {
namespace {

const BaselineRow* BaselineOf(const std::vector<BaselineRow>& baselines, int64_t stage,
                              const std::string& metric) {
  for (const BaselineRow& row : baselines)
    if (row.stage == stage && row.metric == metric) return &row;
  return nullptr;
}

std::optional<double> ValueOf(const MemberRow& member, const std::string& metric) {
  const auto found = member.metrics.find(metric);
  return found == member.metrics.end() ? std::nullopt : std::optional<double>(found->second);
}

MetricTally TallyOf(const gate::MetricRule& rule, const BaselineRow* baseline,
                    const MemberRow& member) {
  if (!rule.limit && baseline == nullptr) return {};
  const bool counts = rule.limit || member.offered_ms > baseline->after_ms;
  if (!counts) return {0, member.control ? 0 : -1};
  const std::optional<double> value = ValueOf(member, rule.name);
  if (!value) return {};
  const double threshold = rule.limit ? *rule.limit : baseline->threshold;
  const bool past = rule.lower_is_worse ? *value < threshold : *value > threshold;
  if (member.control) return past ? MetricTally{1, 0} : MetricTally{0, 1};
  return past ? MetricTally{1, -1} : MetricTally();
}

}  // namespace

bool TakesMeasurement(const ReleaseRow& release, const MemberRow& member, const ReportRow& report) {
  if (report.step != kMeasuredStep || report.metrics.empty()) return false;
  if (!member.metrics.empty() || member.back || report.package != release.package) return false;
  const bool is_of_release = report.version == release.version;
  return report.release == release.id && is_of_release != member.control;
}

void CountMetrics(MetricTallies& tallies, const std::vector<gate::MetricRule>& rules,
                  const std::vector<BaselineRow>& baselines, const MemberRow& member, int64_t by) {
  for (const gate::MetricRule& rule : rules) {
    const MetricTally one = TallyOf(rule, BaselineOf(baselines, member.stage, rule.name), member);
    if (one == MetricTally()) continue;
    for (TallyKey& key : KeysOfMember(member)) {
      MetricTally& tally = tallies[{std::move(key), rule.name}];
      tally.past += by * one.past;
      tally.within += by * one.within;
    }
  }
}

void CountMetricChange(MetricTallies& tallies, const std::vector<gate::MetricRule>& rules,
                       const std::vector<BaselineRow>& baselines, const MemberRow& before,
                       const MemberRow& after) {
  CountMetrics(tallies, rules, baselines, before, -1);
  CountMetrics(tallies, rules, baselines, after, 1);
  DropEmpty(tallies);
}

void AddMetricTallies(MetricTallies& sum, const MetricTallies& more) {
  for (const auto& [key, tally] : more) {
    MetricTally& to = sum[key];
    to.past += tally.past;
    to.within += tally.within;
  }
}

void DropEmpty(MetricTallies& tallies) {
  std::erase_if(tallies, [](const auto& entry) { return entry.second == MetricTally(); });
}

MetricTallies MetricsWithoutSlices(const MetricTallies& tallies,
                                   const std::vector<std::string>& stopped) {
  MetricTallies rest;
  for (const auto& [key, tally] : tallies) {
    if (!IsCell(key.who.slice)) AddMetricTallies(rest, {{key, tally}});
    for (std::string& slice : SlicesLeftOut(key.who.slice, stopped)) {
      MetricKey of = key;
      of.who.slice = std::move(slice);
      rest[of].past -= tally.past;
      rest[of].within -= tally.within;
    }
  }
  return rest;
}

std::vector<gate::MetricCounts> MetricsOfSlice(const std::vector<gate::MetricRule>& rules,
                                               const Measured& measured, const std::string& release,
                                               int64_t stage, const std::string& slice,
                                               int64_t treated) {
  std::vector<gate::MetricCounts> all;
  for (const gate::MetricRule& rule : rules) {
    if (!rule.limit && BaselineOf(measured.baselines, stage, rule.name) == nullptr) continue;
    const auto tally = [&](bool control) {
      const auto found = measured.tallies.find({{release, stage, control, slice}, rule.name});
      return found == measured.tallies.end() ? MetricTally() : found->second;
    };
    const MetricTally differs = tally(false), control = tally(true);
    all.push_back(
        {rule.name, differs.past, treated + differs.within, control.past, control.within});
  }
  return all;
}

std::vector<BaselineRow> NewBaselines(const std::vector<gate::MetricRule>& rules,
                                      const std::vector<BaselineRow>& known,
                                      const std::vector<MemberRow>& first, int64_t now_ms) {
  std::vector<BaselineRow> rows;
  for (const gate::MetricRule& rule : rules) {
    if (rule.limit || first.empty()) continue;
    if (BaselineOf(known, first.front().stage, rule.name) != nullptr) continue;
    std::vector<double> values;
    for (const MemberRow& member : first)
      if (const auto value = ValueOf(member, rule.name)) values.push_back(*value);
    if (values.size() < gate::kBaselineDevices) continue;
    // Where fewer were taken, those that come after this moment are the first that count.
    const bool whole = first.size() >= kBaselineCandidates;
    rows.push_back({first.front().release, first.front().stage, rule.name,
                    gate::BaselineThreshold(std::move(values)),
                    whole ? first.back().offered_ms : now_ms, now_ms});
  }
  return rows;
}

}  // namespace ferry::server
