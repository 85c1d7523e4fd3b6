// What control devices measured, which no command about a release brings: they run another version.
#include "cloud-server/core/metrics/metrics.h"
#include "cloud-server/rollout/rows.h"

namespace ferry::server {
namespace {

bool IsCompared(const ReleaseRow& release) {
  return TakesDevices(release.state) || release.state == ReleaseState::kPaused;
}

// All members are counted once when a baseline is fixed, for it says who counts; after that counts
// are increments again.
Status FixBaselines(Transaction& tx, const ReleaseRow& release, const gate::Settings& settings,
                    int64_t stage, const std::vector<BaselineRow>& known, int64_t now_ms) {
  bool open = false;
  for (const gate::MetricRule& rule : settings.metrics) open = open || !rule.limit;
  if (!open) return OkStatus();
  FERRY_ASSIGN_OR_RETURN(const std::vector<MemberRow> first,
                         tx.releases().FirstControl(release.id, stage, kBaselineCandidates));
  const std::vector<BaselineRow> fixed = NewBaselines(settings.metrics, known, first, now_ms);
  if (fixed.empty()) return OkStatus();
  for (const BaselineRow& row : fixed) FERRY_TRY(tx.releases().AddBaseline(row));
  FERRY_ASSIGN_OR_RETURN(const MetricTallies counted, CountMeasured(tx, release));
  return tx.releases().SetMetricTallies(release.id, counted);
}

}  // namespace

Status NoteMeasured(Transaction& tx, const ReportRow& report, int64_t now_ms) {
  if (report.step != kMeasuredStep) return OkStatus();
  FERRY_ASSIGN_OR_RETURN(const std::vector<MemberRow> members,
                         tx.releases().MembersOfDevice(report.device));
  for (const MemberRow& before : members) {
    if (!before.control) continue;
    FERRY_ASSIGN_OR_RETURN(const ReleaseRow release, tx.releases().Get(before.release));
    if (!IsCompared(release) || !TakesMeasurement(release, before, report)) continue;
    FERRY_ASSIGN_OR_RETURN(const gate::Settings settings, SettingsOf(release));
    FERRY_ASSIGN_OR_RETURN(const Measured measured, tx.releases().MeasuredOf(release.id));
    MemberRow after = before;
    after.metrics = report.metrics;
    MetricTallies increments;
    CountMetricChange(increments, settings.metrics, measured.baselines, before, after);
    FERRY_TRY(tx.releases().PutMember(after));
    FERRY_TRY(tx.releases().AddMetricTallies(increments));
    FERRY_TRY(FixBaselines(tx, release, settings, after.stage, measured.baselines, now_ms));
  }
  return OkStatus();
}

Status ForgetMeasured(Transaction& tx, const std::vector<MemberRow>& joined) {
  for (const MemberRow& member : joined) {
    if (member.metrics.empty()) continue;
    FERRY_ASSIGN_OR_RETURN(const ReleaseRow release, tx.releases().Get(member.release));
    FERRY_ASSIGN_OR_RETURN(const gate::Settings settings, SettingsOf(release));
    FERRY_ASSIGN_OR_RETURN(const Measured measured, tx.releases().MeasuredOf(release.id));
    MetricTallies increments;
    CountMetrics(increments, settings.metrics, measured.baselines, member, -1);
    FERRY_TRY(tx.releases().AddMetricTallies(increments));
  }
  return OkStatus();
}

Result<MetricTallies> CountMeasured(Transaction& tx, const ReleaseRow& release) {
  FERRY_ASSIGN_OR_RETURN(const gate::Settings settings, SettingsOf(release));
  MetricTallies tallies;
  if (settings.metrics.empty()) return tallies;
  FERRY_ASSIGN_OR_RETURN(const Measured measured, tx.releases().MeasuredOf(release.id));
  for (std::string after;;) {
    FERRY_ASSIGN_OR_RETURN(const std::vector<MemberRow> page,
                           tx.releases().MembersPage(release.id, after, kMaxPageRows));
    for (const MemberRow& member : page)
      CountMetrics(tallies, settings.metrics, measured.baselines, member, 1);
    if (page.size() < kMaxPageRows) break;
    after = page.back().device;
  }
  DropEmpty(tallies);
  return tallies;
}

}  // namespace ferry::server
