// Events for commands that read all of them: of a file of lines, or of the log of a state
// directory.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "common/base/status.h"
#include "pipeline/event/event.h"

namespace ferry::cli {

using TakeEvent = std::function<bool(std::shared_ptr<const event::Event>)>;

// Gives each event with its line (from 0) as its number, until `take` returns false. One of `file`
// and `directory` is not empty. Lines that are no events are passed over. Of a directory that
// `ferry stream run` made numbers are lines too; of a device's they are those of its log.
Status ForEachEvent(const std::string& file, const std::string& directory, const TakeEvent& take);

}  // namespace ferry::cli
