// Running a package or a model on this machine, without server or device.
#pragma once

#include <string>
#include <vector>

#include "tools/ferry/command.h"
#include "tools/ferry/engine/commands.h"

namespace ferry::cli {

struct RunRequest {
  std::string events;     // of a package; its simulation cases when empty
  RunModelRequest model;  // the file, also of a package; the rest of a model
};

inline constexpr uint64_t kMaxEventsFile = 256 << 20;

// A package: every event's outcome and every row; Output::failed is the first error of a script. A
// model: its outputs.
Result<Output> RunLocal(const RunRequest& request);

// Events of a file: a JSON array, {"events":[..]}, {"cases":[{"events":[..]}]}, or one a line.
Result<std::vector<Json>> EventsFrom(std::string_view text);

}  // namespace ferry::cli
