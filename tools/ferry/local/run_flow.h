// Recorded events through a task whose rules and streams lead to functions.
#pragma once

#include <memory>
#include <vector>

#include "common/base/json.h"
#include "device-runtime/task/program.h"
#include "tools/ferry/command.h"

namespace ferry::cli {

// Whether more than its trigger starts something in the task.
bool HasFlow(const task::Program& program);

// {"package","version","events","outcomes":[{"event","function","fired","result","latency_ns"} or
// with "error"],"rows":[{"event","stream","row","time_ms"}] of streams that lead up or to the app,
// "matches" of rules for the app, "stats":{"metrics","inferences"}}. What comes when the recording
// ends has the number of events as its event.
Result<Output> RunFlowEvents(std::shared_ptr<const task::Program> program,
                             const std::vector<Json>& events);

}  // namespace ferry::cli
