#include "tools/ferry/task/desk_imports.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <set>

#include "common/sys/filesystem.h"
#include "device-runtime/task/task_spec.h"
#include "device-runtime/vm/compile/imports.h"
#include "device-runtime/vm/isolate.h"
#include "device-runtime/vm/lib/desk_names.h"

namespace ferry::cli {
namespace {

// "lib.part" of "lib/part.py", from which relative imports count: "lib", and "" at the top.
std::string PackageOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  std::string package = slash == std::string::npos ? "" : path.substr(0, slash);
  std::ranges::replace(package, '/', '.');
  return package;
}

// The full name of the module that a statement in the script `path` names; empty: there is none.
std::string AbsoluteName(const std::string& path, const vm::ImportStatement& statement) {
  if (statement.level == 0) return statement.module;
  std::string name = PackageOf(path);
  for (int i = 1; i < statement.level && !name.empty(); ++i) {
    const size_t dot = name.rfind('.');
    name.resize(dot == std::string::npos ? 0 : dot);
  }
  if (name.empty() || statement.module.empty()) return name;
  return name + "." + statement.module;
}

class Walk {
 public:
  Walk(const std::string& folder, const TaskSource& source) : folder_(folder), source_(source) {}

  Result<std::vector<DeskImport>> Run(const std::string& script) {
    Reach(script);
    while (!waiting_.empty()) {
      const std::string path = std::move(waiting_.front());
      waiting_.pop_front();
      const std::optional<std::string> text = source_(path);
      if (!text) continue;
      FERRY_ASSIGN_OR_RETURN(const auto imports, vm::Imports(*text, sys::JoinPath(folder_, path)));
      for (const vm::ImportStatement& one : imports) Follow(path, one);
    }
    return std::move(found_);
  }

 private:
  void Reach(const std::string& path) {
    if (seen_.insert(path).second) waiting_.push_back(path);
  }

  // Whether the task has a module of this name, which it then reaches.
  bool ReachModule(const std::string& name) {
    for (const std::string& path :
         {task::FileOfModule(name), task::FileOfModule(name + ".__init__")}) {
      if (!seen_.contains(path) && !source_(path)) continue;
      Reach(path);
      return true;
    }
    return false;
  }

  void Follow(const std::string& path, const vm::ImportStatement& statement) {
    const std::string name = AbsoluteName(path, statement);
    if (name.empty()) return;
    const size_t first = name.find('.');
    const bool own = ReachModule(name.substr(0, first));
    if (!own && vm::IsDeskModule(name) && !statement.may_fail) Add(path, statement, name);
    if (!own) return;
    for (size_t end = first; end != std::string::npos;) {
      end = name.find('.', end + 1);
      ReachModule(name.substr(0, end));
    }
    for (const std::string& member : statement.names) ReachModule(name + "." + member);
  }

  void Add(const std::string& path, const vm::ImportStatement& statement,
           const std::string& module) {
    found_.push_back(
        {path, statement.line, statement.column,
         fmt::format("{}:{}:{}: module '{}' is only on the desk: `ferry task exec` and the files "
                     "test_*.py of a task may import it, devices do not have it",
                     sys::JoinPath(folder_, path), statement.line, statement.column, module)});
  }

  const std::string& folder_;
  const TaskSource& source_;
  std::deque<std::string> waiting_;
  std::set<std::string> seen_;
  std::vector<DeskImport> found_;
};

}  // namespace

Result<std::vector<DeskImport>> FindDeskImports(const std::string& folder,
                                                const std::string& script,
                                                const TaskSource& source) {
  return Walk(folder, source).Run(script);
}

Result<std::vector<DeskImport>> FindDeskImportsOfFile(const std::string& path) {
  size_t slash = path.rfind('/');
  std::string folder = slash == std::string::npos ? "" : path.substr(0, slash);
  std::string script = slash == std::string::npos ? path : path.substr(slash + 1);
  if (script.starts_with("test_")) return std::vector<DeskImport>();
  // Modules of a package name others from the folder that holds the package.
  while (sys::Exists(sys::SystemFileSystem(), sys::JoinPath(folder, "__init__.py"))) {
    slash = folder.rfind('/');
    if (slash == std::string::npos || slash == 0) break;
    script = folder.substr(slash + 1) + "/" + script;
    folder.resize(slash);
  }
  const TaskSource disk = SourcesBelow(folder);
  // What other files import is for their own check.
  const TaskSource source = [&](const std::string& other) -> std::optional<std::string> {
    if (other == script) return disk(other);
    if (!sys::Exists(sys::SystemFileSystem(), sys::JoinPath(folder, other))) return std::nullopt;
    return "";
  };
  return FindDeskImports(folder, script, source);
}

TaskSource SourcesBelow(std::string folder) {
  return [folder = std::move(folder)](const std::string& path) -> std::optional<std::string> {
    const auto bytes =
        sys::ReadFile(sys::SystemFileSystem(), sys::JoinPath(folder, path), vm::kMaxSourceBytes);
    if (!bytes.ok()) return std::nullopt;
    return std::string(AsText(*bytes));
  };
}

}  // namespace ferry::cli
