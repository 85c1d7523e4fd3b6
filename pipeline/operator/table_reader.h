// Tables as lookups see them; the host gives one that reads its store, tests a map.
#pragma once

#include <string_view>

#include "common/base/json_fwd.h"
#include "common/base/status.h"

namespace ferry::operators {

class TableReader {
 public:
  virtual ~TableReader() = default;
  // The row with this key, an object; null when there is none. `key` is a list with one value for
  // each key column, in their order. kNotFound: there is no such table.
  virtual Result<Json> Get(std::string_view table, const Json& key) const = 0;
};

// Takes the rows of streams with "into" as they leave, so that lookups behind see them.
class TableWriter {
 public:
  virtual ~TableWriter() = default;
  // An error is the writer's to tell: the row leaves its stream all the same.
  virtual void Put(std::string_view stream, std::string_view table, const Json& row) = 0;
};

}  // namespace ferry::operators
