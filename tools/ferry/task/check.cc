// ferry task check: compiles a script, or all of a task, and says what is probably wrong in it.
#include <algorithm>

#include "common/base/json.h"
#include "common/sys/filesystem.h"
#include "device-runtime/vm/compile/lint.h"
#include "device-runtime/vm/isolate.h"
#include "tools/ferry/local/given_file.h"
#include "tools/ferry/local/pack.h"
#include "tools/ferry/task/desk_imports.h"
#include "tools/ferry/task/packed.h"
#include "tools/ferry/task/subcommands.h"

namespace ferry::cli {
namespace {

constexpr size_t kMaxScripts = 10'000;

// Every .py file below `folder`, by path.
Status FindScripts(const std::string& folder, std::vector<std::string>* out) {
  sys::FileSystem& fs = sys::SystemFileSystem();
  FERRY_ASSIGN_OR_RETURN(auto names, fs.List(folder));
  std::sort(names.begin(), names.end());
  for (const std::string& name : names) {
    const std::string path = sys::JoinPath(folder, name);
    FERRY_ASSIGN_OR_RETURN(const sys::FileInfo info, fs.Stat(path));
    if (out->size() >= kMaxScripts)
      return Status::Of(Code::kLimitExceeded, "{}: more than {} scripts", folder, kMaxScripts);
    if (info.is_directory) {
      FERRY_TRY(FindScripts(path, out));
    } else if (name.ends_with(".py")) {
      out->push_back(path);
    }
  }
  return OkStatus();
}

struct Found {
  Json errors = Json::array();
  Json warnings = Json::array();
  std::string text;
};

void CheckScript(const std::string& path, Found* found) {
  const auto source = sys::ReadFile(sys::SystemFileSystem(), path, vm::kMaxSourceBytes);
  const auto findings = source.ok() ? vm::Lint(AsText(*source), path)
                                    : Result<std::vector<vm::Finding>>(source.status());
  if (!findings.ok()) {
    found->errors.push_back({{"file", path}, {"error", findings.status().message()}});
    found->text += findings.status().message() + "\n";
    return;
  }
  for (const vm::Finding& one : *findings) {
    found->warnings.push_back(
        {{"file", path}, {"line", one.line}, {"column", one.column}, {"warning", one.message}});
    found->text += fmt::format("{}:{}:{}: {}\n", path, one.line, one.column, one.message);
  }
}

// The desk modules that a task's script reaches; of a task.json that is wrong packing tells.
Result<std::vector<DeskImport>> DeskImportsOf(const std::string& folder) {
  const auto bytes =
      sys::ReadFile(sys::SystemFileSystem(), sys::JoinPath(folder, "task.json"), kMaxTaskJsonBytes);
  const Result<Json> task = bytes.ok() ? ParseJson(AsText(*bytes)) : Result<Json>(bytes.status());
  const auto script = task.ok() ? GetString(*task, "script") : Result<std::string>(task.status());
  if (!script.ok()) return std::vector<DeskImport>();
  return FindDeskImports(folder, *script, SourcesBelow(folder));
}

// Scripts that compile, but import what devices do not have.
Status CheckDeskImports(const std::string& path, bool is_task, Found* found) {
  FERRY_ASSIGN_OR_RETURN(const auto imports,
                         is_task ? DeskImportsOf(path) : FindDeskImportsOfFile(path));
  for (const DeskImport& one : imports) {
    found->errors.push_back(
        {{"file", is_task ? sys::JoinPath(path, one.path) : path}, {"error", one.message}});
    found->text += one.message + "\n";
  }
  return imports.empty() ? OkStatus() : Status(Code::kUnsupported, imports[0].message);
}

// Packs and loads the task as a device would; its streams and rules may lead nowhere.
Status CheckDefinition(const std::string& path, Found* found) {
  FERRY_ASSIGN_OR_RETURN(const PackedTask packed, PackedTask::Make(path, /*load=*/true));
  FERRY_ASSIGN_OR_RETURN(const auto program, packed.Load());
  const std::string file = sys::JoinPath(path, "task.json");
  for (const std::string& warning : flow::LeadsNowhere(*program->spec.flow)) {
    found->warnings.push_back({{"file", file}, {"warning", warning}});
    found->text += fmt::format("{}: {}\n", file, warning);
  }
  return OkStatus();
}

// All errors, not only the first: scripts do not need each other to compile.
Result<Output> Check(const std::string& path, bool strict) {
  sys::FileSystem& fs = sys::SystemFileSystem();
  FERRY_TRY(CheckGiven(path));
  FERRY_ASSIGN_OR_RETURN(const sys::FileInfo info, fs.Stat(path));
  std::vector<std::string> scripts = {path};
  if (info.is_directory) {
    scripts.clear();
    FERRY_TRY(FindScripts(path, &scripts));
  }
  Found found;
  for (const std::string& script : scripts) CheckScript(script, &found);
  Output out;
  if (!found.errors.empty()) {
    out.failed = Status::Of(Code::kScriptSyntax, "{} does not compile",
                            found.errors[0]["file"].get<std::string>());
  } else if (Status desk = CheckDeskImports(path, info.is_directory, &found); !desk.ok()) {
    out.failed = std::move(desk);
  } else if (info.is_directory) {
    FERRY_TRY(CheckDefinition(path, &found));
  }
  out.text = std::move(found.text);
  if (found.errors.empty())
    out.text += fmt::format("{}: {} scripts are good, {} warnings\n", path, scripts.size(),
                            found.warnings.size());
  if (strict && !found.warnings.empty()) out.exit = 1;
  out.json() = {{"scripts", scripts.size()},
                {"errors", std::move(found.errors)},
                {"warnings", std::move(found.warnings)}};
  return out;
}

}  // namespace

void AddTaskCheck(Commands& commands, CLI::App* task) {
  const auto path = std::make_shared<std::string>();
  const auto strict = std::make_shared<bool>(false);
  CLI::App* command = commands.Add(
      task, "check", "compile a script or all of a task and name what is probably wrong",
      "ferry task check tasks/digits",
      [path, strict](const GlobalOptions&) { return Check(*path, *strict); });
  command->add_option("path", *path, "a task's folder or a .py file")->required();
  command->add_flag("--strict", *strict, "exit with 1 when there are warnings");
}

}  // namespace ferry::cli
