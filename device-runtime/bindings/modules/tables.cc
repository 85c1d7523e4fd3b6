// ferry.tables: tables.get(table, key...) -> the row as a dict or None, tables.put(table, row),
// tables.delete(table, key...), tables.range(table, prefix=(), limit=.., descending=False) -> rows
// whose key begins so, in order of the key. A run sees its own writes; they are kept when it ends
// well, and a failed run leaves none.
#include "common/base/json.h"
#include "device-runtime/bindings/modules.h"

namespace ferry::bindings {
namespace {

using vm::CallContext;
using vm::Value;

constexpr int64_t kStepsPerRow = 20;  // read from or written to a table

Result<std::string_view> TableName(CallContext& c, Value value) {
  return c.AsString(value, "the name of a table");
}

// The arguments behind the table's name.
Result<std::vector<Json>> KeyArguments(CallContext& c) {
  FERRY_TRY(c.Expect(2, 1 + table::kMaxKeyColumns));
  std::vector<Json> key;
  for (size_t k = 1; k < c.count(); ++k) {
    FERRY_ASSIGN_OR_RETURN(Json value, c.ToJson(c.arg(k)));
    key.push_back(std::move(value));
  }
  return key;
}

Result<Value> GetRow(CallContext& c) {
  FERRY_ASSIGN_OR_RETURN(const std::vector<Json> key, KeyArguments(c));
  FERRY_ASSIGN_OR_RETURN(const std::string_view table, TableName(c, c.arg(0)));
  FERRY_TRY(c.Charge(kStepsPerRow));
  FERRY_ASSIGN_OR_RETURN(const Json row, HostOf(c).TableGet(table, key));
  return c.FromJson(row);
}

Result<Value> PutRow(CallContext& c) {
  FERRY_TRY(c.Expect(2, 2));
  FERRY_ASSIGN_OR_RETURN(const std::string_view table, TableName(c, c.arg(0)));
  FERRY_ASSIGN_OR_RETURN(const Json row, c.ToJson(c.arg(1)));
  FERRY_TRY(c.Charge(kStepsPerRow));
  FERRY_TRY(HostOf(c).TablePut(table, row));
  return Value::None();
}

Result<Value> DeleteRow(CallContext& c) {
  FERRY_ASSIGN_OR_RETURN(const std::vector<Json> key, KeyArguments(c));
  FERRY_ASSIGN_OR_RETURN(const std::string_view table, TableName(c, c.arg(0)));
  FERRY_TRY(c.Charge(kStepsPerRow));
  FERRY_TRY(HostOf(c).TableDelete(table, key));
  return Value::None();
}

Result<Value> RangeOfRows(CallContext& c) {
  static constexpr const char* kNames[] = {"table", "prefix", "limit", "descending"};
  Value args[4];
  FERRY_TRY(c.Bind(kNames, 1, args));
  FERRY_ASSIGN_OR_RETURN(const std::string_view table, TableName(c, args[0]));
  table::RangeQuery query;
  if (!args[1].empty()) {
    FERRY_ASSIGN_OR_RETURN(const auto prefix, c.AsSequence(args[1], "the prefix of a key"));
    for (const Value value : prefix) {
      FERRY_ASSIGN_OR_RETURN(Json json, c.ToJson(value));
      query.prefix.push_back(std::move(json));
    }
  }
  if (!args[2].empty()) {
    FERRY_ASSIGN_OR_RETURN(const int64_t limit, c.AsInt(args[2], "the limit"));
    if (limit < 0) return c.Raise("ValueError", "the limit is a number from 0");
    query.limit = static_cast<size_t>(limit);
  }
  if (!args[3].empty()) {
    FERRY_ASSIGN_OR_RETURN(query.descending, c.AsBool(args[3]));
  }
  FERRY_ASSIGN_OR_RETURN(const std::vector<Json> rows, HostOf(c).TableRange(table, query));
  FERRY_TRY(c.Charge(kStepsPerRow * static_cast<int64_t>(rows.size() + 1)));
  std::vector<Value> items;
  for (const Json& row : rows) {
    FERRY_ASSIGN_OR_RETURN(const Value item, c.FromJson(row));
    c.Keep(item);
    items.push_back(item);
  }
  return c.List(items);
}

constexpr vm::NativeFunction kTablesFunctions[] = {
    {"delete", DeleteRow}, {"get", GetRow}, {"put", PutRow}, {"range", RangeOfRows}};

}  // namespace

const vm::NativeModule& TablesModule() {
  static const vm::NativeModule kModule = {"ferry.tables", kTablesFunctions};
  return kModule;
}

}  // namespace ferry::bindings
