// What the app said of the device, kept so that a start that says nothing goes on with it: rules of
// releases ask for it, and a device that forgot its tags would leave them all. It belongs to the
// state directory, not to a key or a server: it holds over new keys and another join.
#pragma once

#include <optional>
#include <string>

#include "common/sys/filesystem.h"
#include "policy/target/attributes.h"

namespace ferry::agent {

inline constexpr char kProfileFile[] = "profile.json";  // a TwinFile

// `said` is kept and returned; with nullopt what was kept is, and nothing where nothing was. Of
// copies that are damaged both, the profile begins anew; `damage` (for people) gets what was wrong,
// and is left alone otherwise. Errors are of the disk.
Result<target::Attributes> KeepProfile(sys::FileSystem& fs, const std::string& directory,
                                       const std::optional<target::Attributes>& said,
                                       std::string* damage);

// Takes what is known of who uses the device out of it.
Status ForgetUser(sys::FileSystem& fs, const std::string& directory);

}  // namespace ferry::agent
