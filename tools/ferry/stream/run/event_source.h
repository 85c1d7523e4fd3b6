// Events for commands that read all of them: of a file of lines, or of the log of a state
// directory.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "common/base/status.h"
#include "pipeline/event/event.h"
#include "tools/ferry/command.h"

namespace ferry::cli {

using TakeEvent = std::function<bool(std::shared_ptr<const event::Event>)>;

// Where events are; one of `file` and `directory` is not empty.
struct EventPlace {
  std::string file;       // of lines
  std::string directory;  // a state directory
  std::string key_file;   // of the key that seals its log; empty: none
};
// --events, --state and --key-file.
void AddEventPlace(CLI::App* command, EventPlace* place);

// Gives each event with its line (from 0) as its number, until `take` returns false. Lines that are
// no events are passed over. Of a directory that `ferry stream run` made, and of a ferry-device's,
// whose log is the file of lines that it reads, numbers are lines too; of an app's they are those
// of its log.
Status ForEachEvent(const EventPlace& place, const TakeEvent& take);

}  // namespace ferry::cli
