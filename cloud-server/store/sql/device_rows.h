// Columns of the tables around devices, and their reading. Private to sql/.
#pragma once

#include <map>
#include <string>

#include "cloud-server/store/sql/connection.h"
#include "cloud-server/store/store.h"

#define FERRY_DEVICE_COLUMNS                                                                 \
  "id, tenant, identity_public, seal_public, blocked, os, app_version, device_class, tags, " \
  "extra, "                                                                                  \
  "runtime_version, enrolled_ms, last_seen_ms, report_seq, row_version, operator_tags, "     \
  "memory_bytes, free_bytes, isa, measured_class, user_attributes, reads_desired, "          \
  "reads_when, utc_offset_minutes, at_rest, observes, "                                      \
  "new_keys_ms, reads_bins"
// What is read: the columns, and the names of the lists that the device is on.
#define FERRY_DEVICE_READ(sql, rest)                                                           \
  (sql).Choose("SELECT " FERRY_DEVICE_COLUMNS                                                  \
               ", (SELECT json_group_array(group_name) FROM (SELECT group_name FROM "          \
               "group_device WHERE group_device.device = device.id ORDER BY group_name)), "    \
               "root_version FROM device " rest,                                               \
               "SELECT " FERRY_DEVICE_COLUMNS                                                  \
               ", (SELECT CAST(COALESCE(json_agg(group_name ORDER BY group_name), '[]') AS "   \
               "TEXT) FROM group_device WHERE group_device.device = device.id), root_version " \
               "FROM device " rest)
#define FERRY_ASSIGNMENT_COLUMNS \
  "device, counter, release, action, targets, exclusive, done, made_ms, desired, personal"

namespace ferry::server {

Result<std::map<std::string, std::string>> ReadTextMap(const std::string& json);
// Without the fleet's groups.
Result<DeviceRow> ReadDevice(Row& row);
Result<AssignmentRow> ReadAssignment(Row& row);
InstalledRow ReadInstalled(Row& row);

}  // namespace ferry::server
