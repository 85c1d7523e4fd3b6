#include "cloud-server/admin/views.h"

#include "common/base/json.h"

namespace ferry::server {
namespace {

// The error's name in the table; empty for none, and for one of a newer device.
std::string ErrorName(int64_t number) {
  const auto code = CodeFromNumber(static_cast<int>(number));
  return code && *code != Code::kOk ? std::string(InfoOf(*code).name) : "";
}

}  // namespace

Json DeviceToJson(const DeviceRow& device, const Json& running) {
  return {{"id", device.id},
          {"os", device.os},
          {"app_version", device.app_version},
          {"device_class", device.device_class},
          {"tags", device.tags},
          {"operator_tags", device.operator_tags},
          {"extra", device.extra},
          {"runtime_version", device.runtime_version},
          {"memory_bytes", device.memory_bytes < 0 ? Json() : Json(device.memory_bytes)},
          {"free_bytes", device.free_bytes < 0 ? Json() : Json(device.free_bytes)},
          {"isa", device.isa},
          {"measured_class", device.measured_class},
          {"utc_offset_minutes",
           device.utc_offset_minutes == kOffsetUnknown ? Json() : Json(device.utc_offset_minutes)},
          {"user", device.user},
          {"at_rest", device.at_rest},
          {"root_version", device.root_version == 0 ? Json() : Json(device.root_version)},
          {"groups", device.groups},
          {"enrolled_ms", device.enrolled_ms},
          {"last_seen_ms", device.last_seen_ms},
          {"blocked", device.blocked},
          {"running", running}};
}

Status AddDeviceState(Transaction& tx, const std::string& device, Json* json) {
  FERRY_ASSIGN_OR_RETURN(const auto noted, tx.devices().State(device));
  if (!noted) return OkStatus();
  (*json)["state"] = noted->state;
  (*json)["state_ms"] = noted->noted_ms;
  return OkStatus();
}

Json AssignmentToJson(const AssignmentRow& assignment) {
  return {{"counter", assignment.counter},     {"release", assignment.release},
          {"action", assignment.action},       {"targets", assignment.targets},
          {"exclusive", assignment.exclusive}, {"done", assignment.done},
          {"made_ms", assignment.made_ms}};
}

Json MemberToJson(const MemberRow& member) {
  return {{"release", member.release},
          {"device", member.device},
          {"stage", member.stage},
          {"offered_ms", member.offered_ms},
          {"outcome", NameOf(member.outcome)},
          {"overdue", member.overdue},
          {"done", member.done},
          {"back", member.back},
          {"step", member.step},
          {"step_ms", member.step_ms},
          {"error_code", member.error_code},
          {"error_name", ErrorName(member.error_code)},
          {"error_text", member.error_text},
          {"bytes_pulled", member.bytes_pulled},
          {"was_delta", member.was_delta},
          {"by_push", member.by_push},
          {"control", member.control},
          {"attempt", member.attempt},
          {"had_version", member.had_version == "?" ? Json() : Json(member.had_version)},
          {"metrics", member.metrics}};
}

Json ReportToJson(const ReportRow& report) {
  return {{"device", report.device},
          {"seq", report.seq},
          {"release_id", report.release},
          {"epoch", report.epoch},
          {"step", report.step},
          {"package", report.package},
          {"version", report.version},
          {"error_code", report.error_code},
          {"error_name", ErrorName(report.error_code)},
          {"error_text", report.error_text},
          {"time_ms", report.time_ms},
          {"received_ms", report.received_ms},
          {"bytes_pulled", report.bytes_pulled},
          {"was_delta", report.was_delta},
          {"by_push", report.by_push},
          {"previous_version", report.previous_version},
          {"metrics", report.metrics}};
}

Json PackageToJson(const PackageRow& package) {
  Json json = {{"name", package.name},
               {"version", package.version},
               {"release_counter", package.release_counter},
               {"plain_sha256", package.plain_sha256},
               {"plain_length", package.plain_length},
               {"fallback_version", package.fallback_version},
               {"published_ms", package.published_ms}};
  if (auto needs = ParseJson(package.requires_json); needs.ok())
    json["requires"] = *std::move(needs);
  if (!package.licence.empty()) json["licence"] = package.licence;
  if (!package.description.empty()) json["description"] = package.description;
  return json;
}

Json ArtefactToJson(const ArtefactRow& artefact) {
  return {{"path", artefact.path},
          {"kind", artefact.kind},
          {"length", artefact.length},
          {"sha256", artefact.sha256},
          {"base_version", artefact.base_version}};
}

Json EventToJson(const EventRow& event) {
  Result<Json> numbers = ParseJson(event.numbers_json);
  return {{"seq", event.seq},
          {"time_ms", event.time_ms},
          {"kind", event.kind},
          {"text", event.text},
          {"numbers", numbers.ok() ? *numbers : Json::object()}};
}

Result<Json> RunningOf(Transaction& tx, const std::string& device) {
  Json running = Json::object();
  FERRY_ASSIGN_OR_RETURN(std::vector<MemberRow> members, tx.releases().MembersOfDevice(device));
  for (const MemberRow& member : members) {  // newest first
    FERRY_ASSIGN_OR_RETURN(ReleaseRow release, tx.releases().Get(member.release));
    if (running.contains(release.package)) continue;
    const bool went_back = member.back && member.done && member.step != "failed";
    const bool has_it =
        !member.back && (member.outcome == Outcome::kHealthy ||
                         (member.outcome == Outcome::kOpen && member.step == "confirmed"));
    if (went_back) running[release.package] = release.fallback_version;
    if (has_it) running[release.package] = release.version;
  }
  // Its own word counts for more.
  FERRY_ASSIGN_OR_RETURN(const std::vector<InstalledRow> installed, tx.devices().Installed(device));
  for (const InstalledRow& row : installed) running[row.package] = row.version;
  return running;
}

}  // namespace ferry::server
