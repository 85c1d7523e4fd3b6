// What each operator does with the marks of a row. Internal to the room.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "common/base/json.h"
#include "pipeline/privacy/privacy.h"
#include "pipeline/privacy/taint.h"

namespace ferry::privacy {

// What operators read beside their row.
struct Reach {
  std::span<const int64_t> least_rows;                      // of local fields, by number
  std::function<Taint(const std::string& source)> sources;  // of joins
  std::function<Taint(const std::string& table)> tables;    // of lookups
};

// The row that leaves an operator of this spec for a row with these marks.
Taint ThroughOperator(const Json& spec, const Taint& row, const Reach& reach);

}  // namespace ferry::privacy
