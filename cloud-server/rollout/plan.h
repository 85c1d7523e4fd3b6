// Private to rollout.
#pragma once

#include "common/base/json_fwd.h"
#include "common/base/status.h"
#include "policy/stage/plan.h"

namespace ferry::server {

// A plan as it comes from an operator: no rule means every device, no stages the default ones.
Result<stage::Plan> CompletePlan(const Json& plan);

}  // namespace ferry::server
