// Recorded inputs with expected outputs: what probes and simulations run.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "common/package/reader.h"
#include "pipeline/event/event.h"

namespace ferry::task {

inline constexpr size_t kMaxCases = 10'000;
inline constexpr size_t kMaxEventsPerCase = 10'000;

struct Case {
  std::string name;
  std::vector<event::Event> events;
  bool expects = false;  // there is an `expect`
  Json expect;           // result of the last run of the script
  double tolerance = 0;  // of numbers, absolute
  std::string error;     // instead: a part of the message that the last run fails with
  // Or all results of functions that rules and streams lead to, in order; an empty list: it did not
  // run.
  std::map<std::string, std::vector<Json>> functions;
};

// {"cases":[{"name":..,"events":[..],"expect":..,"tolerance":0.0001}]}; "error" may stand instead
// of "expect", or "functions": {"on_cart": [its results]} instead or beside; "any": true takes any
// result. kMalformed names case,
// event and member.
Result<std::vector<Case>> CasesFromJson(const Json& json);

// What a manifest's probe or simulation names: {"cases": file, "count": n} (the first n) or one
// case in place ({"events":[..],"expect":..}). Empty when `spec` is.
Result<std::vector<Case>> ReadCases(const package::Package& package, const Json& spec);

}  // namespace ferry::task
