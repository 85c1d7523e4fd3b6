// ferry verify: language models that the server verifies with, and the sessions that use them.
#include "tools/ferry/command.h"
#include "tools/ferry/remote/api.h"
#include "tools/ferry/remote/views.h"
#include "tools/ferry/text/table.h"

namespace ferry::cli {
namespace {

std::string Number(const Json& object, std::string_view key, const char* unit) {
  const Result<double> value = GetNumber(object, key);
  return value.ok() ? fmt::format("{:.4g} {}", *value, unit) : "-";
}

std::string SessionsText(const Json& sessions) {
  Table table({{"DEVICE", kIdColumns},
               {"MODE", 12},
               {"TARGET"},
               {"DRAFT"},
               {"TOKENS", 10, true},
               {"ACCEPTANCE", 10, true},
               {"SPEED", 18, true},
               {"ROUND TRIP", 12, true},
               {"UP", 14, true},
               {"DOWN", 14, true}});
  for (const Json& session : sessions)
    table.Add({Field(session, "device"), Field(session, "mode"), Field(session, "target"),
               Field(session, "draft"), Field(session, "emitted"), Field(session, "acceptance"),
               Number(session, "tokens_per_s", "tokens/s"), Number(session, "round_trip_ms", "ms"),
               Field(session, "bytes_up") + " B", Field(session, "bytes_down") + " B"});
  return table.Text();
}

std::string TargetLine(const Json& target) {
  return fmt::format(
      "{} {}: {} parameters, {}; {} sessions, {} passes over {} tokens, up to {} sessions in one; "
      "KV memory {} of {} bytes\n",
      Field(target, "name"), Field(target, "version"), Field(target, "parameters"),
      Field(target, "weights"), Field(target, "sessions"), Field(target, "passes"),
      Field(target, "tokens"), Field(target, "largest_batch"), Field(target, "kv_used_bytes"),
      Field(target, "kv_limit_bytes"));
}

std::string TargetsText(const Json& targets) {
  std::string text;
  for (const Json& target : targets) text += TargetLine(target);
  return text;
}

// One list of the server.
Result<Output> ShowList(const char* list, std::string (*shown)(const Json&),
                        const GlobalOptions& global) {
  FERRY_ASSIGN_OR_RETURN(const Api api, Api::Open(global));
  FERRY_ASSIGN_OR_RETURN(Json answer, api.Get(fmt::format("/verify/{}", list)));
  FERRY_ASSIGN_OR_RETURN(const bool enabled, GetBoolOr(answer, "enabled", false));
  FERRY_ASSIGN_OR_RETURN(const Json* items, GetArray(answer, list));
  std::string text = shown(*items);
  if (!enabled) {
    text = "the server verifies no language model: ferry-server run --verify PACKAGE\n";
  } else if (text.empty()) {
    text = fmt::format("no {}\n", list);
  }
  return Output{std::move(answer), std::move(text)};
}

}  // namespace

void AddVerifyCommand(Commands& commands) {
  CLI::App* group =
      commands.Group("verify", "language models that the server verifies split generation with");
  commands.AddOnline(
      group, "sessions", "sessions as they run, with acceptance and speed", "ferry verify sessions",
      [](const GlobalOptions& global) { return ShowList("sessions", SessionsText, global); });
  commands.AddOnline(
      group, "targets", "the models, their passes and memory", "ferry verify targets",
      [](const GlobalOptions& global) { return ShowList("targets", TargetsText, global); });
}

}  // namespace ferry::cli
