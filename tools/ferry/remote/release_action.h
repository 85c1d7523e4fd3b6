// Orders on a release that runs: one call each.
#pragma once

#include "tools/ferry/command.h"

namespace ferry::cli {

// Adds the command `name` (to `group`, null: to ferry itself), which posts to /releases/<id>/<name>
// with an optional reason.
void AddReleaseAction(Commands& commands, CLI::App* group, const std::string& name,
                      const std::string& what, const std::string& example);

}  // namespace ferry::cli
