// What a database counts and does by itself: numbers of rows, and triggers.
#include "cloud-server/store/move/catalogue.h"

namespace ferry::server {
namespace {

// Webhooks remember how far they came: an event below that would never be sent.
constexpr const char* kSqliteNumbers =
    "SELECT name, seq FROM sqlite_sequence UNION ALL "
    "SELECT 'webhook_event', COALESCE(max(cursor), 0) FROM webhook";
constexpr const char* kPostgresIdentities =
    "SELECT c.relname::TEXT, a.attname::TEXT, COALESCE(pg_sequence_last_value("
    "pg_get_serial_sequence(quote_ident(c.relname), a.attname)::regclass), 0) FROM pg_class AS c "
    "JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attidentity <> '' "
    "WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r'";
constexpr const char* kPostgresCursor = "SELECT COALESCE(max(cursor), 0) FROM webhook";

struct Identity {
  std::string table, column;
  int64_t last = 0;
};

Result<std::vector<Identity>> PostgresIdentities(Connection& sql) {
  std::vector<Identity> all;
  FERRY_TRY(sql.Query(kPostgresIdentities, {}, [&](Row& row) {
    Identity& one = all.emplace_back();
    one.table = row.NextText();
    one.column = row.NextText();
    one.last = row.NextInt();
    return OkStatus();
  }));
  return all;
}

Status RaisePostgres(Connection& sql, const LastNumbers& last) {
  FERRY_ASSIGN_OR_RETURN(const std::vector<Identity> identities, PostgresIdentities(sql));
  for (const Identity& one : identities) {
    const auto found = last.find(one.table);
    const int64_t number = found == last.end() ? 0 : found->second;
    FERRY_TRY(sql.Script(fmt::format(
        "SELECT setval(pg_get_serial_sequence('{0}', '{1}'), number) FROM (SELECT "
        "GREATEST({2}, (SELECT max(\"{1}\") FROM \"{0}\")) AS number) AS last WHERE number > 0",
        one.table, one.column, number)));
  }
  return OkStatus();
}

// Of tables that never give a number again; the others take the largest that is there.
Status RaiseSqlite(Connection& sql, const LastNumbers& last) {
  for (const auto& [table, number] : last) {
    FERRY_TRY(sql.Script(fmt::format(
        "INSERT INTO sqlite_sequence (name, seq) SELECT name, 0 FROM sqlite_schema WHERE name = "
        "'{0}' AND sql LIKE '%AUTOINCREMENT%' AND NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE "
        "name = '{0}'); UPDATE sqlite_sequence SET seq = max(seq, {1}) WHERE name = '{0}'",
        table, number)));
  }
  return OkStatus();
}

}  // namespace

Result<LastNumbers> ReadLastNumbers(Connection& sql) {
  LastNumbers last;
  const auto note = [&](const std::string& table, int64_t number) {
    if (number > last[table]) last[table] = number;
  };
  if (sql.dialect() == Connection::Dialect::kPostgres) {
    FERRY_ASSIGN_OR_RETURN(const std::vector<Identity> identities, PostgresIdentities(sql));
    for (const Identity& one : identities) note(one.table, one.last);
    FERRY_TRY(sql.Query(kPostgresCursor, {}, [&](Row& row) {
      note("webhook_event", row.NextInt());
      return OkStatus();
    }));
    return last;
  }
  FERRY_TRY(sql.Query(kSqliteNumbers, {}, [&](Row& row) {
    const std::string table = row.NextText();
    note(table, row.NextInt());
    return OkStatus();
  }));
  return last;
}

Status RaiseLastNumbers(Connection& sql, const LastNumbers& last) {
  return sql.dialect() == Connection::Dialect::kPostgres ? RaisePostgres(sql, last)
                                                         : RaiseSqlite(sql, last);
}

Status StillTriggers::Alter(const char* how) {
  for (const MoveTable& table : tables_)
    FERRY_TRY(sql_.Script(fmt::format("ALTER TABLE {} {} TRIGGER USER", Quoted(table.name), how)));
  return OkStatus();
}

Status StillTriggers::Stop() {
  if (sql_.dialect() == Connection::Dialect::kPostgres) return Alter("DISABLE");
  std::vector<std::string> names;
  FERRY_TRY(sql_.Query("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' ORDER BY name",
                       {}, [&](Row& row) {
                         names.push_back(row.NextText());
                         dropped_.push_back(row.NextText());
                         return OkStatus();
                       }));
  for (const std::string& name : names) FERRY_TRY(sql_.Script("DROP TRIGGER " + Quoted(name)));
  return OkStatus();
}

Status StillTriggers::Resume() {
  if (sql_.dialect() == Connection::Dialect::kPostgres) return Alter("ENABLE");
  for (const std::string& sql : dropped_) FERRY_TRY(sql_.Script(sql));
  return OkStatus();
}

}  // namespace ferry::server
