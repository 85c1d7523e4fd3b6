#include "cloud-server/store/sql/batches/columns.h"

#include "common/base/check.h"

namespace ferry::server {

void Columns::Add(std::initializer_list<Value> row) {
  if (columns_.empty()) columns_.resize(row.size());
  CHECK(columns_.size() == row.size());
  auto column = columns_.begin();
  for (const Value& value : row) {
    column->kind = value.kind();
    if (column->kind == Value::Kind::kNumber) {
      column->numbers.push_back(value.number());
    } else {
      column->texts.emplace_back(value.text());
    }
    ++column;
  }
}

std::vector<Value> Columns::values() const {
  std::vector<Value> values;
  for (const Column& column : columns_) {
    const bool is_text = column.kind == Value::Kind::kText;
    values.push_back(column.kind == Value::Kind::kNumber ? Value(column.numbers)
                     : is_text                           ? Value(column.texts)
                                                         : Value::Blobs(column.texts));
  }
  return values;
}

}  // namespace ferry::server
