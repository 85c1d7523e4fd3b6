// ferry new: folders to begin with.
#include "tools/ferry/local/project/project.h"

namespace ferry::cli {
namespace {

struct NewOptions {
  std::string folder, language;
};

CLI::App* AddKind(Commands& commands, CLI::App* group, const char* kind, const char* what,
                  const char* example, const std::shared_ptr<NewOptions>& options) {
  CLI::App* command =
      commands.Add(group, kind, what, example, [options, kind](const GlobalOptions&) {
        return MakeProject(kind, options->language, options->folder);
      });
  command->add_option("folder", options->folder, "where it goes; its last part is the name")
      ->required();
  return command;
}

}  // namespace

void AddNewCommand(Commands& commands) {
  CLI::App* group = commands.Group("new", "folders to begin with, that build and pass their test");
  const auto task = std::make_shared<NewOptions>();
  AddKind(commands, group, "task", "a task: script, cases, tests",
          "ferry new task steps --lang python", task)
      ->add_option("--lang", task->language, "its language; python unless told")
      ->check(CLI::IsMember({"python"}));
  AddKind(commands, group, "model", "a model with its test, to be replaced by yours",
          "ferry new model flowers", std::make_shared<NewOptions>());
}

}  // namespace ferry::cli
