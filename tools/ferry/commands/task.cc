// ferry task: what authors of tasks do on their own machine, and what a server has of them.
#include "tools/ferry/task/subcommands.h"

namespace ferry::cli {

void AddTaskCommand(Commands& commands) {
  CLI::App* task =
      commands.Group("task", "write, check, run and test tasks; what is published of them");
  AddTaskNew(commands, task);
  AddTaskCheck(commands, task);
  AddTaskRun(commands, task);
  AddTaskTest(commands, task);
  AddTaskExec(commands, task);
  AddTaskBackend(commands, task);
  AddTaskList(commands, task);
  AddTaskLog(commands, task);
}

}  // namespace ferry::cli
