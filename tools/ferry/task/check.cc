// ferry task check: compiles a script, or all of a task.
#include "common/sys/filesystem.h"
#include "device-runtime/vm/isolate.h"
#include "tools/ferry/task/packed.h"
#include "tools/ferry/task/subcommands.h"

namespace ferry::cli {
namespace {

Status CheckFile(const std::string& path) {
  FERRY_ASSIGN_OR_RETURN(const Bytes source,
                         sys::ReadFile(sys::SystemFileSystem(), path, vm::kMaxSourceBytes));
  return vm::CheckSyntax(AsText(source), path);
}

// All errors, not only the first: scripts do not need each other to compile.
Result<Output> Check(const std::string& path) {
  sys::FileSystem& fs = sys::SystemFileSystem();
  FERRY_ASSIGN_OR_RETURN(const sys::FileInfo info, fs.Stat(path));
  std::vector<std::string> scripts;
  if (!info.is_directory) {
    scripts.push_back(path);
  } else {
    FERRY_ASSIGN_OR_RETURN(const auto names, fs.List(path));
    for (const std::string& name : names)
      if (name.ends_with(".py")) scripts.push_back(sys::JoinPath(path, name));
  }
  Output out;
  Json errors = Json::array();
  for (const std::string& script : scripts) {
    const Status status = CheckFile(script);
    if (status.ok()) continue;
    errors.push_back({{"file", script}, {"error", status.message()}});
    out.text += status.message() + "\n";
    if (out.failed.ok())
      out.failed = Status::Of(Code::kScriptSyntax, "{} does not compile", script);
  }
  if (errors.empty() && info.is_directory) {
    const auto packed = PackedTask::Make(path);
    if (!packed.ok()) return packed.status();
    FERRY_TRY(AsStatus(packed->Load()));
  }
  if (errors.empty()) out.text = fmt::format("{}: {} scripts are good\n", path, scripts.size());
  out.json = {{"scripts", scripts.size()}, {"errors", std::move(errors)}};
  return out;
}

}  // namespace

void AddTaskCheck(Commands& commands, CLI::App* task) {
  const auto path = std::make_shared<std::string>();
  CLI::App* command = commands.Add(task, "check", "compile a script or all of a task",
                                   "ferry task check tasks/digits",
                                   [path](const GlobalOptions&) { return Check(*path); });
  command->add_option("path", *path, "a task's folder or a .py file")->required();
}

}  // namespace ferry::cli
