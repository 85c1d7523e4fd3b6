#include "tools/ferry/local/run_flow.h"

#include "common/package/manifest.h"
#include "common/sys/clock.h"
#include "device-runtime/task/rehearse/rehearsal.h"

namespace ferry::cli {
namespace {

// What one event led to, into the answer.
void Show(task::Rehearsal::Happened happened, size_t event, Output* out) {
  for (const task::Rehearsal::FunctionRun& ran : happened.runs) {
    Json json = {{"event", event}, {"function", ran.function}, {"fired", true}};
    if (ran.outcome.error.ok()) {
      json["result"] = ran.outcome.result;
      json["latency_ns"] = ran.outcome.latency_ns;
      out->text += fmt::format("event {}: {}: {} ({:.3f} ms)\n", event, ran.function,
                               WriteJson(ran.outcome.result),
                               static_cast<double>(ran.outcome.latency_ns) / 1e6);
    } else {
      const Status& error = ran.outcome.error;
      json["error"] = {{"name", InfoOf(error.code()).name}, {"text", error.message()}};
      out->text += fmt::format("event {}: {}: {}\n", event, ran.function, error.ToString());
      if (out->failed.ok()) out->failed = error.Context("event {}: {}", event, ran.function);
    }
    out->json()["outcomes"].push_back(std::move(json));
  }
  for (const flow::LeavingRow& row : happened.rows) {
    if (!row.output.upload && !row.output.app) continue;
    const event::Row& one = row.output.row;
    out->json()["rows"].push_back({{"event", event},
                                   {"stream", row.output.stream},
                                   {"row", one.fields},
                                   {"time_ms", one.time_ms}});
    out->text +=
        fmt::format("event {}: stream {}: {}\n", event, row.output.stream, WriteJson(one.fields));
  }
  for (const flow::LeavingMatch& match : happened.matches) {
    Json json = flow::MatchToJson(*match.rule, match.match);
    out->text += fmt::format("event {}: rule {}\n", event, match.rule->name);
    json["event"] = event;
    out->json()["matches"].push_back(std::move(json));
  }
  if (!happened.error.ok())
    out->text += fmt::format("event {}: {}\n", event, happened.error.ToString());
}

}  // namespace

bool HasFlow(const task::Program& program) {
  const flow::Definition& definition = *program.spec.flow;
  return !definition.rules.empty() || !definition.tables.empty() ||
         !definition.Functions().empty() || !definition.trigger;
}

Result<Output> RunFlowEvents(std::shared_ptr<const task::Program> program,
                             const std::vector<Json>& events) {
  FERRY_ASSIGN_OR_RETURN(
      const auto instance,
      task::Instance::Create(program, {&sys::SystemClock(), nullptr, nullptr, ""}));
  FERRY_ASSIGN_OR_RETURN(const auto rehearsal, task::Rehearsal::Create(program, instance.get()));
  Output out;
  out.json() = {{"package", program->package->manifest().name},
                {"version", program->package->manifest().version},
                {"events", events.size()},
                {"outcomes", Json::array()},
                {"rows", Json::array()},
                {"matches", Json::array()}};
  for (size_t k = 0; k < events.size(); ++k) {
    FERRY_ASSIGN_OR_RETURN(event::Event event,
                           event::EventFromJson(events[k]).Context("event {}", k));
    if (event.time_ms == 0) event.time_ms = sys::SystemClock().NowUnixMs();
    Show(rehearsal->OnEvent(std::make_shared<const event::Event>(std::move(event))), k, &out);
  }
  Show(rehearsal->End(), events.size(), &out);
  out.json()["stats"] = {{"metrics", instance->metrics()}, {"inferences", instance->inferences()}};
  return out;
}

}  // namespace ferry::cli
