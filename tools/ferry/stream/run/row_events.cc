#include "tools/ferry/stream/run/row_events.h"

#include <algorithm>

#include "common/base/json.h"
#include "pipeline/event/event.h"

namespace ferry::cli {
namespace {

std::vector<std::string> EventsOf(const rule::Rule& rule) {
  std::vector<std::string> out;
  for (const rule::Step& step : rule.steps) {
    out.push_back(step.fits.event);
    if (step.until) out.push_back(step.until->event);
  }
  return out;
}

bool IsOwnStream(const std::string& name, const flow::Definition& own) {
  return std::any_of(own.streams->begin(), own.streams->end(), [&name](const Json& stream) {
    return GetStringOr(stream, "name", "").value_or("") == name;
  });
}

std::string PublicName(const std::string& task, const std::string& stream) {
  return task.empty() ? stream : task + "/" + stream;
}

void AddWanted(const std::string& task, const flow::Definition& definition,
               std::vector<std::string>* out) {
  for (const flow::RuleUse& use : definition.rules)
    for (const std::string& event : EventsOf(use.rule))
      out->push_back(IsOwnStream(event, definition) ? PublicName(task, event) : event);
}

}  // namespace

bool ReadsRows(const rule::Rule& rule, const flow::Definition& own) {
  const std::vector<std::string> events = EventsOf(rule);
  return std::any_of(events.begin(), events.end(), [&own](const std::string& event) {
    return event.find('/') != event.npos || IsOwnStream(event, own);
  });
}

Result<std::unique_ptr<RowEvents>> RowEvents::Make(std::shared_ptr<const flow::Definition> own,
                                                   const std::vector<NamedTask>& others) {
  auto out = std::make_unique<RowEvents>();
  AddWanted("", *own, &out->wanted_);
  FERRY_ASSIGN_OR_RETURN(out->tasks_,
                         task::Alone::Create({.definition = std::move(own), .all = true}));
  for (const NamedTask& task : others) {
    AddWanted(task.name, *task.definition, &out->wanted_);
    FERRY_TRY(out->tasks_->Add(task.name, task.definition).Context("task {}", task.name));
  }
  std::sort(out->wanted_.begin(), out->wanted_.end());
  return out;
}

void RowEvents::Add(const flow::EventPtr& event, std::vector<flow::EventPtr>* out) {
  out->push_back(event);
  for (const flow::LeavingRow& row : tasks_->OnEvent(event).rows) {
    auto made = std::make_shared<event::Event>();
    made->id = PublicName(row.owner, row.output.stream);
    if (!std::binary_search(wanted_.begin(), wanted_.end(), made->id)) continue;
    if (row.output.row.origin != nullptr) made->page = row.output.row.origin->page;
    made->number = event->number;
    made->time_ms = row.output.row.time_ms;
    made->data = row.output.row.fields;
    out->push_back(std::move(made));
  }
}

}  // namespace ferry::cli
