// ferry task list: the tasks that a server has from git repositories.
#include "tools/ferry/remote/api.h"
#include "tools/ferry/remote/views.h"
#include "tools/ferry/task/subcommands.h"

namespace ferry::cli {
namespace {

Result<std::string> TasksText(const Json& scenario) {
  FERRY_ASSIGN_OR_RETURN(const Json* tasks, GetArray(scenario, "tasks"));
  std::string text = Field(scenario, "scenario") + "\n";
  for (const Json& task : *tasks) {
    text += fmt::format("  {}\n", Field(task, "task"));
    FERRY_ASSIGN_OR_RETURN(const Json* versions, GetArray(task, "versions"));
    for (const Json& version : *versions) {
      text += fmt::format("    {:<14} commit {:.12}\n", Field(version, "version"),
                          Field(version, "commit"));
    }
  }
  return text;
}

Result<Output> ListTasks(const GlobalOptions& global) {
  FERRY_ASSIGN_OR_RETURN(const Api api, Api::Open(global));
  FERRY_ASSIGN_OR_RETURN(Json answer, api.Get("/tasks"));
  FERRY_ASSIGN_OR_RETURN(const Json* scenarios, GetArray(answer, "scenarios"));
  std::string text;
  for (const Json& scenario : *scenarios) {
    FERRY_ASSIGN_OR_RETURN(const std::string one, TasksText(scenario));
    text += one;
  }
  if (text.empty()) text = "nothing was published from git yet\n";
  return Output{std::move(answer), std::move(text)};
}

}  // namespace

void AddTaskList(Commands& commands, CLI::App* task) {
  commands.AddOnline(task, "list", "scenarios, tasks and versions that a server has from git",
                     "ferry task list",
                     [](const GlobalOptions& global) { return ListTasks(global); });
}

}  // namespace ferry::cli
