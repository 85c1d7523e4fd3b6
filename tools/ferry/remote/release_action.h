// pause, resume and rollback: one call each on a release.
#pragma once

#include "tools/ferry/command.h"

namespace ferry::cli {

// Adds the command `name`, which posts to /releases/<id>/<name> with an optional reason.
void AddReleaseAction(Commands& commands, const std::string& name, const std::string& what,
                      const std::string& example);

}  // namespace ferry::cli
