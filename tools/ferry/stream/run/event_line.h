// An event from a line of text.
#pragma once

#include <string_view>

#include "pipeline/event/event.h"

namespace ferry::cli {

// What event::ParseEvent reads of the line, and its errors, but faster: most lines are plain ASCII
// without escapes and are read in one pass. `*timed` says whether the line has a time of its own.
Status ParseEventLine(std::string_view line, event::Event* out, bool* timed);

}  // namespace ferry::cli
