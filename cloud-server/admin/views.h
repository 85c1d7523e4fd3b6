// Rows as the JSON that README.md shows. Private to admin.
#pragma once

#include "cloud-server/core/apply.h"
#include "cloud-server/store/store.h"
#include "common/base/json_fwd.h"
#include "common/base/status.h"

namespace ferry::server {

// `running` as {package: version}.
Json DeviceToJson(const DeviceRow& device, const Json& running);
// Where the device's state directory was found restored or copied: "state" and "state_ms".
Status AddDeviceState(Transaction& tx, const std::string& device, Json* json);
Json AssignmentToJson(const AssignmentRow& assignment);
Json MemberToJson(const MemberRow& member);
Json ReportToJson(const ReportRow& report);
Json PackageToJson(const PackageRow& package);
Json ArtefactToJson(const ArtefactRow& artefact);
Json EventToJson(const EventRow& event);

// What a device runs, as far as its answers tell: {package: version}.
Result<Json> RunningOf(Transaction& tx, const std::string& device);
// Release with its counts.
Result<Json> ReleaseToJson(const ReleaseRow& release, const Tallies& tallies);
// Release with stages, events, gates, some members and exclusive files.
// `members`: with the first kShownMembers; else there are none in it.
Result<Json> ReleaseInFull(Transaction& tx, const ReleaseRow& release, bool members = true);
// Release as in lists.
Result<Json> ReleaseInBrief(Transaction& tx, const ReleaseRow& release);

}  // namespace ferry::server
