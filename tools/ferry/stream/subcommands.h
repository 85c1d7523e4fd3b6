// The commands below `ferry stream`, one file each.
#pragma once

#include "tools/ferry/command.h"

namespace ferry::cli {

void AddStreamCheck(Commands& commands, CLI::App* stream);
void AddStreamExplain(Commands& commands, CLI::App* stream);
void AddStreamOutbox(Commands& commands, CLI::App* stream);
void AddStreamRecord(Commands& commands, CLI::App* stream);
void AddStreamReplay(Commands& commands, CLI::App* stream);
void AddStreamRun(Commands& commands, CLI::App* stream);
void AddStreamTop(Commands& commands, CLI::App* stream);

}  // namespace ferry::cli
