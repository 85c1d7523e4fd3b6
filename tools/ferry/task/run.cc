// ferry task run: recorded events through a task, as a device would run it.
#include "tools/ferry/local/run_local.h"
#include "tools/ferry/task/packed.h"
#include "tools/ferry/task/subcommands.h"

namespace ferry::cli {
namespace {

struct Request {
  std::string path, events;
};

Result<Output> Run(const Request& request) {
  FERRY_ASSIGN_OR_RETURN(const PackedTask packed, PackedTask::Make(request.path));
  RunRequest run;
  run.model.file = packed.file();
  run.events = request.events;
  return RunLocal(run);
}

}  // namespace

void AddTaskRun(Commands& commands, CLI::App* task) {
  const auto request = std::make_shared<Request>();
  CLI::App* command = commands.Add(task, "run", "feed recorded events to a task",
                                   "ferry task run tasks/digits --events tasks/digits/cases.json",
                                   [request](const GlobalOptions&) { return Run(*request); });
  command->add_option("path", request->path, "a task's folder or package")->required();
  command->add_option("--events", request->events,
                      "events (JSON); the task's simulation cases when left out");
}

}  // namespace ferry::cli
