#include "cloud-server/store/postgres/migrations.h"

namespace ferry::server {

#define FERRY_MIGRATION(name, number) extern const char* const kMigration_##name;
#include "cloud-server/store/postgres/migrations/list.inc"
#undef FERRY_MIGRATION

namespace {

// Any number that no other program that uses the database takes: "ferry" in ASCII.
constexpr int64_t kMigrationLock = 0x6665727279;

Result<int64_t> AskNumber(PostgresConnection& sql, const std::string& statement) {
  FERRY_ASSIGN_OR_RETURN(const std::string text, sql.Ask(statement));
  return text.empty() ? 0 : std::strtoll(text.c_str(), nullptr, 10);
}

Status ApplySteps(PostgresConnection& sql) {
  FERRY_ASSIGN_OR_RETURN(const int64_t version, PostgresSchema(sql));
  const int64_t newest = PostgresMigrations().back().number;
  if (version > newest)
    return Status::Of(Code::kUnsupported, "the database has schema {}, this server knows up to {}",
                      version, newest);
  if (version == 0)
    FERRY_TRY(
        sql.Script("CREATE TABLE IF NOT EXISTS ferry_schema "
                   "(number BIGINT PRIMARY KEY, name TEXT NOT NULL, applied TIMESTAMPTZ "
                   "NOT NULL DEFAULT now())"));
  for (const Migration& step : PostgresMigrations()) {
    if (step.number <= version) continue;
    const Status applied = sql.Script(
        fmt::format("BEGIN;{}; INSERT INTO ferry_schema (number, name) VALUES ({}, '{}'); COMMIT;",
                    step.sql, step.number, step.name));
    if (applied.ok()) continue;
    const Status ignored = sql.Script("ROLLBACK");  // the connection may be gone
    return applied.Context("migration {} {}", step.number, step.name);
  }
  return OkStatus();
}

// Numbers of rows begin with those of transactions, which begin anew where a dump was restored.
Status RaiseNumbers(PostgresConnection& sql) {
  FERRY_ASSIGN_OR_RETURN(const int64_t behind,
                         AskNumber(sql,
                                   "SELECT GREATEST((SELECT max(number) FROM record) >> 14, "
                                   "(SELECT max(seq) FROM webhook_event) >> 14, "
                                   "(SELECT max(cursor) FROM webhook) >> 14, "
                                   "(SELECT max(seq) FROM fleet_change) >> 20) "
                                   "- (pg_current_xact_id()::TEXT::BIGINT + ferry_base())"));
  if (behind < 0) return OkStatus();
  FERRY_ASSIGN_OR_RETURN(const int64_t base, AskNumber(sql, "SELECT ferry_base()"));
  return sql.Script(
      fmt::format("CREATE OR REPLACE FUNCTION ferry_base() RETURNS BIGINT "
                  "LANGUAGE sql IMMUTABLE AS 'SELECT {}::BIGINT'",
                  base + behind + 1));
}

}  // namespace

const std::vector<Migration>& PostgresMigrations() {
  static const std::vector<Migration> all = {
#define FERRY_MIGRATION(name, number) {number, #name, kMigration_##name},
#include "cloud-server/store/postgres/migrations/list.inc"
#undef FERRY_MIGRATION
  };
  return all;
}

Result<int64_t> PostgresSchema(PostgresConnection& sql) {
  FERRY_ASSIGN_OR_RETURN(const std::string there,
                         sql.Ask("SELECT 1 FROM pg_class WHERE oid = to_regclass('ferry_schema')"));
  if (there.empty()) return int64_t{0};
  return AskNumber(sql, "SELECT COALESCE(max(number), 0) FROM ferry_schema");
}

Status MigratePostgres(PostgresConnection& sql) {
  FERRY_TRY(sql.Script(fmt::format("SELECT pg_advisory_lock({})", kMigrationLock))
                .Context("waiting for another server that brings the schema up to date"));
  Status status = ApplySteps(sql);
  if (status.ok()) status = RaiseNumbers(sql);
  const Status released = sql.Script(fmt::format("SELECT pg_advisory_unlock({})", kMigrationLock));
  return status.ok() ? released : status;
}

}  // namespace ferry::server
