#include "tools/ferry/stream/run/event_source.h"

#include <algorithm>

#include "tools/ferry/stream/run/event_line.h"
#include "tools/ferry/stream/run/event_times.h"
#include "tools/ferry/stream/run/run_state.h"
#include "tools/ferry/stream/run/state_folder.h"

namespace ferry::cli {
namespace {

// Of the lines that end within the first `end` bytes.
Status ForEachLine(const std::string& file, uint64_t end, const TakeEvent& take) {
  FERRY_ASSIGN_OR_RETURN(LineReader reader, LineReader::Open(file));
  int64_t latest_ms = kNoTimeYet;
  Line line;
  uint64_t bytes = 0;
  for (uint64_t number = 0;; ++number) {
    FERRY_ASSIGN_OR_RETURN(const bool more, reader.Next(&line));
    if (!more || line.bytes >= end - bytes) return OkStatus();
    bytes += line.bytes + 1;
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
Result<std::optional<RunState>> FindRunState(const std::string& directory,
                                             const std::string& key_file) {
  if (!sys::Exists(sys::SystemFileSystem(), sys::JoinPath(directory, kOutboxFile)))
    return std::optional<RunState>();
  FERRY_ASSIGN_OR_RETURN(const auto outbox, OpenOutboxOf(directory, key_file));
  FERRY_ASSIGN_OR_RETURN(const auto pairs, outbox->LoadState(kRunStateKey));
  if (pairs.empty()) return std::optional<RunState>();
  FERRY_ASSIGN_OR_RETURN(RunState state, ReadRunState(pairs[0].second));
  return std::optional(std::move(state));
}

Status ForEachOfLog(const EventPlace& place, const TakeEvent& take) {
  const std::string& directory = place.directory;
  FERRY_ASSIGN_OR_RETURN(const FolderLock lock, FolderLock::Take(directory));
  if (FindLog(directory).code() == Code::kNotFound) {
    FERRY_ASSIGN_OR_RETURN(const auto file, FindEventsFile(directory, place.key_file));
    if (file) return ForEachLine(file->path, file->end, take).Context("{}", file->path);
  }
  FERRY_ASSIGN_OR_RETURN(const std::optional<RunState> state,
                         FindRunState(directory, place.key_file));
  FERRY_ASSIGN_OR_RETURN(const auto log, OpenLogOf(directory, place.key_file));
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

void AddEventPlace(CLI::App* command, EventPlace* place) {
  CLI::Option* events =
      command->add_option("--events", place->file, "an event a line; numbers are lines, from 0");
  CLI::Option* state =
      command->add_option("--state", place->directory, "instead: the log of a state directory")
          ->excludes(events);
  command
      ->add_option("--key-file", place->key_file, "with --state: file with the key that seals it")
      ->needs(state);
}

Status ForEachEvent(const EventPlace& place, const TakeEvent& take) {
  if (place.file.empty() == place.directory.empty())
    return Status(Code::kInvalidArgument, "give --events or --state");
  if (place.file.empty()) return ForEachOfLog(place, take);
  return ForEachLine(place.file, UINT64_MAX, take).Context("{}", place.file);
}

}  // namespace ferry::cli
