#include "cloud-server/store/sql/device_rows.h"

#include "cloud-server/store/sql/repositories.h"
#include "common/base/json.h"

namespace ferry::server {

Result<std::map<std::string, std::string>> ReadTextMap(const std::string& json) {
  FERRY_ASSIGN_OR_RETURN(Json parsed, ParseJson(json).Context("a stored profile"));
  std::map<std::string, std::string> extra;
  for (const auto& [key, value] : parsed.items()) {
    const auto* text = value.get_ptr<const std::string*>();
    if (text == nullptr) return Status(Code::kInternal, "a stored profile holds no text");
    extra[key] = *text;
  }
  return extra;
}

Result<DeviceRow> ReadDevice(Row& row) {
  DeviceRow device;
  device.id = row.NextText();
  device.tenant = row.NextText();
  device.identity_public = row.NextBytes();
  device.seal_public = row.NextBytes();
  device.blocked = row.NextBool();
  device.os = row.NextText();
  device.app_version = row.NextText();
  device.device_class = row.NextText();
  FERRY_ASSIGN_OR_RETURN(device.tags, ReadTexts(row.NextText()));
  FERRY_ASSIGN_OR_RETURN(device.extra, ReadTextMap(row.NextText()));
  device.runtime_version = row.NextText();
  device.enrolled_ms = row.NextInt();
  device.last_seen_ms = row.NextInt();
  device.report_seq = row.NextUint();
  device.row_version = row.NextInt();
  FERRY_ASSIGN_OR_RETURN(device.operator_tags, ReadTexts(row.NextText()));
  device.memory_bytes = row.NextInt();
  device.free_bytes = row.NextInt();
  FERRY_ASSIGN_OR_RETURN(device.isa, ReadTexts(row.NextText()));
  device.measured_class = row.NextText();
  FERRY_ASSIGN_OR_RETURN(device.user, ReadTextMap(row.NextText()));
  device.reads_desired = row.NextBool();
  device.reads_when = row.NextBool();
  device.utc_offset_minutes = row.NextInt();
  device.at_rest = row.NextBool();
  device.observes = row.NextBool();
  device.new_keys_ms = row.NextInt();
  device.reads_bins = row.NextBool();
  FERRY_ASSIGN_OR_RETURN(device.groups, ReadTexts(row.NextText()));
  device.root_version = row.NextInt();
  return device;
}

Result<AssignmentRow> ReadAssignment(Row& row) {
  AssignmentRow assignment;
  assignment.device = row.NextText();
  assignment.counter = row.NextInt();
  assignment.release = row.NextText();
  assignment.action = row.NextText();
  FERRY_ASSIGN_OR_RETURN(assignment.targets, ReadTexts(row.NextText()));
  FERRY_ASSIGN_OR_RETURN(assignment.exclusive, ReadTexts(row.NextText()));
  assignment.done = row.NextBool();
  assignment.made_ms = row.NextInt();
  assignment.desired_json = row.NextText();
  assignment.personal = row.NextInt();
  return assignment;
}

InstalledRow ReadInstalled(Row& row) {
  InstalledRow installed;
  installed.device = row.NextText();
  installed.package = row.NextText();
  installed.version = row.NextText();
  installed.release = row.NextText();
  installed.disabled = row.NextBool();
  return installed;
}

}  // namespace ferry::server
