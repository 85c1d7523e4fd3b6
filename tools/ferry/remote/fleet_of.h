// The fleet of a running server as a simulation has it.
// ---- fleet_of.cc
#pragma once

#include <cstdint>
#include <vector>

#include "tools/ferry/remote/api.h"
#include "tools/fleetsim/scenario/scenario.h"

namespace ferry::cli {

struct ServerFleet {
  int64_t devices = 0;
  // Devices that say the same of themselves, the most common ones; their links are not known.
  std::vector<fleetsim::Profile> profiles;
};
// Blocked devices are left out. kFailedPrecondition when there are no others.
Result<ServerFleet> FleetOf(const Api& api);

}  // namespace ferry::cli
