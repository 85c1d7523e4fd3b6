// Backends by name.
#pragma once

#include <string>
#include <vector>

#include "device-runtime/backend/backend.h"

namespace ferry::engine {

// As SessionOptions::backend_names says, FERRY_BACKEND included.
Result<std::vector<const backends::Backend*>> ChooseBackends(
    const std::string& names, const std::vector<const backends::Backend*>& given);

}  // namespace ferry::engine
