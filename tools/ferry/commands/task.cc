// ferry task: what authors of tasks do on their own machine.
#include "tools/ferry/task/subcommands.h"

namespace ferry::cli {

void AddTaskCommand(Commands& commands) {
  CLI::App* task = commands.Group("task", "write, check, run and test tasks");
  AddTaskNew(commands, task);
  AddTaskCheck(commands, task);
  AddTaskRun(commands, task);
  AddTaskTest(commands, task);
  AddTaskExec(commands, task);
  AddTaskBackend(commands, task);
}

}  // namespace ferry::cli
