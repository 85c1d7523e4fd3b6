#include "tools/ferry/local/run_local.h"

#include "common/package/reader.h"
#include "common/sys/clock.h"
#include "device-runtime/task/host.h"
#include "device-runtime/task/outcome.h"
#include "device-runtime/task/program.h"
#include "tools/ferry/local/given_file.h"
#include "tools/ferry/local/run_flow.h"
#include "tools/ferry/progress.h"

namespace ferry::cli {
namespace {

Result<std::vector<Json>> EventsOfLines(std::string_view text) {
  std::vector<Json> out;
  for (size_t line = 1; !text.empty(); ++line) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view piece = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (piece.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    FERRY_ASSIGN_OR_RETURN(Json event, ParseJson(piece).Context("line {}", line));
    out.push_back(std::move(event));
  }
  return out;
}

Json OutcomeJson(const task::EventOutcome& outcome) {
  Json out = {{"fired", outcome.fired}};
  if (!outcome.error.ok()) {
    out["error"] = {{"name", InfoOf(outcome.error.code()).name}, {"text", outcome.error.message()}};
  }
  if (!outcome.fired) return out;
  out["result"] = outcome.result;
  out["latency_ns"] = outcome.latency_ns;
  return out;
}

Result<Output> RunEvents(task::TaskHost& host, const std::vector<Json>& events) {
  Output out;
  Json outcomes = Json::array();
  Progress progress("running " + host.name());
  for (size_t i = 0; i < events.size(); ++i) {
    FERRY_ASSIGN_OR_RETURN(event::Event event,
                           event::EventFromJson(events[i]).Context("event {}", i));
    const task::EventOutcome outcome = host.OnEvent(std::move(event));
    if (!outcome.error.ok() && out.failed.ok()) out.failed = outcome.error.Context("event {}", i);
    if (outcome.fired || !outcome.error.ok()) {
      Json json = OutcomeJson(outcome);
      json["event"] = i;
      out.text += outcome.error.ok()
                      ? fmt::format("event {}: {} ({:.3f} ms)\n", i, WriteJson(outcome.result),
                                    static_cast<double>(outcome.latency_ns) / 1e6)
                      : fmt::format("event {}: {}\n", i, outcome.error.ToString());
      outcomes.push_back(std::move(json));
    }
    progress.Show(i + 1, events.size());
  }
  host.Close();
  out.json() = {{"package", host.name()},
                {"version", host.version()},
                {"events", events.size()},
                {"outcomes", std::move(outcomes)},
                {"stats", task::StatsToJson(host.stats())}};
  return out;
}

Result<Output> RunPackage(const RunRequest& request) {
  const std::string& file = request.model.file;
  FERRY_ASSIGN_OR_RETURN(package::Package opened,
                         package::Package::OpenFile(sys::SystemFileSystem(), file));
  const auto package = std::make_shared<const package::Package>(std::move(opened));
  if (!request.events.empty()) {
    FERRY_TRY(CheckGiven(request.events));
    FERRY_ASSIGN_OR_RETURN(const Bytes text,
                           sys::ReadFile(sys::SystemFileSystem(), request.events, kMaxEventsFile));
    FERRY_ASSIGN_OR_RETURN(const std::vector<Json> events,
                           EventsFrom(AsText(text)).Context("{}", request.events));
    FERRY_ASSIGN_OR_RETURN(const auto program,
                           task::LoadProgram(package, nullptr).Context("{}", file));
    if (HasFlow(*program)) return RunFlowEvents(program, events);
    FERRY_ASSIGN_OR_RETURN(const auto host, task::TaskHost::Load(package, {}).Context("{}", file));
    return RunEvents(*host, events);
  }
  FERRY_ASSIGN_OR_RETURN(const auto host, task::TaskHost::Load(package, {}).Context("{}", file));
  Output out;
  const Working working("running the cases of " + host->name());
  out.json() = host->Simulate();
  FERRY_ASSIGN_OR_RETURN(const bool passed, GetBool(out.json(), "passed"));
  out.text = WriteJsonPretty(out.json()) + "\n";
  out.exact = true;
  if (!passed) {
    out.failed = Status::Of(Code::kSimulationFailed, "{} {}: the package's own cases do not pass",
                            host->name(), host->version());
  }
  return out;
}

}  // namespace

Result<std::vector<Json>> EventsFrom(std::string_view text) {
  auto json = ParseJson(text);
  if (!json.ok()) return EventsOfLines(text);
  if (json->is_array()) return std::vector<Json>(json->begin(), json->end());
  FERRY_ASSIGN_OR_RETURN(const Json* cases, GetArrayOrNull(*json, "cases"));
  std::vector<Json> out;
  if (cases != nullptr) {
    for (const Json& item : *cases) {
      FERRY_ASSIGN_OR_RETURN(const Json* events, GetArray(item, "events"));
      out.insert(out.end(), events->begin(), events->end());
    }
    return out;
  }
  if (!json->contains("events")) return std::vector<Json>{std::move(*json)};
  FERRY_ASSIGN_OR_RETURN(const Json* events, GetArray(*json, "events"));
  return std::vector<Json>(events->begin(), events->end());
}

Result<Output> RunLocal(const RunRequest& request) {
  const std::string& file = request.model.file;
  FERRY_TRY(CheckGiven(file));
  if (file.ends_with(".onnx") || file.ends_with(".fm")) return RunModel(request.model);
  return RunPackage(request);
}

}  // namespace ferry::cli
