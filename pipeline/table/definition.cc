#include "pipeline/table/definition.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace ferry::table {
namespace {

constexpr std::array<std::string_view, 5> kTypes = {"int", "float", "text", "bool", "json"};
constexpr size_t kMaxTableNameBytes = 128;
constexpr int64_t kMaxRetainedRows = 10'000'000;

bool IsName(std::string_view name) {
  if (name.empty() || name.size() > kMaxTableNameBytes) return false;
  return std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("_-.:/").find(c) != std::string_view::npos;
  });
}

Status OnlyMembers(const Json& object, std::string_view what,
                   std::initializer_list<std::string_view> known) {
  for (const auto& [name, value] : object.items())
    if (std::find(known.begin(), known.end(), name) == known.end())
      return Status::Of(Code::kInvalidArgument, "{} has the unknown member {}", what, name);
  return OkStatus();
}

Status ReadColumns(const Json& json, Definition* out) {
  FERRY_ASSIGN_OR_RETURN(const Json* columns, GetObject(json, "columns"));
  if (columns->empty() || columns->size() > kMaxColumns)
    return Status::Of(Code::kLimitExceeded, "columns: {} of them, 1 to {} are allowed",
                      columns->size(), kMaxColumns);
  for (const auto& [name, type] : columns->items()) {
    if (!IsName(name)) return Status::Of(Code::kInvalidArgument, "columns: a bad name {}", name);
    const std::string word = type.is_string() ? type.get<std::string>() : "";
    const auto at = std::find(kTypes.begin(), kTypes.end(), word);
    if (at == kTypes.end())
      return Status::Of(Code::kInvalidArgument, "columns: {} is int, float, text, bool or json",
                        name);
    out->columns.push_back({name, static_cast<Type>(at - kTypes.begin())});
  }
  return OkStatus();
}

Status ReadKey(const Json& json, Definition* out) {
  FERRY_ASSIGN_OR_RETURN(out->key, GetStrings(json, "key"));
  if (out->key.empty() || out->key.size() > kMaxKeyColumns)
    return Status::Of(Code::kLimitExceeded, "key: {} columns, 1 to {} are allowed", out->key.size(),
                      kMaxKeyColumns);
  for (size_t k = 0; k < out->key.size(); ++k) {
    const Column* column = out->Find(out->key[k]);
    if (column == nullptr || column->type == Type::kJson)
      return Status::Of(Code::kInvalidArgument, "key: {} is no column that can be a key",
                        out->key[k]);
    if (std::count(out->key.begin(), out->key.end(), out->key[k]) > 1)
      return Status::Of(Code::kInvalidArgument, "key: {} stands there twice", out->key[k]);
  }
  return OkStatus();
}

Status ReadRetention(const Json& json, Definition* out) {
  FERRY_ASSIGN_OR_RETURN(const Json* retention, GetObjectOrNull(json, "retention"));
  if (retention == nullptr) return OkStatus();
  FERRY_TRY(OnlyMembers(*retention, "retention", {"rows", "age_ms"}));
  FERRY_ASSIGN_OR_RETURN(out->max_rows, GetIntOr(*retention, "rows", out->max_rows));
  FERRY_ASSIGN_OR_RETURN(out->max_age_ms, GetIntOr(*retention, "age_ms", 0));
  if (out->max_rows < 1 || out->max_rows > kMaxRetainedRows || out->max_age_ms < 0)
    return Status::Of(Code::kInvalidArgument, "retention: rows from 1 to {}, age_ms from 0",
                      kMaxRetainedRows);
  return OkStatus();
}

void PutOrdered(uint64_t bits, std::string* out) {
  for (int shift = 56; shift >= 0; shift -= 8) out->push_back(static_cast<char>(bits >> shift));
}

// Bytes in the order of the values: numbers with the highest byte first; texts with an end that is
// below all that may follow.
void PutKey(Type type, const Json& value, std::string* out) {
  constexpr uint64_t kSign = uint64_t{1} << 63;
  if (type == Type::kInt)
    return PutOrdered(static_cast<uint64_t>(value.get<int64_t>()) ^ kSign, out);
  if (type == Type::kBool) return out->push_back(value.get<bool>() ? 1 : 0);
  if (type == Type::kFloat) {
    const double real = value.get<double>();
    const auto bits = std::bit_cast<uint64_t>(real == 0 ? 0.0 : real);
    return PutOrdered((bits & kSign) != 0 ? ~bits : bits ^ kSign, out);
  }
  for (const char c : value.get_ref<const std::string&>()) {
    out->push_back(c);
    if (c == 0) out->push_back(1);
  }
  out->append(2, 0);
}

}  // namespace

