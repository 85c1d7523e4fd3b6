// ferry llm split: draft and target in one process, over a simulated link.
#pragma once

#include "tools/ferry/command.h"

namespace ferry::cli {

void AddLlmSplit(Commands& commands, CLI::App* group);

}  // namespace ferry::cli
