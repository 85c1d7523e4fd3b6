// ferry release watch: what happens to a release, as it happens.
#pragma once

#include "tools/ferry/command.h"

namespace ferry::cli {

void AddReleaseWatch(Commands& commands, CLI::App* group);

}  // namespace ferry::cli
