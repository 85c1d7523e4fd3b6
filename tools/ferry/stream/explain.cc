// ferry stream explain: why a rule fired, or how far it came.
#include "pipeline/rule/explain.h"

#include <algorithm>

#include "common/base/json.h"
#include "pipeline/event/event.h"
#include "tools/ferry/stream/definition_file.h"
#include "tools/ferry/stream/run/event_source.h"
#include "tools/ferry/stream/run/row_events.h"
#include "tools/ferry/stream/subcommands.h"

namespace ferry::cli {
namespace {

struct ExplainRequest {
  std::string rules, rule, key;
  std::vector<std::string> tasks;  // beside
  EventPlace place;
};

Result<rule::Rule> FindExplained(const flow::Definition& definition,
                                 const ExplainRequest& request) {
  if (request.rule.empty() && definition.rules.size() == 1) return definition.rules[0].rule;
  for (const flow::RuleUse& use : definition.rules)
    if (use.rule.name == request.rule) return use.rule;
  return Status::Of(Code::kNotFound, "{} has no rule \"{}\"", request.rules, request.rule);
}

// "[\"ann\",1]" as it is; ann for the key ["ann"].
std::string KeyTextFrom(const std::string& given) {
  if (given.empty()) return "";
  const auto json = ParseJson(given);
  if (json.ok() && json->is_array()) return WriteJson(*json);
  return WriteJson(Json::array({json.ok() ? *json : Json(given)}));
}

std::string TextOfWhy(const Json& why) {
  std::string text = why["fired"] == true ? "fired\n" : "did not fire\n";
  for (const auto& [step, lines] : why["steps"].items())
    text += fmt::format("  {}: events {}\n", step, WriteJson(lines));
  if (!why["waiting_for"].is_null())
    text += fmt::format("  then waited for {}\n", why["waiting_for"].get<std::string>());
  if (!why["ended_by"].is_null())
    text += fmt::format("  ended: {}\n", why["ended_by"].get<std::string>());
  return text;
}

// What the rule sees: events, and rows of streams if it names some.
Result<std::vector<rule::EventPtr>> EventsFor(const rule::Rule& rule,
                                              const flow::Definition& definition,
                                              const ExplainRequest& request) {
  std::unique_ptr<RowEvents> rows;
  if (ReadsRows(rule, definition)) {
    std::vector<NamedTask> tasks;
    for (const std::string& path : request.tasks) {
      FERRY_ASSIGN_OR_RETURN(NamedTask task, ReadNamedTask(path));
      tasks.push_back(std::move(task));
    }
    FERRY_ASSIGN_OR_RETURN(
        rows, RowEvents::Make(std::make_shared<const flow::Definition>(definition), tasks));
  }
  std::vector<rule::EventPtr> events;
  FERRY_TRY(ForEachEvent(request.place, [&](rule::EventPtr event) {
    if (rows != nullptr)
      rows->Add(event, &events);
    else
      events.push_back(std::move(event));
    return true;
  }));
  return events;
}

Result<Output> ExplainRule(const ExplainRequest& request) {
  FERRY_ASSIGN_OR_RETURN(const flow::Definition definition, ReadAnyDefinition(request.rules));
  FERRY_ASSIGN_OR_RETURN(const rule::Rule rule, FindExplained(definition, request));
  FERRY_ASSIGN_OR_RETURN(const auto events, EventsFor(rule, definition, request));
  Output out;
  FERRY_ASSIGN_OR_RETURN(out.json(), rule::Explain(rule, events, KeyTextFrom(request.key)));
  out.text = TextOfWhy(out.json());
  return out;
}

}  // namespace

void AddStreamExplain(Commands& commands, CLI::App* stream) {
  const auto request = std::make_shared<ExplainRequest>();
  CLI::App* command = commands.Add(
      stream, "explain",
      "say which events made a rule fire, or what its furthest run waited for and what ended it\n\n"
      "Where a step takes rows of a stream, the row has the number of the event that led to it. "
      "Rows that\nscripts emit are not seen.",
      "ferry stream explain --rules rules.txt --rule cart --events day.jsonl --key ann",
      [request](const GlobalOptions&) { return ExplainRule(*request); });
  command->add_option("--rules", request->rules, "rules, or a task")->required();
  command->add_option("--rule", request->rule, "name of the rule; needless where there is one");
  command->add_option("--with", request->tasks,
                      "another task's folder or package, whose streams the rule names TASK/STREAM");
  AddEventPlace(command, &request->place);
  command->add_option("--key", request->key,
                      "only events of this key: a JSON array of the values of per, or one value");
}

}  // namespace ferry::cli
