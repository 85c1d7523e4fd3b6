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
// Whether anything changed. A profile without any attribute of the device's own (os, app version,
// class, tags, extra) keeps the last known ones, since a device that was started without its
// profile would otherwise leave every rule; with at least one it replaces them all. The runtime's
// version is replaced when it is sent.
bool PutProfile(const proto::Profile& profile, DeviceRow* row);

}  // namespace ferry::server
