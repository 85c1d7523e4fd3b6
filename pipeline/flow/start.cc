#include "pipeline/flow/start.h"

namespace ferry::flow {
namespace {

Json EventsToJson(std::span<const EventPtr> events) {
  Json out = Json::array();
  for (const EventPtr& event : events) out.push_back(event::EventToJson(*event));
  return out;
}

struct ToArgument {
  Json operator()(const TriggerStart& start) const { return EventsToJson(start.events); }
  Json operator()(const RuleStart& start) const { return MatchToJson(*start.rule, start.match); }
  Json operator()(const RowStart& start) const {
    return {{"stream", start.stream}, {"time_ms", start.row.time_ms}, {"row", start.row.fields}};
  }
  Json operator()(const ValueStart& start) const { return start.value; }
};

struct ToTime {
  int64_t operator()(const TriggerStart& start) const { return start.events.back()->time_ms; }
  int64_t operator()(const RuleStart& start) const { return start.match.time_ms; }
  int64_t operator()(const RowStart& start) const { return start.row.time_ms; }
  int64_t operator()(const ValueStart& start) const { return start.time_ms; }
};

// "user.id" is the field id.
std::string_view LastName(std::string_view path) {
  const size_t dot = path.rfind('.');
  return dot == path.npos ? path : path.substr(dot + 1);
}

}  // namespace

Json ArgumentOf(const Start& start) {
  return std::visit(ToArgument(), start.why);
}

int64_t TimeOf(const Start& start) {
  return std::visit(ToTime(), start.why);
}

Json MatchToJson(const rule::Rule& rule, const rule::Match& match) {
  Json steps = Json::object();
  for (size_t k = 0; k < match.steps() && k < rule.steps.size(); ++k)
    if (!rule.steps[k].negated) steps[rule.steps[k].name] = EventsToJson(match.step(k));
  return {{"rule", rule.name},
          {"key", ParseJson(match.key).value_or(Json::array())},
          {"time_ms", match.time_ms},
          {"steps", std::move(steps)}};
}

event::Row MatchToRow(const rule::Rule& rule, const rule::Match& match) {
  event::Row row;
  row.time_ms = match.time_ms;
  for (size_t k = 0; k < match.steps() && k < rule.steps.size(); ++k)
    if (!rule.steps[k].negated && !match.step(k).empty())
      row.fields[rule.steps[k].name] = match.step(k).back()->data;
  const Json key = ParseJson(match.key).value_or(Json::array());
  for (size_t k = 0; k < rule.per.size() && k < key.size(); ++k)
    row.fields[std::string(LastName(rule.per[k]))] = key[k];
  return row;
}

}  // namespace ferry::flow
