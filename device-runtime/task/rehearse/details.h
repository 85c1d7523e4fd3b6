// What one case gave, in full: for whoever writes the script.
// ---- details.cc
#pragma once

#include <functional>
#include <string>

#include "common/base/json.h"
#include "device-runtime/task/outcome.h"
#include "device-runtime/task/rehearse/cases.h"

namespace ferry::task {

// As TaskHost::Simulate tells it. `status`: how the case failed; `take_printed` may be empty.
Json DetailsOf(const Case& one, const Status& status, const EventOutcome& seen,
               const std::function<std::string()>& take_printed);

}  // namespace ferry::task
