#include "cloud-server/store/sql/release_rows.h"

#include <algorithm>

#include "cloud-server/store/sql/repositories.h"
#include "common/base/json.h"

namespace ferry::server {

Result<ReleaseRow> ReadRelease(Row& row) {
  ReleaseRow release;
  release.id = row.NextText();
  release.tenant = row.NextText();
  release.package = row.NextText();
  release.version = row.NextText();
  release.release_counter = row.NextInt();
  release.fallback_version = row.NextText();
  release.plan_json = row.NextText();
  release.settings_json = row.NextText();
  release.salt = row.NextText();
  FERRY_ASSIGN_OR_RETURN(release.state, ReleaseStateFromName(row.NextText()));
  FERRY_ASSIGN_OR_RETURN(release.paused_from, ReleaseStateFromName(row.NextText()));
  release.stage = row.NextInt();
  release.stage_since_ms = row.NextInt();
  release.paused_ms = row.NextInt();
  release.reason = row.NextText();
  release.created_ms = row.NextInt();
  release.number = row.NextInt();
  release.row_version = row.NextInt();
  FERRY_ASSIGN_OR_RETURN(const Json slices, ParseJson(row.NextText()).Context("{}", release.id));
  for (const Json& slice : slices)
    if (slice.is_string()) release.stopped_slices.push_back(slice.get<std::string>());
  return release;
}

Result<MemberRow> ReadMember(Row& row) {
  MemberRow member;
  member.release = row.NextText();
  member.device = row.NextText();
  member.stage = row.NextInt();
  member.offered_ms = row.NextInt();
  FERRY_ASSIGN_OR_RETURN(member.outcome, OutcomeFromName(row.NextText()));
  member.overdue = row.NextBool();
  member.done = row.NextBool();
  member.back = row.NextBool();
  member.step = row.NextText();
  member.step_ms = row.NextInt();
  member.error_code = row.NextInt();
  member.error_text = row.NextText();
  member.os = row.NextText();
  member.app_version = row.NextText();
  member.device_class = row.NextText();
  member.bytes_pulled = row.NextUint();
  member.was_delta = row.NextBool();
  member.by_push = row.NextBool();
  member.control = row.NextBool();
  member.attempt = row.NextInt();
  member.told = row.NextText();
  member.had_version = row.NextText();
  FERRY_ASSIGN_OR_RETURN(member.metrics, ReadNumbers(row.NextText()));
  member.window = static_cast<Window>(std::clamp<int64_t>(row.NextInt(), 0, 2));
  return member;
}

Result<Measured> ReadMeasured(Connection& sql, const std::string& release) {
  Measured measured;
  FERRY_TRY(sql.Query(
      "SELECT stage, control, slice, metric, past, within FROM metric_tally WHERE release = ?1",
      {release}, [&](Row& row) {
        MetricKey key;
        key.who.release = release;
        key.who.stage = row.NextInt();
        key.who.control = row.NextBool();
        key.who.slice = row.NextText();
        key.metric = row.NextText();
        MetricTally& tally = measured.tallies[key];
        tally.past = row.NextInt();
        tally.within = row.NextInt();
        return OkStatus();
      }));
  FERRY_TRY(sql.Query(
      "SELECT stage, metric, threshold, after_ms, fixed_ms FROM metric_baseline WHERE release = ?1",
      {release}, [&](Row& row) -> Status {
        BaselineRow& baseline = measured.baselines.emplace_back();
        baseline.release = release;
        baseline.stage = row.NextInt();
        baseline.metric = row.NextText();
        FERRY_ASSIGN_OR_RETURN(const auto threshold, ReadNumbers(row.NextText()));
        if (threshold.size() == 1) baseline.threshold = threshold.begin()->second;
        baseline.after_ms = row.NextInt();
        baseline.fixed_ms = row.NextInt();
        return OkStatus();
      }));
  return measured;
}

Status WriteMetricTallies(Connection& sql, const MetricTallies& increments) {
  for (const auto& [key, tally] : increments)
    FERRY_TRY(
        sql.Run("INSERT INTO metric_tally VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) "
                "ON CONFLICT (release, stage, control, slice, metric) DO UPDATE SET "
                "past = metric_tally.past + ?6, within = metric_tally.within + ?7",
                {key.who.release, key.who.stage, key.who.control, key.who.slice, key.metric,
                 tally.past, tally.within}));
  return OkStatus();
}

Status WriteBaseline(Connection& sql, const BaselineRow& row) {
  return sql.Run(
      "INSERT INTO metric_baseline VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT DO NOTHING",
      {row.release, row.stage, row.metric, WriteNumbers({{row.metric, row.threshold}}),
       row.after_ms, row.fixed_ms});
}

}  // namespace ferry::server
