// Which paths of the signed targets a document is about: of targets in bins, only the bins of these
// are fetched.
#pragma once

#include <string>
#include <vector>

#include "device-runtime/agent/parts.h"

namespace ferry::agent {

// What an install decides by: the artefacts that fit what runs and the files, the way back of each
// version, what lies in the slots, and all steps back where the wish goes back. Grows with what
// `set` holds of the targets: ask again until nothing is missing.
std::vector<std::string> PathsNeeded(const Parts& parts, const trust::TrustedSet& set,
                                     const trust::Desired& desired);
std::vector<std::string> PathsNeeded(const Parts& parts, const trust::TrustedSet& set,
                                     const std::string& package, const trust::DesiredPackage& wish);
std::vector<std::string> PathsNeeded(const Parts& parts, const trust::TrustedSet& set,
                                     const trust::Assignment& assignment);

}  // namespace ferry::agent
