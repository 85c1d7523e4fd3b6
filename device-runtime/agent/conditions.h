// What the machine says of the conditions that installs may wait for (policy/when).
#pragma once

#include <string>

#include "common/base/json_fwd.h"
#include "common/base/status.h"
#include "common/sys/filesystem.h"
#include "policy/when/when.h"

namespace ferry::agent {

inline constexpr char kPowerSupply[] = "/sys/class/power_supply";
inline constexpr size_t kMaxConditionsBytes = 4096;

// Minutes that this machine's local time is ahead of UTC at that moment.
int UtcOffsetMinutes(int64_t unix_ms);

// What `json` says: {"idle":false,"charging":true,"unmetered":true,"utc_offset_minutes":60}, any of
// them; the rest of `host` stays. kMalformed names the member, and `host` stays as it is.
Status ReadConditionsInto(const Json& json, when::Host* host);

// Charging: the `power` folder (kPowerSupply) shows a supply that is on, a battery that charges or
// is full, or no battery. Idle and unmetered are taken for granted: a machine that runs a
// service knows no better. What the JSON file `path` says comes before all of that; an empty path
// and a file that is not there say nothing. Where it cannot be read or is wrong, the log says
// so and the host is neither idle nor charging nor unmetered.
when::Host ReadConditions(sys::FileSystem& fs, const std::string& power, const std::string& path,
                          int64_t now_ms);

}  // namespace ferry::agent
