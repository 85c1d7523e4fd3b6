#include "tools/ferry/stream/run/event_source.h"

#include <algorithm>

#include "tools/ferry/stream/run/event_line.h"
#include "tools/ferry/stream/run/event_times.h"
#include "tools/ferry/stream/run/run_state.h"
#include "tools/ferry/stream/run/state_folder.h"

namespace ferry::cli {
namespace {

Status ForEachLine(const std::string& file, const TakeEvent& take) {
  FERRY_ASSIGN_OR_RETURN(LineReader reader, LineReader::Open(file));
  int64_t latest_ms = kNoTimeYet;
  Line line;
  for (uint64_t number = 0;; ++number) {
    FERRY_ASSIGN_OR_RETURN(const bool more, reader.Next(&line));
    if (!more) return OkStatus();
    auto event = std::make_shared<event::Event>();
    bool timed = false;
    if (!ParseEventLine(line.text, event.get(), &timed).ok()) continue;
    FERRY_TRY(DateEvent(timed, latest_ms, kDefaultRunAheadMs, &reader, event.get()));
    latest_ms = std::max(latest_ms, event->time_ms);
    event->number = number;
    if (!take(std::move(event))) return OkStatus();
  }
}

// nullopt: no `ferry stream run` made the directory.
Result<std::optional<RunState>> FindRunState(const std::string& directory) {
  if (!sys::Exists(sys::SystemFileSystem(), sys::JoinPath(directory, kOutboxFile)))
    return std::optional<RunState>();
  FERRY_ASSIGN_OR_RETURN(const auto outbox, OpenOutboxOf(directory));
  FERRY_ASSIGN_OR_RETURN(const auto pairs, outbox->LoadState(kRunStateKey));
  if (pairs.empty()) return std::optional<RunState>();
  FERRY_ASSIGN_OR_RETURN(RunState state, ReadRunState(pairs[0].second));
  return std::optional(std::move(state));
}

Status ForEachOfLog(const std::string& directory, const TakeEvent& take) {
  FERRY_ASSIGN_OR_RETURN(const FolderLock lock, FolderLock::Take(directory));
  FERRY_ASSIGN_OR_RETURN(const std::optional<RunState> state, FindRunState(directory));
  FERRY_ASSIGN_OR_RETURN(const auto log, OpenLogOf(directory));
  return log->ForEach(1, UINT64_MAX, [&](const log::Entry& entry) {
    if (entry.event.id.empty()) return true;  // the place of a line that was no event
    auto event = std::make_shared<event::Event>(entry.event);
    if (state) {
      const std::optional<uint64_t> line = state->LineOf(entry.event.number);
      if (!line || *line >= state->lines) return true;  // will be taken again
      event->number = *line;
    }
    return take(std::move(event));
  });
}

}  // namespace

Status ForEachEvent(const std::string& file, const std::string& directory, const TakeEvent& take) {
  if (file.empty() == directory.empty())
    return Status(Code::kInvalidArgument, "give --events or --state");
  return file.empty() ? ForEachOfLog(directory, take) : ForEachLine(file, take).Context("{}", file);
}

}  // namespace ferry::cli
