// What a table of the collective storage is: its columns, their types, its key, what is kept.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/json.h"

namespace ferry::table {

inline constexpr size_t kMaxColumns = 64;
inline constexpr size_t kMaxKeyColumns = 8;
inline constexpr size_t kMaxKeyBytes = 1024;  // of a row's key as it is stored

enum class Type { kInt, kFloat, kText, kBool, kJson };

struct Column {
  std::string name;
  Type type = Type::kInt;
};

struct Definition {
  std::string name;
  std::vector<Column> columns;  // by name
  std::vector<std::string> key;
  int64_t max_rows = 100'000;
  int64_t max_age_ms = 0;  // since the row was written; 0: for ever
  std::string rows;        // a file of the package that fills it; empty: none. Not kept by tables

  const Column* Find(std::string_view column) const;  // or null
};

// {"name","key":[..],"columns":{name:"int|float|text|bool|json"},"retention":{"rows","age_ms"},
// "rows": file}. Errors name the member; unknown members are errors too. Key columns are not json.
Result<Definition> DefinitionFromJson(const Json& json);
// Without "rows": what the table is, not what fills it.
Json DefinitionToJson(const Definition& definition);

// Whether `value` may stand in a column: int takes whole numbers of 64 bits with sign, float all
// finite numbers, null stands in columns outside the key. The error names table and column.
Status CheckValue(const Definition& definition, const Column& column, const Json& value);
// All members are columns, of their types, and the key is complete; missing columns are null.
Status CheckRow(const Definition& definition, const Json& row);

// The key's values as bytes whose order is that of the values, one after another; `values` may be
// fewer than the key's columns: then the bytes are the beginning of all keys that begin so.
Result<std::string> EncodeKey(const Definition& definition, const std::vector<Json>& values);
// The values of the key's columns, from a row that CheckRow took.
std::vector<Json> KeyOf(const Definition& definition, const Json& row);

}  // namespace ferry::table
