// Columns of the tables around releases, and their reading. Private to sql/.
#pragma once

#include "cloud-server/store/sql/connection.h"
#include "cloud-server/store/store.h"

#define FERRY_RELEASE_COLUMNS                                                                   \
  "id, tenant, package, version, release_counter, fallback_version, plan_json, settings_json, " \
  "salt, state, paused_from, stage, stage_since_ms, paused_ms, reason, created_ms, number, "    \
  "row_version, stopped_slices"
#define FERRY_MEMBER_COLUMNS                                                                  \
  "release, device, stage, offered_ms, outcome, overdue, done, back, step, step_ms, "         \
  "error_code, error_text, os, app_version, device_class, bytes_pulled, was_delta, by_push, " \
  "control, attempt, told, had_version, metrics, \"window\""

namespace ferry::server {

Result<ReleaseRow> ReadRelease(Row& row);
Result<MemberRow> ReadMember(Row& row);

Result<Measured> ReadMeasured(Connection& sql, const std::string& release);
Status WriteMetricTallies(Connection& sql, const MetricTallies& increments);
Status WriteBaseline(Connection& sql, const BaselineRow& row);

}  // namespace ferry::server
