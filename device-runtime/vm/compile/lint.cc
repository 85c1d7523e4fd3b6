#include "device-runtime/vm/compile/lint.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "device-runtime/vm/compile/scope.h"
#include "device-runtime/vm/exec/state.h"

namespace ferry::vm {
namespace {

class Linter {
 public:
  Linter(const SourceText& source, Vm& vm) : source_(source), vm_(vm) {}

  Result<std::vector<Finding>> Run() {
    Arena arena;
    FERRY_ASSIGN_OR_RETURN(std::vector<Node*> body, Parse(source_, &arena));
    Scopes scopes;
    scopes.keep_places = true;
    FERRY_TRY(scopes.Build(source_, body));
    for (const ScopePlace& place : scopes.bindings) {
      if (place.name == "*") star_ = true;
      if (Resolve(place.scope, place.name) == nullptr) module_.insert(place.name);
    }
    for (const ScopePlace& place : scopes.reads) Read(place);
    for (const ScopePlace& place : scopes.bindings) Binding(place);
    const auto before = [](const Finding& a, const Finding& b) {
      return std::pair(a.line, a.column) < std::pair(b.line, b.column);
    };
    std::stable_sort(findings_.begin(), findings_.end(), before);
    return std::move(findings_);
  }

 private:
  void Add(Position at, std::string message) {
    findings_.push_back({at.line, at.column, std::move(message)});
  }

  void Read(const ScopePlace& place) {
    LocalVariable* variable = Resolve(place.scope, place.name);
    if (variable != nullptr) {
      used_.insert(variable);
      return;
    }
    used_names_.insert(place.name);
    static constexpr std::string_view kOfModule[] = {"__annotations__", "__doc__",     "__file__",
                                                     "__name__",        "__package__", "__spec__"};
    const bool known =
        star_ || module_.count(place.name) > 0 || IsBuiltin(place.name) ||
        std::find(std::begin(kOfModule), std::end(kOfModule), place.name) != std::end(kOfModule);
    if (!known) Add(place.at, fmt::format("undefined name '{}'", place.name));
  }

  void Binding(const ScopePlace& place) {
    if (place.name.starts_with("_") || place.name == "*") return;
    LocalVariable* variable = Resolve(place.scope, place.name);
    if (variable == nullptr) {
      if (place.import && place.scope->kind == Scope::kModule &&
          used_names_.count(place.name) == 0 && module_.count("__all__") == 0 &&
          reported_.insert(place.name).second)
        Add(place.at, fmt::format("'{}' is imported but not used", place.name));
      return;
    }
    const bool local = variable->owner->kind == Scope::kFunction && !variable->parameter &&
                       !variable->owner->comprehension;
    if (!local || used_.count(variable) > 0 || !place.plain) return;
    used_.insert(variable);  // once
    Add(place.at, place.import ? fmt::format("'{}' is imported but not used", place.name)
                               : fmt::format("variable '{}' is never used", place.name));
  }

  bool IsBuiltin(const std::string& name) {
    String* const text = vm_.Intern(name);
    return text != nullptr && vm_.DictFindString(vm_.builtins, text) != nullptr;
  }

  const SourceText& source_;
  Vm& vm_;
  std::vector<Finding> findings_;
  std::set<std::string> module_, used_names_, reported_;
  std::set<LocalVariable*> used_;
  bool star_ = false;
};

}  // namespace

Result<std::vector<Finding>> Lint(std::string_view source, std::string_view file) {
  FERRY_TRY(CheckSyntax(source, file));
  FERRY_ASSIGN_OR_RETURN(auto isolate, Isolate::Create({}));
  return Linter(SourceText{source, file}, isolate->vm()).Run();
}

}  // namespace ferry::vm
