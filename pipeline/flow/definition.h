// What one task brings to the pipeline of a device: rules, streams, tables and its old-form
// trigger. Pure data.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/base/json_fwd.h"
#include "common/base/status.h"
#include "pipeline/rule/rule.h"
#include "pipeline/table/definition.h"
#include "pipeline/trigger/trigger.h"

namespace ferry::graph {
class Graph;
}

namespace ferry::flow {

inline constexpr size_t kMaxTaskRules = 20'000;  // of one task
inline constexpr size_t kMaxTaskTables = 32;
inline constexpr size_t kMaxFunctionBytes = 128;  // of a function's name
// An event of this name and a number of milliseconds ("every:60000") comes from the clock, at
// multiples of the number, for as long as something waits for it.
inline constexpr char kEveryPrefix[] = "every:";
inline constexpr int64_t kMinEveryMs = 1'000;

// A rule and where its matches go. A match is also a row for the streams that have the rule's name
// as a source.
struct RuleUse {
  rule::Rule rule;
  std::string to;    // a function of the task, which gets the match; empty: none
  bool app = false;  // the app gets it
};

struct Definition {
  std::optional<trigger::Trigger> trigger;  // starts the task's entry
  std::vector<RuleUse> rules;
  std::shared_ptr<const Json> streams;  // as graph::Graph::Build takes it; null: none
  std::vector<table::Definition> tables;
  std::shared_ptr<const graph::Graph> shape;  // of the streams, for questions alone; null: none

  // Whether some stream takes rows under this name.
  bool HasSource(std::string_view source) const;
  // All functions of the task that rules and streams name, each once.
  std::vector<std::string> Functions() const;
};

// Reads "trigger", "rules", "streams" and "tables" of task.json, all of which may be missing; other
// members are not looked at. "rules" is a list of rules in their JSON form, each with "to" (text)
// and "app" (boolean) beside it, or a text in the rules' text form, whose rules lead to streams
// only. Names of rules and streams of one task are all different. kMalformed, kLimitExceeded or
// kAlreadyExists name the part and the rule, stream or table.
Result<Definition> DefinitionFromJson(const Json& task);

// A line for each rule and stream that leads nowhere: no function, app, table, tunnel, stream or
// rule takes what it gives. Not an error: it costs and does nothing.
std::vector<std::string> LeadsNowhere(const Definition& definition);

}  // namespace ferry::flow
