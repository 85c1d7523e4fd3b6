// Which fields of class `local` can leave the device, found without running anything. Such a field
// may leave only as count, distinct, mean or sum of at least k rows (a window with "emit": "final"
// and "min_rows"), through bucket(x, size), or through keyed_hash(x). README.md has the definition.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "common/base/json_fwd.h"
#include "common/base/status.h"
#include "pipeline/flow/definition.h"

namespace ferry::privacy {

inline constexpr int64_t kDefaultLeastRows = 10;
inline constexpr size_t kMaxFields = 256;  // with a class, of one task

// A field of class `local`: a path in the data of every event and of every row that a script
// emits, or _page or _event.
struct LocalField {
  std::string name;  // "user.name"
  int64_t least_rows = kDefaultLeastRows;
};

// "fields" of task.json: {"user.name": "local", "age": {"class": "local", "k": 20}, "item":
// "public"}; public is what all others are. kMalformed, kLimitExceeded name the field.
Result<std::vector<LocalField>> FieldsFromJson(const Json& task);

// A stream with "upload" whose rows carry a local field.
struct Finding {
  std::string stream;
  std::string field;  // of its rows: "name", or "*" for all of them
  std::string local;  // the local field
  int64_t least_rows = 0;
  std::string ToString() const;
};

struct Report {
  std::vector<Finding> findings;  // by stream, field and local field
  // What a function that gets local fields (`scripts_see` says whether any does) may not emit
  // under, and which tables it may not write: rows there reach a stream with "upload" as they are.
  bool scripts_see = false;
  std::set<std::string> closed_sources, closed_tables;
};

// `definition` is one that DefinitionFromJson gave.
Report Follow(const flow::Definition& definition, std::span<const LocalField> fields);

// kPermissionDenied with the first finding.
Status Check(const Report& report);

}  // namespace ferry::privacy
