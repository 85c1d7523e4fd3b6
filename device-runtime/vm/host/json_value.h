// JSON values to script values and back.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "device-runtime/vm/exec/state.h"

namespace ferry::vm {

Value ValueFromJson(Vm& vm, const nlohmann::json& json);
Result<nlohmann::json> JsonFromValue(Vm& vm, Value v);

}  // namespace ferry::vm
