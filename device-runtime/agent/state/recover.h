// What runs when no copy of `current` can be read: the slots say it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "device-runtime/agent/state/slots.h"

namespace ferry::agent {

// From the slots whose package file verifies: the version that ran last, `ran.back()`, or else the
// newest; the other one stays for going back. Counters come of the signed targets (null: none are
// held) and are those of the highest version that `ran`, so that nothing older can be installed
// than before. kCorruptContent: no slot verifies.
Result<Current> RecoverCurrent(sys::FileSystem& fs, const Slots& slots, const std::string& package,
                               const std::vector<std::string>& ran, const trust::Targets* targets);

// The entry of the newest version that `ran`, as what runs; nullopt: `targets` (null: none are
// held) has none of them.
std::optional<trust::Running> HighestOf(const std::string& package,
                                        const std::vector<std::string>& ran,
                                        const trust::Targets* targets);

}  // namespace ferry::agent
