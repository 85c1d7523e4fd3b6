// A device's profile from the wire into its row. For gateway only.
#pragma once

#include "cloud-server/core/rows.h"

namespace ferry::proto {
class Profile;
}

namespace ferry::server {

inline constexpr int kMaxProfileEntries = 64;  // tags, isa, members of `extra` and of `user`
inline constexpr int64_t kMaxOffsetMinutes = 18 * 60;  // of a time zone, either way
inline constexpr size_t kMaxProfileText = 256;         // bytes of each text

// kLimitExceeded, kInvalidArgument name the field.
Status CheckProfile(const proto::Profile& profile);
// Whether anything changed. A profile without any attribute of the device's own (os, app version,
// class, tags, extra, user) keeps the last known ones, since a device that was started without its
// profile would otherwise leave every rule; with at least one it replaces them all. The runtime's
// version and each of what it found on the machine are replaced when they are sent.
//
// Free space moves with every login: it is kept as RoundedSpace of what was said, and one step up
// changes nothing. So a rule never counts on space that is not there, and a device whose space
// stands near a step is not written at each login.
bool PutProfile(const proto::Profile& profile, DeviceRow* row);

// Down to an eighth of its power of two: 1000 MiB as 960 MiB.
int64_t RoundedSpace(int64_t bytes);

}  // namespace ferry::server
