// The commands below `ferry llm`, one file each; split.h has one more.
#pragma once

#include "tools/ferry/command.h"

namespace ferry::cli {

void AddLlmBench(Commands& commands, CLI::App* group);
void AddLlmDescribe(Commands& commands, CLI::App* group);
void AddLlmGenerate(Commands& commands, CLI::App* group);
void AddLlmImport(Commands& commands, CLI::App* group);
void AddLlmLogits(Commands& commands, CLI::App* group);
void AddLlmPpl(Commands& commands, CLI::App* group);

}  // namespace ferry::cli
