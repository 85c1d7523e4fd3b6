#include "tools/ferry/local/declared.h"

#include <algorithm>

#include "common/sys/filesystem.h"
#include "device-runtime/task/task_spec.h"
#include "device-runtime/vm/compile/imports.h"
#include "pipeline/flow/definition.h"
#include "pipeline/graph/graph.h"
#include "pipeline/operator/members.h"
#include "pipeline/rule/text.h"
#include "tools/ferry/local/declaring_host.h"

namespace ferry::cli {
namespace {

using bindings::Declaration;
using bindings::DeclarationKind;

constexpr char kStreamModule[] = "ferry.stream";

bool ImportsStream(const vm::ImportStatement& one) {
  if (one.level != 0) return false;
  if (one.module == kStreamModule) return true;
  return one.module == "ferry" &&
         std::any_of(one.names.begin(), one.names.end(),
                     [](const auto& n) { return n == "stream" || n == "*"; });
}

// What task.json calls the list, and messages its items.
struct Part {
  const char* list;
  const char* item;
};
Part PartOf(DeclarationKind kind) {
  switch (kind) {
    case DeclarationKind::kRule:
      return {"rules", "rule"};
    case DeclarationKind::kStream:
      return {"streams", "stream"};
    case DeclarationKind::kTable:
      return {"tables", "table"};
    case DeclarationKind::kField:
      return {"fields", "field"};
  }
  return {"", ""};
}

// "rules" of task.json as a list, also when it is a text.
Status MakeList(Json* task, const char* member) {
  Json& list = (*task)[member];
  if (list.is_null()) list = Json::array();
  if (list.is_array()) return OkStatus();
  if (!list.is_string() || std::string_view(member) != "rules")
    return Status::Of(Code::kMalformed, "field \"{}\" is not a list", member);
  FERRY_ASSIGN_OR_RETURN(const auto rules, rule::RulesFromText(list.get_ref<const std::string&>()));
  list = Json::array();
  for (const rule::Rule& one : rules) list.push_back(rule::RuleToJson(one));
  return OkStatus();
}

// A rule in its JSON form, with "to" and "app" beside it; checked.
Result<Json> RuleSpec(const Declaration& declaration) {
  Json plain = declaration.spec;
  const Json beside = {{"app", plain.value("app", Json())}, {"to", plain.value("to", Json())}};
  plain.erase("app");
  plain.erase("to");
  rule::Rule rule;
  if (plain.contains("text")) {
    for (const auto& [member, value] : plain.items())
      if (member != "text")
        return Status::Of(Code::kMalformed, "\"{}\" stands in the rule's text, not beside it",
                          member);
    FERRY_ASSIGN_OR_RETURN(const std::string text, GetString(plain, "text"));
    FERRY_ASSIGN_OR_RETURN(rule, rule::RuleFromText(text));
  } else {
    FERRY_ASSIGN_OR_RETURN(rule, rule::RuleFromJson(plain));
  }
  Json out = rule::RuleToJson(rule);
  for (const auto& [member, value] : beside.items())
    if (!value.is_null()) out[member] = value;
  return out;
}

Status CheckAlone(DeclarationKind kind, const Json& spec) {
  if (kind == DeclarationKind::kTable) return AsStatus(table::DefinitionFromJson(spec));
  if (kind == DeclarationKind::kStream) return AsStatus(graph::Graph::Build(Json::array({spec})));
  return OkStatus();
}

// Declarations into the task, one after the other.
class Merge {
 public:
  Merge(const ScriptGround& ground, DeclaringHost& host, Json* task)
      : ground_(ground), host_(host), task_(task) {}

  Status Run() {
    FERRY_TRY(MakeList(task_, "rules").Context("rules"));
    for (const char* list : {"streams", "tables"}) FERRY_TRY(MakeList(task_, list));
    if (!task_->contains("fields")) (*task_)["fields"] = Json::object();
    if (!(*task_)["fields"].is_object())
      return Status(Code::kMalformed, "field \"fields\" is not an object");
    NoteTask();
    for (const Declaration& one : host_.declared())
      FERRY_TRY(Add(one).Context("{}:{}", one.file, one.line));
    for (const char* member : {"rules", "streams", "tables", "fields"})
      if ((*task_)[member].empty()) task_->erase(member);
    return OkStatus();
  }
  const DeclaredPlaces& places() const { return places_; }

 private:
  void NoteTask() {
    const std::string place = sys::JoinPath(ground_.folder, "task.json");
    for (const char* list : {"rules", "streams", "tables"})
      for (const Json& one : (*task_)[list])
        places_.Add(std::string(list).substr(0, std::string_view(list).size() - 1),
                    GetStringOr(one, "name", "").value_or(""), place);
    for (const auto& [name, value] : (*task_)["fields"].items()) places_.Add("field", name, place);
  }

  Status Add(const Declaration& one) {
    const Part part = PartOf(one.kind);
    Json spec = one.spec;
    if (one.kind == DeclarationKind::kRule) {
      FERRY_ASSIGN_OR_RETURN(spec, RuleSpec(one));
    }
    FERRY_ASSIGN_OR_RETURN(const std::string name, GetString(spec, "name"));
    FERRY_TRY(CheckFree(part.item, name));
    if (one.kind == DeclarationKind::kRule || one.kind == DeclarationKind::kStream)
      FERRY_TRY(SetFunction(one, &spec).Context("{} {}", part.item, name));
    FERRY_TRY(CheckAlone(one.kind, spec));
    places_.Add(part.item, name, fmt::format("{}:{}", one.file, one.line));
    Json& list = (*task_)[part.list];
    if (one.kind != DeclarationKind::kField) {
      list.push_back(std::move(spec));
      return OkStatus();
    }
    spec.erase("name");
    list[name] = spec.size() == 1 && spec.contains("class") ? spec["class"] : spec;
    return OkStatus();
  }

