// The devices beside the CPU that this library holds.
#pragma once

#include <span>

#include "device-runtime/backend/backend.h"

namespace ferry::backends {

// One for each row of list.inc, in its order; they live as long as the process. Whether one can be
// used here it says itself.
std::span<const Backend* const> AllBackends();

}  // namespace ferry::backends
