// Which time an event of a file has. A file says nothing of when its events came: what is dated far
// ahead of all others is told by the events behind it.
#pragma once

#include <cstdint>
#include <limits>

#include "pipeline/event/event.h"
#include "tools/ferry/stream/run/line_reader.h"

namespace ferry::cli {

inline constexpr int64_t kNoTimeYet = std::numeric_limits<int64_t>::min();
inline constexpr int64_t kDefaultRunAheadMs = int64_t{24} * 3600 * 1000;
inline constexpr size_t kLinesAhead = 8;  // that are looked at

// Gives an event without a time of its own the largest time so far, `latest_ms`. One that is dated
// more than `max_ahead_ms` (0: no limit) later than that, where most of the next kLinesAhead events
// are not, gets it too: true is answered. At the end of the events nothing contradicts it.
Result<bool> DateEvent(bool timed, int64_t latest_ms, int64_t max_ahead_ms, LineReader* reader,
                       event::Event* event);

}  // namespace ferry::cli
