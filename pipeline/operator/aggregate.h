// Aggregates of windows: count, mean, sum, min, max. One file each under aggregates/, one row each
// in aggregates/list.inc.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "common/base/json_fwd.h"

namespace ferry::operators {

// The running value of one aggregate in one pane. One thread at a time.
class Aggregate {
 public:
  virtual ~Aggregate() = default;
  // `value` is the field of one row: a number, or null when it is missing (skipped by all but
  // count).
  virtual void Add(const Json& value) = 0;
  // Null when no value was added (count: 0). Sums of integers stay integers up to 2^63.
  virtual Json Value() const = 0;
};

// nullptr when there is none of that name.
std::unique_ptr<Aggregate> MakeAggregate(std::string_view name);
// Whether it reads a field; count does not.
bool AggregateNeedsField(std::string_view name);
std::vector<std::string_view> AggregateNames();

}  // namespace ferry::operators
