// What members measured, beside what a command about their release counts.
#include "cloud-server/core/metrics/metrics.h"
#include "cloud-server/rollout/rows.h"

namespace ferry::server {

// All members are counted once when a baseline is fixed, for it says who counts; after that counts
// are increments again.
Status FixBaselines(Transaction& tx, const ReleaseRows& rows, const Changes& changes,
                    int64_t now_ms) {
  FERRY_ASSIGN_OR_RETURN(const gate::Settings settings, SettingsOf(rows.release));
  bool open = false;
  for (const gate::MetricRule& rule : settings.metrics) open = open || !rule.limit;
  if (!open) return OkStatus();
  std::set<int64_t> stages;
  for (const MemberRow& member : changes.members)
    if (member.control && !member.metrics.empty()) stages.insert(member.stage);
  bool fixed = false;
  for (const int64_t stage : stages) {
    FERRY_ASSIGN_OR_RETURN(const std::vector<MemberRow> first,
                           tx.releases().FirstControl(rows.release.id, stage, kBaselineCandidates));
    for (const BaselineRow& row :
         NewBaselines(settings.metrics, rows.measured.baselines, first, now_ms)) {
      FERRY_TRY(tx.releases().AddBaseline(row));
      fixed = true;
    }
  }
  if (!fixed) return OkStatus();
  FERRY_ASSIGN_OR_RETURN(const MetricTallies counted, CountMeasured(tx, rows.release));
  return tx.releases().SetMetricTallies(rows.release.id, counted);
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
