#include "cloud-server/store/move/catalogue.h"

#include <algorithm>
#include <set>

namespace ferry::server {
namespace {

constexpr const char* kPostgresColumns =
    "SELECT c.relname::TEXT, a.attname::TEXT, t.typname::TEXT FROM pg_class AS c "
    "JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped "
    "JOIN pg_type AS t ON t.oid = a.atttypid "
    "WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' "
    "AND c.relname NOT IN ('cluster', 'ferry_schema', 'node', 'server_life') "
    "AND NOT (c.relname = 'profile' AND a.attname = 'key') "
    "ORDER BY c.relname::TEXT COLLATE \"C\", a.attname::TEXT COLLATE \"C\"";
constexpr const char* kSqliteColumns =
    "SELECT t.name, c.name, c.type FROM sqlite_schema AS t, pragma_table_info(t.name) AS c "
    "WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%' ORDER BY t.name, c.name";
constexpr const char* kSqliteParents =
    "SELECT DISTINCT t.name, f.\"table\" FROM sqlite_schema AS t, "
    "pragma_foreign_key_list(t.name) AS f WHERE t.type = 'table' ORDER BY t.name, 2";

Result<Value::Kind> KindOf(const std::string& table, const std::string& column,
                           const std::string& type) {
  if (type == "INTEGER" || type == "int8") return Value::Kind::kNumber;
  if (type == "TEXT" || type == "text") return Value::Kind::kText;
  if (type == "BLOB" || type == "bytea") return Value::Kind::kBytes;
  return Status::Of(Code::kUnsupported, "column {} of table {} is of type {}", column, table, type);
}

std::string ListOf(const MoveTable& table) {
  std::string text;
  for (const MoveColumn& column : table.columns) text += " " + column.name;
  return text;
}

Status Differ(const MoveTable& lite, const MoveTable& postgres) {
  if (lite.columns == postgres.columns) return OkStatus();
  return Status::Of(Code::kUnsupported,
                    "the schemas differ: table {} has on SQLite the columns{}, on PostgreSQL{}",
                    lite.name, ListOf(lite), ListOf(postgres));
}

}  // namespace

std::string Quoted(const std::string& name) {
  return '"' + name + '"';
}

Result<std::vector<MoveTable>> ReadCatalogue(Connection& sql) {
  std::vector<MoveTable> tables;
  FERRY_TRY(sql.Query(sql.Choose(kSqliteColumns, kPostgresColumns), {}, [&](Row& row) -> Status {
    const std::string table = row.NextText(), column = row.NextText();
    if (tables.empty() || tables.back().name != table) tables.push_back({table, {}, {}});
    FERRY_ASSIGN_OR_RETURN(const Value::Kind kind, KindOf(table, column, row.NextText()));
    tables.back().columns.push_back({column, kind});
    return OkStatus();
  }));
  if (sql.dialect() == Connection::Dialect::kPostgres) return tables;
  FERRY_TRY(sql.Query(kSqliteParents, {}, [&](Row& row) {
    const std::string child = row.NextText(), parent = row.NextText();
    for (MoveTable& table : tables)
      if (table.name == child && parent != child) table.parents.push_back(parent);
    return OkStatus();
  }));
  return tables;
}

Result<std::vector<MoveTable>> TablesInBoth(const std::vector<MoveTable>& lite,
                                            const std::vector<MoveTable>& postgres) {
  const auto name = [](const MoveTable& table) { return table.name; };
  std::set<std::string> names, others;
  std::ranges::transform(lite, std::inserter(names, names.end()), name);
  std::ranges::transform(postgres, std::inserter(others, others.end()), name);
  std::vector<std::string> alone;
  std::ranges::set_symmetric_difference(names, others, std::back_inserter(alone));
  if (!alone.empty())
    return Status::Of(Code::kUnsupported, "the schemas differ: only one has the table {}",
                      alone.front());
  // Both are by name.
  for (size_t i = 0; i < lite.size(); ++i) FERRY_TRY(Differ(lite[i], postgres[i]));
  std::vector<MoveTable> ordered;
  std::set<std::string> placed;
  while (ordered.size() < lite.size()) {
    const size_t before = ordered.size();
    for (const MoveTable& table : lite) {
      if (placed.contains(table.name)) continue;
      if (!std::ranges::all_of(table.parents,
                               [&](const std::string& it) { return placed.contains(it); }))
        continue;
      ordered.push_back(table);
      placed.insert(table.name);
    }
    if (ordered.size() == before)
      return Status(Code::kUnsupported, "tables of the schema point to each other in a circle");
  }
  return ordered;
}

}  // namespace ferry::server
