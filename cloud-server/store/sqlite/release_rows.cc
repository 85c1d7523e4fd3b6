#include "cloud-server/store/sqlite/release_rows.h"
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
  return member;
}

}  // namespace ferry::server
