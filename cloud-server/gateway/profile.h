// A device's profile from the wire into its row. For gateway only.
#pragma once

#include "cloud-server/core/rows.h"

namespace ferry::proto {
class Profile;
}

namespace ferry::server {

inline constexpr int kMaxProfileEntries = 64;   // tags, and members of `extra`
inline constexpr size_t kMaxProfileText = 256;  // bytes of each text

// kLimitExceeded names the field.
Status CheckProfile(const proto::Profile& profile);
// Whether anything changed.
bool PutProfile(const proto::Profile& profile, DeviceRow* row);

}  // namespace ferry::server
