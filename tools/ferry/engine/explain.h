// The table of `ferry bench --explain`.
#pragma once

#include <span>
#include <string>

#include "common/base/json.h"
#include "device-runtime/engine/explain/report.h"

namespace ferry::cli {

// {"steps": [...], "totals": [{"primitive", "steps", "predicted_us", "measured_us", "share"}]}
Json ExplainJson(std::span<const engine::StepReport> reports);
// Two tables: a row a step (with the candidates that were not taken), then a row a primitive.
std::string ExplainText(std::span<const engine::StepReport> reports);

}  // namespace ferry::cli