  // Rules and streams share their names.
  Status CheckFree(const std::string& item, const std::string& name) const {
    const bool shared = item == "rule" || item == "stream";
    for (const std::string& other : {std::string("rule"), std::string("stream"), item}) {
      if (other != item && !shared) continue;
      const std::string place = places_.Find(other, name);
      if (!place.empty())
        return Status::Of(Code::kAlreadyExists, "{} {}: {} has a {} of this name", item, name,
                          place, other);
    }
    return OkStatus();
  }

  // The decorated function is the one that the script has under its name.
  Status SetFunction(const Declaration& one, Json* spec) {
    if (one.function.empty()) return OkStatus();
    if (spec->contains("to"))
      return Status::Of(Code::kMalformed, "\"to\" is the function below: leave it out");
    (*spec)["to"] = one.function;
    const auto global = host_.Global(one.function);
    if (!global.ok())
      return Status::Of(Code::kNotFound,
                        "{} has no function {} at its top: define it there or import it",
                        ground_.script, one.function);
    if (*global != one.value)
      return Status::Of(Code::kAlreadyExists, "{} has another {} under this name", ground_.script,
                        one.function);
    return OkStatus();
  }

  const ScriptGround& ground_;
  DeclaringHost& host_;
  Json* task_;
  DeclaredPlaces places_;
};

// Names of functions that a source defines at its top.
std::vector<std::string_view> DefinedNames(std::string_view source) {
  std::vector<std::string_view> out;
  while (!source.empty()) {
    const size_t end = std::min(source.find('\n'), source.size());
    std::string_view line = source.substr(0, end);
    source.remove_prefix(std::min(end + 1, source.size()));
    if (line.starts_with("async ")) line.remove_prefix(6);
    if (!line.starts_with("def ")) continue;
    line.remove_prefix(4);
    out.push_back(line.substr(0, line.find_first_of("( \t")));
  }
  return out;
}

Status CheckFunctions(const ScriptGround& ground, DeclaringHost& host, const Json& task) {
  FERRY_ASSIGN_OR_RETURN(const flow::Definition definition, flow::DefinitionFromJson(task));
  for (const std::string& function : definition.Functions()) {
    if (host.Global(function).ok()) continue;
    const auto source = ground.sources->find(ground.script);
    const auto known = DefinedNames(source == ground.sources->end() ? "" : source->second);
    const std::string_view near = operators::NearestName(function, known);
    return Status::Of(Code::kNotFound,
                      "{} has no function \"{}\", which a rule or stream leads to{}", ground.script,
                      function, near.empty() ? "" : fmt::format("; \"{}\" is near", near));
  }
  return OkStatus();
}

// Of a task that is wrong ParseTask tells.
bool LeadsToFunctions(const Json& task) {
  const auto definition = flow::DefinitionFromJson(task);
  return definition.ok() && !definition->Functions().empty();
}

}  // namespace

void DeclaredPlaces::Add(const std::string& what, const std::string& name, std::string place) {
  places_.emplace(what + " " + name, std::move(place));
}

std::string DeclaredPlaces::Find(const std::string& what, const std::string& name) const {
  const auto found = places_.find(what + " " + name);
  return found == places_.end() ? "" : found->second;
}

Status DeclaredPlaces::Locate(const Status& status) const {
  const std::string& message = status.message();
  size_t first = message.npos;
  const std::string* place = nullptr;
  for (const auto& [what, where] : places_) {
    const size_t at = message.find(what);
    const size_t end = at + what.size();
    if (at == message.npos || at >= first) continue;
    if (end < message.size() && (std::isalnum(static_cast<unsigned char>(message[end])) != 0 ||
                                 message[end] == '_' || message[end] == '.'))
      continue;
    first = at;
    place = &where;
  }
  return place == nullptr ? status : status.Context("{}", *place);
}

Result<bool> UsesStreamModule(const ScriptGround& ground) {
  for (const auto& [path, source] : *ground.sources) {
    FERRY_ASSIGN_OR_RETURN(const auto imports,
                           vm::Imports(source, sys::JoinPath(ground.folder, path)));
    if (std::any_of(imports.begin(), imports.end(), ImportsStream)) return true;
  }
  return false;
}

Status AddDeclared(const ScriptGround& ground, Json* task) {
  FERRY_ASSIGN_OR_RETURN(const bool declares, UsesStreamModule(ground));
  if (!declares && !LeadsToFunctions(*task)) return OkStatus();
  DeclaringHost host(ground, *task);
  FERRY_TRY(host.Run().Context("the script's top level"));
  if (host.declared().empty()) return CheckFunctions(ground, host, *task);
  Merge merge(ground, host, task);
  FERRY_TRY(merge.Run());
  const Status parsed = CheckFunctions(ground, host, *task);
  if (!parsed.ok()) return merge.places().Locate(parsed);
  return merge.places().Locate(AsStatus(task::ParseTask(*task)));
}

}  // namespace ferry::cli
