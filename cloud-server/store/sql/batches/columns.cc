#include "cloud-server/store/sql/batches/columns.h"

#include "common/base/check.h"

namespace ferry::server {

void Columns::Add(std::initializer_list<Value> row) {
  if (columns_.empty()) columns_.resize(row.size());
  CHECK(columns_.size() == row.size());
  auto column = columns_.begin();
  for (const Value& value : row) {
    column->is_text = value.kind() == Value::Kind::kText;
    if (column->is_text) {
      column->texts.emplace_back(value.text());
    } else {
      column->numbers.push_back(value.number());
    }
    ++column;
  }
}

std::vector<Value> Columns::values() const {
  std::vector<Value> values;
  for (const Column& column : columns_)
    values.push_back(column.is_text ? Value(column.texts) : Value(column.numbers));
  return values;
}

}  // namespace ferry::server
