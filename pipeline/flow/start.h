// Why a function of a task runs: events that completed its trigger, a rule's match, or a row.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "common/base/json.h"
#include "pipeline/event/event.h"
#include "pipeline/rule/rule.h"

namespace ferry::flow {

using EventPtr = std::shared_ptr<const event::Event>;

struct TriggerStart {
  std::vector<EventPtr> events;  // one a step
};

struct RuleStart {
  std::shared_ptr<const rule::Rule> rule;
  rule::Match match;  // its `rule` means nothing here
};

struct RowStart {
  std::string stream;
  event::Row row;
};

// What an app's call or a kept start gives as it is.
struct ValueStart {
  Json value;
  int64_t time_ms = 0;
};

struct Start {
  std::string owner;     // the task
  std::string function;  // empty: the task's entry
  std::variant<TriggerStart, RuleStart, RowStart, ValueStart> why;
  uint64_t number = 0;  // of the event of the log that led to it; 0: none did
  uint64_t call = 0;    // of an app's call, by the app's number; 0: it is none
};

// The one argument of the function: for a trigger the list of its events, each {"id","page",
// "time_ms","data"}; for a rule {"rule","key":[..],"time_ms","steps":{name:[events]}}, optional
// steps without events being empty lists; for a row {"stream","time_ms","row":{..}}.
Json ArgumentOf(const Start& start);
// Event time of the start: of the last event, the match or the row.
int64_t TimeOf(const Start& start);
// A match as {"rule",..} above.
Json MatchToJson(const rule::Rule& rule, const rule::Match& match);
// A match as a row: the fields of `per` by their last name, and under each step's name the data of
// its last event.
event::Row MatchToRow(const rule::Rule& rule, const rule::Match& match);

}  // namespace ferry::flow
