#include "pipeline/flow/definition.h"

#include <algorithm>
#include <set>

#include "common/base/json.h"
#include "pipeline/graph/graph.h"
#include "pipeline/rule/text.h"

namespace ferry::flow {
namespace {

Status CheckFunction(std::string_view function) {
  const auto fits = [](char c) { return c == '_' || std::isalnum(static_cast<unsigned char>(c)); };
  if (function.size() <= kMaxFunctionBytes && std::all_of(function.begin(), function.end(), fits))
    return OkStatus();
  return Status::Of(Code::kMalformed, "to: \"{}\" is no name of a function",
                    function.substr(0, kMaxFunctionBytes));
}

Result<RuleUse> ReadRule(const Json& json) {
  if (!json.is_object()) return Status(Code::kMalformed, "a rule is an object");
  RuleUse use;
  FERRY_ASSIGN_OR_RETURN(use.to, GetStringOr(json, "to", ""));
  FERRY_ASSIGN_OR_RETURN(use.app, GetBoolOr(json, "app", false));
  FERRY_TRY(CheckFunction(use.to));
  Json plain = json;
  plain.erase("to");
  plain.erase("app");
  FERRY_ASSIGN_OR_RETURN(use.rule, rule::RuleFromJson(plain));
  return use;
}

Status ReadRules(const Json& task, std::vector<RuleUse>* out) {
  const auto rules = task.find("rules");
  if (rules == task.end() || rules->is_null()) return OkStatus();
  if (rules->is_string()) {
    FERRY_ASSIGN_OR_RETURN(auto read, rule::RulesFromText(rules->get_ref<const std::string&>()));
    for (rule::Rule& rule : read) out->push_back({std::move(rule), "", false});
  } else if (rules->is_array()) {
    for (size_t k = 0; k < rules->size(); ++k) {
      auto use = ReadRule((*rules)[k]).Context("rule {}", k);
      FERRY_ASSIGN_OR_RETURN(auto read, std::move(use));
      out->push_back(std::move(read));
    }
  } else {
    return Status(Code::kMalformed, "rules is a list of rules or their text");
  }
  if (out->size() > kMaxTaskRules)
    return Status::Of(Code::kLimitExceeded, "{} rules, the limit is {}", out->size(),
                      kMaxTaskRules);
  return OkStatus();
}

Status ReadTables(const Json& task, std::vector<table::Definition>* out) {
  FERRY_ASSIGN_OR_RETURN(const Json* tables, GetArrayOrNull(task, "tables"));
  if (tables == nullptr) return OkStatus();
  if (tables->size() > kMaxTaskTables)
    return Status::Of(Code::kLimitExceeded, "{} tables, the limit is {}", tables->size(),
                      kMaxTaskTables);
  std::set<std::string> names;
  for (size_t k = 0; k < tables->size(); ++k) {
    auto read = table::DefinitionFromJson((*tables)[k]).Context("table {}", k);
    FERRY_ASSIGN_OR_RETURN(auto table, std::move(read));
    if (!names.insert(table.name).second)
      return Status::Of(Code::kAlreadyExists, "two tables {}", table.name);
    out->push_back(std::move(table));
  }
  return OkStatus();
}

// Names of streams, with their sources and functions; the specs were built before.
struct StreamNames {
  std::set<std::string> streams, sources;
  std::vector<std::string> functions;
};

StreamNames NamesOf(const Definition& definition) {
  StreamNames out;
  if (definition.streams == nullptr || !definition.streams->is_array()) return out;
  for (const Json& stream : *definition.streams) {
    out.streams.insert(GetStringOr(stream, "name", "").value_or(""));
    const auto source = stream.find("source");
    if (source != stream.end() && source->is_string()) out.sources.insert(*source);
    if (source != stream.end() && source->is_array())
      for (const Json& one : *source)
        if (one.is_string()) out.sources.insert(one);
    if (std::string to = GetStringOr(stream, "to", "").value_or(""); !to.empty())
      out.functions.push_back(std::move(to));
  }
  return out;
}

Status CheckNames(const Definition& definition) {
  const StreamNames names = NamesOf(definition);
  std::set<std::string_view> rules;
  for (const RuleUse& use : definition.rules) {
    if (!rules.insert(use.rule.name).second)
      return Status::Of(Code::kAlreadyExists, "two rules {}", use.rule.name);
    if (names.streams.contains(use.rule.name))
      return Status::Of(Code::kAlreadyExists, "a rule and a stream {}", use.rule.name);
  }
  return OkStatus();
}

}  // namespace

bool Definition::HasSource(std::string_view source) const {
  return shape != nullptr && shape->HasSource(source);
}

std::vector<std::string> Definition::Functions() const {
  std::vector<std::string> out = NamesOf(*this).functions;
  for (const RuleUse& use : rules)
    if (!use.to.empty()) out.push_back(use.to);
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

Result<Definition> DefinitionFromJson(const Json& task) {
  if (!task.is_object()) return Status(Code::kMalformed, "a task is a JSON object");
  Definition out;
  FERRY_ASSIGN_OR_RETURN(const Json* trigger, GetObjectOrNull(task, "trigger"));
  if (trigger != nullptr) {
    auto read = trigger::TriggerFromJson(*trigger).Context("trigger");
    FERRY_ASSIGN_OR_RETURN(out.trigger, std::move(read));
  }
  FERRY_TRY(ReadRules(task, &out.rules).Context("rules"));
  FERRY_TRY(ReadTables(task, &out.tables).Context("tables"));
  FERRY_ASSIGN_OR_RETURN(const Json* streams, GetArrayOrNull(task, "streams"));
  out.streams = std::make_shared<const Json>(streams != nullptr ? *streams : Json::array());
  auto shape = graph::Graph::Build(*out.streams).Context("streams");
  FERRY_ASSIGN_OR_RETURN(out.shape, std::move(shape));
  for (const std::string& function : NamesOf(out).functions)
    FERRY_TRY(CheckFunction(function).Context("streams"));
  FERRY_TRY(CheckNames(out));
  return out;
}

std::vector<std::string> LeadsNowhere(const Definition& definition) {
  std::vector<std::string> read_by_rules;
  for (const RuleUse& use : definition.rules)
    for (const rule::Step& step : use.rule.steps) read_by_rules.push_back(step.fits.event);
  std::vector<std::string> out;
  if (definition.streams != nullptr)
    out = graph::Graph::Check(*definition.streams, read_by_rules).value_or({});
  const StreamNames names = NamesOf(definition);
  for (const RuleUse& use : definition.rules)
    if (use.to.empty() && !use.app && !names.sources.contains(use.rule.name))
      out.push_back(fmt::format(
          "rule {} leads nowhere: it has no to or app, and no stream has it as its source",
          use.rule.name));
  return out;
}

}  // namespace ferry::flow
