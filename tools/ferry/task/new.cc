// ferry task new: a folder with a task that runs.
#include "tools/ferry/local/project/project.h"
#include "tools/ferry/task/subcommands.h"

namespace ferry::cli {

void AddTaskNew(Commands& commands, CLI::App* task) {
  const auto folder = std::make_shared<std::string>();
  CLI::App* command = commands.Add(
      task, "new", "make a task that runs, to begin with", "ferry task new steps",
      [folder](const GlobalOptions&) { return MakeProject("task", kUsualLanguage, *folder); });
  AddProjectFolder(command, "task", *folder);
}

}  // namespace ferry::cli
