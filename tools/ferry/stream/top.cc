// ferry stream top: the rules and streams that cost most over recorded events.
#include <algorithm>
#include <ctime>

#include "common/base/json.h"
#include "common/sys/random.h"
#include "pipeline/flow/flow.h"
#include "pipeline/store/outbox.h"
#include "tools/ferry/stream/definition_file.h"
#include "tools/ferry/stream/run/event_source.h"
#include "tools/ferry/stream/subcommands.h"

namespace ferry::cli {
namespace {

constexpr size_t kMaxTopEvents = 1'000'000;

struct TopRequest {
  std::string file;
  EventPlace place;
  size_t count = 20;
};

struct Cost {
  std::string name;
  bool is_rule = false;
  rule::RuleStats rule;
  graph::StreamStats stream;
  double seconds = 0;  // alone, of processor time

  // What the order is by before anything is timed.
  uint64_t Weight() const {
    return is_rule ? rule.runs + rule.matches + rule.dropped_runs
                   : static_cast<uint64_t>(stream.rows_in + stream.rows_out);
  }
};

double ThreadSeconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

using TopEvents = std::vector<std::shared_ptr<const event::Event>>;

struct MeasuredFlow {
  flow::OwnerStats stats;
  double seconds = 0;
};

Result<MeasuredFlow> MeasureFlow(const flow::Definition& definition, const TopEvents& events) {
  FERRY_ASSIGN_OR_RETURN(const auto outbox, store::OpenOutbox(":memory:", sys::SystemRandom()));
  flow::FlowOptions options;
  options.tables = &outbox->tables();
  flow::Flow flow(options);
  FERRY_TRY(flow.Use("", std::make_shared<const flow::Definition>(definition)));
  flow::Effects effects;
  int64_t latest_ms = INT64_MIN;
  const double began_s = ThreadSeconds();
  for (const auto& event : events) {
    latest_ms = std::max(latest_ms, event->time_ms);
    effects.Clear();
    if (flow.next_tick_ms() <= latest_ms) flow.Advance(latest_ms, 0, &effects);
    flow.OnEvent(event, latest_ms, 0, &effects);
  }
  return MeasuredFlow{flow.stats(""), ThreadSeconds() - began_s};
}

// The rule alone. One that reads rows of streams has them beside it, and pays for them too.
flow::Definition Alone(const flow::Definition& whole, const std::string& rule) {
  flow::Definition out;
  for (const flow::RuleUse& use : whole.rules)
    if (use.rule.name == rule) out.rules.push_back(use);
  const auto is_stream = [&whole](const std::string& event) {
    return std::any_of(whole.streams->begin(), whole.streams->end(), [&event](const Json& stream) {
      return GetStringOr(stream, "name", "").value_or("") == event;
    });
  };
  for (const rule::Step& step : out.rules.at(0).rule.steps)
    if (is_stream(step.fits.event) && out.streams == nullptr) {
      out.streams = whole.streams;
      out.tables = whole.tables;
    }
  if (out.streams == nullptr) out.streams = std::make_shared<const Json>(Json::array());
  return out;
}

Json CostToJson(const Cost& cost, size_t events) {
  Json out = {{"name", cost.name}, {"kind", cost.is_rule ? "rule" : "stream"}};
  if (cost.is_rule) {
    out["matches"] = cost.rule.matches;
    out["runs"] = cost.rule.runs;
    out["keys"] = cost.rule.keys;
    out["dropped_runs"] = cost.rule.dropped_runs;
    out["bytes"] = cost.rule.bytes;
    out["ns_per_event"] = events == 0 ? 0 : cost.seconds * 1e9 / static_cast<double>(events);
  } else {
    out["rows_in"] = cost.stream.rows_in;
    out["rows_out"] = cost.stream.rows_out;
    out["late"] = cost.stream.late;
    out["errors"] = cost.stream.errors;
  }
  return out;
}

Result<Output> ShowTop(const TopRequest& request) {
  FERRY_ASSIGN_OR_RETURN(const flow::Definition definition, ReadAnyDefinition(request.file));
  TopEvents events;
  FERRY_TRY(ForEachEvent(request.place, [&events](auto event) {
    events.push_back(std::move(event));
    return events.size() < kMaxTopEvents;
  }));
  FERRY_ASSIGN_OR_RETURN(const MeasuredFlow whole, MeasureFlow(definition, events));
  FERRY_ASSIGN_OR_RETURN(const MeasuredFlow nothing, MeasureFlow(flow::Definition(), events));
  std::vector<Cost> costs;
  for (const flow::RuleCounts& rule : whole.stats.rules)
    costs.push_back({rule.rule, true, rule.stats, {}, 0});
  for (const graph::StreamStats& stream : whole.stats.streams)
    costs.push_back({stream.stream, false, {}, stream, 0});
  std::stable_sort(costs.begin(), costs.end(),
                   [](const Cost& a, const Cost& b) { return a.Weight() > b.Weight(); });
  costs.resize(std::min(costs.size(), request.count));
  for (Cost& cost : costs) {
    if (!cost.is_rule) continue;
    FERRY_ASSIGN_OR_RETURN(const MeasuredFlow alone,
                           MeasureFlow(Alone(definition, cost.name), events));
    cost.seconds = std::max(alone.seconds - nothing.seconds, 0.0);
  }
  Output out;
  Json list = Json::array();
  for (const Cost& cost : costs) {
    list.push_back(CostToJson(cost, events.size()));
    out.text +=
        cost.is_rule
            ? fmt::format("rule {}: {:.0f} ns an event, {} matches, {} runs, {} keys, {} bytes\n",
                          cost.name, list.back()["ns_per_event"].get<double>(), cost.rule.matches,
                          cost.rule.runs, cost.rule.keys, cost.rule.bytes)
            : fmt::format("stream {}: {} rows in, {} out, {} late, {} errors\n", cost.name,
                          cost.stream.rows_in, cost.stream.rows_out, cost.stream.late,
                          cost.stream.errors);
  }
  out.json() = {{"events", events.size()}, {"seconds", whole.seconds}, {"top", std::move(list)}};
  return out;
}

}  // namespace

void AddStreamTop(Commands& commands, CLI::App* stream) {
  const auto request = std::make_shared<TopRequest>();
  CLI::App* command = commands.Add(
      stream, "top",
      "show the rules and streams that cost most over recorded events\n\nSorted by begun and "
      "complete matches, or rows. A rule's time is that of the processor when it alone\nwatches "
      "the same events. At most a million events are taken.",
      "ferry stream top rules.txt --events day.jsonl",
      [request](const GlobalOptions&) { return ShowTop(*request); });
  command->add_option("file", request->file, "task.json, a folder with one, rules, or streams")
      ->required();
  AddEventPlace(command, &request->place);
  command->add_option("--count", request->count, "how many to show (20)");
}

}  // namespace ferry::cli
