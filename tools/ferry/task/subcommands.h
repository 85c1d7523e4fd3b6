// The commands below `ferry task`, one file each.
#pragma once

#include "tools/ferry/command.h"

namespace ferry::cli {

void AddTaskBackend(Commands& commands, CLI::App* task);
void AddTaskCheck(Commands& commands, CLI::App* task);
void AddTaskExec(Commands& commands, CLI::App* task);
void AddTaskList(Commands& commands, CLI::App* task);
void AddTaskLog(Commands& commands, CLI::App* task);
void AddTaskNew(Commands& commands, CLI::App* task);
void AddTaskRun(Commands& commands, CLI::App* task);
void AddTaskTest(Commands& commands, CLI::App* task);

}  // namespace ferry::cli
