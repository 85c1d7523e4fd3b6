// Rows turned into one list a column, as unnest() of PostgreSQL takes them.
#pragma once

#include <initializer_list>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cloud-server/store/sql/connection.h"

namespace ferry::server {

class Columns {
 public:
  // Copies them. Each row has as many, of the same kinds.
  void Add(std::initializer_list<Value> row);
  // For the parameters ?1, ?2, ..; borrows from this object.
  std::vector<Value> values() const;

 private:
  struct Column {
    Value::Kind kind = Value::Kind::kNumber;
    std::vector<int64_t> numbers;
    std::vector<std::string> texts;  // and bytes
  };
  std::vector<Column> columns_;
};

// One statement writes a row once. `rows` are therefore handed to `write` in parts, in which no
// `key` comes twice, and those of one key in their order: nearly always it is one part.
template <typename Row, typename Key, typename Write>
Status InParts(const std::vector<Row>& rows, const Key& key, const Write& write) {
  std::vector<const Row*> left;
  for (const Row& row : rows) left.push_back(&row);
  while (!left.empty()) {
    std::vector<const Row*> part, later;
    std::set<decltype(key(rows[0]))> keys;
    for (const Row* row : left) (keys.insert(key(*row)).second ? part : later).push_back(row);
    FERRY_TRY(write(part));
    left = std::move(later);
  }
  return OkStatus();
}

}  // namespace ferry::server
