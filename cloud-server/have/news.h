// Whether releases may have something for a device, by what it says of itself and what it runs:
// asked of what is in memory. Pure.
// ---- news.cc
#pragma once

#include <map>
#include <string>

#include "cloud-server/core/desired.h"
#include "policy/target/attributes.h"

namespace ferry::server {

// `running`: version by package. What only the device's own rows know (that it failed before, that
// a release's rate is used up) is not asked, so that yes may be too much; no is never too little
// but for what concerns this device alone: its own files, new tags of the operator.
bool MayHaveNews(const Catalogue& catalogue, const target::Attributes& device,
                 const std::map<std::string, std::string>& running);

}  // namespace ferry::server
