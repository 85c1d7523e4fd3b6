// ferry verify: language models that the server verifies with, and the sessions that use them.
#include "tools/ferry/command.h"
#include "tools/ferry/remote/api.h"
#include "tools/ferry/remote/views.h"

namespace ferry::cli {
namespace {

std::string Number(const Json& object, std::string_view key, const char* unit) {
  const Result<double> value = GetNumber(object, key);
  return value.ok() ? fmt::format("{:.4g} {}", *value, unit) : "-";
}

std::string SessionLine(const Json& session) {
  return fmt::format(
      "{:<12.12} {:<11} {:<20} draft {:<20} {:>6} tokens  acceptance {:<6} {:>12}  round trip "
      "{:<10} up {} B, down {} B\n",
      Field(session, "device"), Field(session, "mode"), Field(session, "target"),
      Field(session, "draft"), Field(session, "emitted"), Field(session, "acceptance"),
      Number(session, "tokens_per_s", "tokens/s"), Number(session, "round_trip_ms", "ms"),
      Field(session, "bytes_up"), Field(session, "bytes_down"));
}

std::string TargetLine(const Json& target) {
  return fmt::format(
      "{} {}: {} parameters, {}; {} sessions, {} passes over {} tokens, up to {} sessions in one; "
      "KV "
      "memory {} of {} bytes\n",
      Field(target, "name"), Field(target, "version"), Field(target, "parameters"),
      Field(target, "weights"), Field(target, "sessions"), Field(target, "passes"),
      Field(target, "tokens"), Field(target, "largest_batch"), Field(target, "kv_used_bytes"),
      Field(target, "kv_limit_bytes"));
}

// One list of the server, a line an item.
Result<Output> ShowList(const char* list, std::string (*line)(const Json&),
                        const GlobalOptions& global) {
  FERRY_ASSIGN_OR_RETURN(const Api api, Api::Open(global));
  FERRY_ASSIGN_OR_RETURN(Json answer, api.Get(fmt::format("/verify/{}", list)));
  FERRY_ASSIGN_OR_RETURN(const bool enabled, GetBoolOr(answer, "enabled", false));
  FERRY_ASSIGN_OR_RETURN(const Json* items, GetArray(answer, list));
  std::string text;
  for (const Json& item : *items) text += line(item);
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
      [](const GlobalOptions& global) { return ShowList("sessions", SessionLine, global); });
  commands.AddOnline(
      group, "targets", "the models, their passes and memory", "ferry verify targets",
      [](const GlobalOptions& global) { return ShowList("targets", TargetLine, global); });
}

}  // namespace ferry::cli
