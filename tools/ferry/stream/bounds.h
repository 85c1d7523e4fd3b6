// What rules and streams may need at most, and which fields leave: for `ferry stream check`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/json.h"
#include "pipeline/flow/definition.h"

namespace ferry::cli {

struct RuleBound {
  uint64_t states = 0;          // places that a match can be at: a step's times, or its `not`
  uint64_t keys = 0, runs = 0;  // at most; runs of all keys
  uint64_t events = 0;          // that runs may refer to; they lie in the log
  uint64_t bytes = 0;           // of runs, without their events
};
RuleBound BoundOf(const rule::Rule& rule);

struct StreamBound {
  uint64_t states = 0;  // panes, rows and keys that operators may hold
  uint64_t bytes = 0;
};
// Of the operators of one stream's JSON, which a Graph was built of.
StreamBound BoundOf(const Json& stream);

// A field that leaves; "*": all fields of the events that the stream has as its source.
struct LeavingFields {
  std::string stream;
  std::vector<std::string> to;  // "upload", "app", "into TABLE", "to FUNCTION"
  std::vector<std::string> fields;
};
// Of all streams that leave anywhere, in the order of the definition.
std::vector<LeavingFields> FieldsThatLeave(const flow::Definition& definition);

}  // namespace ferry::cli
