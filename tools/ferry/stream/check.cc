// ferry stream check: what is wrong with rules and streams, what they may need, what leaves.
#include "common/base/json.h"
#include "tools/ferry/stream/bounds.h"
#include "tools/ferry/stream/definition_file.h"
#include "tools/ferry/stream/subcommands.h"

namespace ferry::cli {
namespace {

struct CheckRequest {
  std::string file, rules, streams;
};

Result<flow::Definition> ReadChecked(const CheckRequest& request) {
  if (request.file.empty()) return ReadDefinition(request.rules, request.streams);
  if (!request.rules.empty() || !request.streams.empty())
    return Status(Code::kInvalidArgument, "give a file, or --rules and --streams");
  return ReadAnyDefinition(request.file);
}

std::string BoundText(uint64_t bytes) {
  if (bytes < 1'000'000) return fmt::format("{} kB", (bytes + 999) / 1000);
  return fmt::format("{:.1f} MB", static_cast<double>(bytes) / 1e6);
}

void TellRules(const flow::Definition& definition, Output* out) {
  Json rules = Json::array();
  for (const flow::RuleUse& use : definition.rules) {
    const RuleBound bound = BoundOf(use.rule);
    rules.push_back({{"name", use.rule.name},
                     {"steps", use.rule.steps.size()},
                     {"states", bound.states},
                     {"max_keys", bound.keys},
                     {"max_runs", bound.runs},
                     {"max_events", bound.events},
                     {"memory_bytes", bound.bytes}});
    out->text += fmt::format("rule {}: {} states, {} runs of {} keys at most, {}\n", use.rule.name,
                             bound.states, bound.runs, bound.keys, BoundText(bound.bytes));
  }
  out->json()["rules"] = std::move(rules);
}

void TellStreams(const flow::Definition& definition, Output* out) {
  Json streams = Json::array(), leaving = Json::array();
  for (const Json& stream : *definition.streams) {
    const StreamBound bound = BoundOf(stream);
    const std::string name = GetStringOr(stream, "name", "").value_or("");
    streams.push_back({{"name", name}, {"states", bound.states}, {"memory_bytes", bound.bytes}});
    out->text += fmt::format("stream {}: {} panes, rows and keys at most, {}\n", name, bound.states,
                             BoundText(bound.bytes));
  }
  for (const LeavingFields& one : FieldsThatLeave(definition)) {
    leaving.push_back({{"stream", one.stream}, {"to", one.to}, {"fields", one.fields}});
    out->text += fmt::format("stream {} gives {} to {}\n", one.stream, fmt::join(one.fields, ", "),
                             fmt::join(one.to, ", "));
  }
  out->json()["streams"] = std::move(streams);
  out->json()["leaves"] = std::move(leaving);
}

Result<Output> CheckStream(const CheckRequest& request) {
  FERRY_ASSIGN_OR_RETURN(const flow::Definition definition, ReadChecked(request));
  Output out;
  TellRules(definition, &out);
  TellStreams(definition, &out);
  out.json()["tables"] = definition.tables.size();
  out.json()["warnings"] = flow::LeadsNowhere(definition);
  for (const Json& warning : out.json()["warnings"])
    out.text += fmt::format("warning: {}\n", warning.get<std::string>());
  return out;
}

}  // namespace

void AddStreamCheck(Commands& commands, CLI::App* stream) {
  const auto request = std::make_shared<CheckRequest>();
  CLI::App* command = commands.Add(
      stream, "check",
      "check rules and streams; print their states, how much memory they may need, and every "
      "field that leaves\n\nAn error names the line and column of the text form, or the rule, "
      "stream and member. \"*\" stands for all\nfields of the source's events; step.* for those "
      "of a rule's step.",
      "ferry stream check tasks/ipv",
      [request](const GlobalOptions&) { return CheckStream(*request); });
  command->add_option("file", request->file, "task.json, a folder with one, rules, or streams");
  command->add_option("--rules", request->rules, "rules in a file of their own");
  command->add_option("--streams", request->streams, "streams and tables in a file of their own");
}

}  // namespace ferry::cli
