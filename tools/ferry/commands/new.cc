// ferry new: folders to begin with.
#include "tools/ferry/local/project/project.h"

namespace ferry::cli {
namespace {

struct NewOptions {
  std::string folder, language;
};

void AddKind(Commands& commands, CLI::App* group, const std::string& kind, const char* what,
             const char* example) {
  const auto options = std::make_shared<NewOptions>();
  CLI::App* command =
      commands.Add(group, kind, what, example, [options, kind](const GlobalOptions&) {
        return MakeProject(kind, options->language, options->folder);
      });
  AddProjectFolder(command, kind, options->folder);
  AddProjectLanguage(command, kind, options->language);
}

}  // namespace

void AddNewCommand(Commands& commands) {
  CLI::App* group = commands.Group("new", "folders to begin with, that build and pass their test");
  AddKind(commands, group, "app", "an app with Ferry inside: a model, a stream of events, a test",
          "ferry new app shop --lang cpp");
  AddKind(commands, group, "model", "a model with its test, to be replaced by yours",
          "ferry new model flowers --lang python");
  AddKind(commands, group, "task", "a task: script, cases, tests",
          "ferry new task steps --lang python");
}

}  // namespace ferry::cli