const Column* Definition::Find(std::string_view column) const {
  for (const Column& one : columns)
    if (one.name == column) return &one;
  return nullptr;
}

Result<Definition> DefinitionFromJson(const Json& json) {
  if (!json.is_object()) return Status(Code::kInvalidArgument, "a table is a JSON object");
  Definition out;
  FERRY_ASSIGN_OR_RETURN(out.name, GetString(json, "name"));
  if (!IsName(out.name)) return Status::Of(Code::kInvalidArgument, "name: a bad one, {}", out.name);
  const auto rest = [&]() -> Status {
    FERRY_TRY(OnlyMembers(json, "it", {"name", "key", "columns", "retention", "rows"}));
    FERRY_ASSIGN_OR_RETURN(out.rows, GetStringOr(json, "rows", ""));
    FERRY_TRY(ReadColumns(json, &out));
    FERRY_TRY(ReadKey(json, &out));
    return ReadRetention(json, &out);
  };
  FERRY_TRY(rest().Context("table {}", out.name));
  return out;
}

Json DefinitionToJson(const Definition& definition) {
  Json columns = Json::object();
  for (const Column& column : definition.columns)
    columns[column.name] = kTypes[static_cast<size_t>(column.type)];
  return {{"name", definition.name},
          {"key", definition.key},
          {"columns", std::move(columns)},
          {"retention", {{"rows", definition.max_rows}, {"age_ms", definition.max_age_ms}}}};
}

Status CheckValue(const Definition& definition, const Column& column, const Json& value) {
  bool fits = false;
  switch (column.type) {
    case Type::kInt:
      fits = value.is_number_integer() &&
             (!value.is_number_unsigned() || value.get<uint64_t>() <= uint64_t{INT64_MAX});
      break;
    case Type::kFloat:
      fits = value.is_number() && std::isfinite(value.get<double>());
      break;
    case Type::kText:
      fits = value.is_string();
      break;
    case Type::kBool:
      fits = value.is_boolean();
      break;
    case Type::kJson:
      fits = true;
      break;
  }
  const bool in_key = std::count(definition.key.begin(), definition.key.end(), column.name) > 0;
  if (fits || (value.is_null() && !in_key)) return OkStatus();
  return Status::Of(Code::kInvalidArgument, "table {}, column {}: {} is expected, not {}",
                    definition.name, column.name, kTypes[static_cast<size_t>(column.type)],
                    value.is_null() ? "null" : value.type_name());
}

Status CheckRow(const Definition& definition, const Json& row) {
  if (!row.is_object())
    return Status::Of(Code::kInvalidArgument, "table {}: a row is a JSON object", definition.name);
  for (const auto& [name, value] : row.items()) {
    const Column* column = definition.Find(name);
    if (column == nullptr)
      return Status::Of(Code::kInvalidArgument, "table {} has no column {}", definition.name, name);
    FERRY_TRY(CheckValue(definition, *column, value));
  }
  for (const std::string& name : definition.key)
    if (!row.contains(name))
      return Status::Of(Code::kInvalidArgument, "table {}, column {}: of the key, but missing",
                        definition.name, name);
  return OkStatus();
}

Result<std::string> EncodeKey(const Definition& definition, const std::vector<Json>& values) {
  if (values.size() > definition.key.size())
    return Status::Of(Code::kInvalidArgument, "table {}: {} values for a key of {}",
                      definition.name, values.size(), definition.key.size());
  std::string out;
  for (size_t k = 0; k < values.size(); ++k) {
    const Column* column = definition.Find(definition.key[k]);
    FERRY_TRY(CheckValue(definition, *column, values[k]));
    PutKey(column->type, values[k], &out);
  }
  if (out.size() > kMaxKeyBytes)
    return Status::Of(Code::kLimitExceeded, "table {}: a key of {} bytes, the limit is {}",
                      definition.name, out.size(), kMaxKeyBytes);
  return out;
}

std::vector<Json> KeyOf(const Definition& definition, const Json& row) {
  std::vector<Json> values;
  for (const std::string& name : definition.key) {
    const auto at = row.find(name);
    values.push_back(at == row.end() ? Json() : *at);
  }
  return values;
}

}  // namespace ferry::table
