// The makers of all gates, one a row of list.inc.
#pragma once

#include <memory>

#include "policy/gate/gate.h"

namespace ferry::gate {

#define FERRY_GATE(Name) std::unique_ptr<Gate> Make##Name();
#include "policy/gate/gates/list.inc"
#undef FERRY_GATE

}  // namespace ferry::gate
