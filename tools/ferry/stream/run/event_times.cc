#include "tools/ferry/stream/run/event_times.h"

#include <algorithm>

#include "tools/ferry/stream/run/event_line.h"

namespace ferry::cli {
namespace {

// Of the events in the next lines, those that have one.
Result<std::vector<int64_t>> TimesAhead(LineReader* reader) {
  FERRY_ASSIGN_OR_RETURN(const std::vector<std::string> lines, reader->Peek(kLinesAhead));
  std::vector<int64_t> times;
  for (const std::string& line : lines) {
    event::Event event;
    bool timed = false;
    if (ParseEventLine(line, &event, &timed).ok() && timed) times.push_back(event.time_ms);
  }
  std::sort(times.begin(), times.end());
  return times;
}

}  // namespace

Result<bool> DateEvent(bool timed, int64_t latest_ms, int64_t max_ahead_ms, LineReader* reader,
                       event::Event* event) {
  if (!timed) {
    event->time_ms = latest_ms == kNoTimeYet ? 0 : latest_ms;
    return false;
  }
  if (max_ahead_ms <= 0) return false;
  if (latest_ms != kNoTimeYet && event->time_ms <= latest_ms + max_ahead_ms) return false;
  FERRY_ASSIGN_OR_RETURN(const std::vector<int64_t> times, TimesAhead(reader));
  if (times.empty()) return false;
  // Before the first event has been, those behind it say what time it is.
  const int64_t base_ms = latest_ms == kNoTimeYet ? times[times.size() / 2] : latest_ms;
  const int64_t limit_ms = base_ms + max_ahead_ms;
  if (event->time_ms <= limit_ms) return false;
  const auto ahead = std::count_if(times.begin(), times.end(),
                                   [limit_ms](int64_t time_ms) { return time_ms > limit_ms; });
  if (2 * static_cast<size_t>(ahead) >= times.size()) return false;
  event->time_ms = base_ms;
  return true;
}

}  // namespace ferry::cli
