#include "device-runtime/task/durable/kept_run.h"

#include <charconv>

#include "device-runtime/task/durable/kept_outcome.h"
#include "device-runtime/task/outcome.h"

namespace ferry::task {
namespace {

constexpr size_t kDigits = 16;
constexpr int kBase = 16;

Result<uint64_t> GetNumber(const Json& json, std::string_view key) {
  FERRY_ASSIGN_OR_RETURN(const int64_t number, GetInt(json, key));
  return static_cast<uint64_t>(number);
}

}  // namespace

std::string RunKey(std::string_view part, uint64_t run) {
  return fmt::format("{}{:016x}", part, run);
}

std::optional<uint64_t> RunOfKey(std::string_view part, std::string_view key) {
  if (!key.starts_with(part) || key.size() != part.size() + kDigits) return std::nullopt;
  key.remove_prefix(part.size());
  uint64_t run = 0;
  const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), run, kBase);
  if (error != std::errc() || end != key.data() + key.size()) return std::nullopt;
  return run;
}

std::string TextOfStart(const flow::Start& start) {
  return WriteJson({{"owner", start.owner},
                    {"function", start.function},
                    {"number", start.number},
                    {"time_ms", flow::TimeOf(start)},
                    {"argument", flow::ArgumentOf(start)}});
}

Result<flow::Start> StartFromText(std::string_view text) {
  FERRY_ASSIGN_OR_RETURN(Json json, ParseJson(text));
  flow::Start start;
  flow::ValueStart why;
  FERRY_ASSIGN_OR_RETURN(start.owner, GetString(json, "owner"));
  FERRY_ASSIGN_OR_RETURN(start.function, GetString(json, "function"));
  FERRY_ASSIGN_OR_RETURN(start.number, GetNumber(json, "number"));
  FERRY_ASSIGN_OR_RETURN(why.time_ms, GetInt(json, "time_ms"));
  if (const auto argument = json.find("argument"); argument != json.end())
    why.value = std::move(*argument);
  start.why = std::move(why);
  return start;
}

std::string TextOfOutcome(const TaskOutcome& outcome) {
  const std::string text = TextOf(outcome.outcome);
  if (text.empty()) return text;
  return WriteJson({{"package", outcome.package},
                    {"version", outcome.version},
                    {"release", outcome.release},
                    {"event", outcome.event},
                    {"outcome", text}});
}

Result<std::unique_ptr<TaskOutcome>> OutcomeFromKeptText(std::string_view text) {
  FERRY_ASSIGN_OR_RETURN(const Json json, ParseJson(text));
  auto out = std::make_unique<TaskOutcome>();
  FERRY_ASSIGN_OR_RETURN(out->package, GetString(json, "package"));
  FERRY_ASSIGN_OR_RETURN(out->version, GetString(json, "version"));
  FERRY_ASSIGN_OR_RETURN(out->release, GetString(json, "release"));
  FERRY_ASSIGN_OR_RETURN(out->event, GetNumber(json, "event"));
  FERRY_ASSIGN_OR_RETURN(const std::string outcome, GetString(json, "outcome"));
  out->outcome = OutcomeFromText(outcome);
  return out;
}

}  // namespace ferry::task
