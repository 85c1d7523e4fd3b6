#include "cloud-server/store/postgres/migrations.h"

#include <chrono>
#include <thread>

#include "cloud-server/store/cluster/nodes.h"
#include "common/base/log.h"

namespace ferry::server {

#define FERRY_MIGRATION(name, number, serves) extern const char* const kMigration_##name;
#include "cloud-server/store/postgres/migrations/list.inc"
#undef FERRY_MIGRATION

namespace {

// Any number that no other program that uses the database takes: "ferry" in ASCII.
constexpr int64_t kMigrationLock = 0x6665727279;

Result<int64_t> AskNumber(PostgresConnection& sql, const std::string& statement) {
  FERRY_ASSIGN_OR_RETURN(const std::string text, sql.Ask(statement));
  return text.empty() ? 0 : std::strtoll(text.c_str(), nullptr, 10);
}

// Since this step the database says which programs each step serves, and which nodes there are.
constexpr int64_t kNodesStep = 11;
// A step waits this long for the locks of its tables, for who comes after it waits as well: behind
// a long read, a whole fleet would. Then it lets all go and tries again.
constexpr int kStepLockMs = 1'000;
constexpr int kStepTries = 60;
constexpr std::chrono::milliseconds kBetweenTries{500};

int64_t ServedBy(const Migration& step) {
  return step.serves != 0 ? step.serves : step.number;
}

// Nodes for whose programs the steps that lack would leave nothing to go on with.
Status CheckLeavesNobody(PostgresConnection& sql, int64_t version,
                         const std::vector<Migration>& steps) {
  if (version < kNodesStep) return OkStatus();
  for (const Migration& step : steps) {
    if (step.number <= version) continue;
    FERRY_ASSIGN_OR_RETURN(
        const std::string left,
        sql.Ask(fmt::format(
            "SELECT host || ' (' || version || ', schema ' || schema || ')' FROM node "
            "WHERE schema < {} AND heard_ms > EXTRACT(EPOCH FROM clock_timestamp()) * 1000 - {} "
            "ORDER BY host LIMIT 1",
            ServedBy(step), kNodeGoneMs)));
    if (left.empty()) continue;
    return Status::Of(Code::kFailedPrecondition,
                      "node {} serves, and step {} of the schema would leave it behind: end it "
                      "first, or bring it to a release that knows schema {}",
                      left, step.number, ServedBy(step));
  }
  return OkStatus();
}

Status ApplyStep(PostgresConnection& sql, const Migration& step) {
  std::string script = fmt::format(
      "BEGIN; SET LOCAL lock_timeout = {}; {}; "
      "INSERT INTO ferry_schema (number, name) VALUES ({}, '{}');",
      kStepLockMs, step.sql, step.number, step.name);
  if (step.number >= kNodesStep)
    script += fmt::format(" UPDATE ferry_schema SET serves = {} WHERE number = {};", ServedBy(step),
                          step.number);
  Status applied;
  for (int tries = 0; tries < kStepTries; ++tries) {
    applied = sql.Script(script + " COMMIT;");
    if (applied.ok()) return applied;
    const Status ignored = sql.Script("ROLLBACK");  // the connection may be gone
    if (applied.code() != Code::kUnavailable || !ignored.ok()) break;
    if (tries == 0)
      LogInfo("store", "step {} of the schema waits for its tables: {}", step.number,
              applied.message());
    std::this_thread::sleep_for(kBetweenTries);
  }
  return applied.Context("migration {} {}", step.number, step.name);
}

// What a program does whose newest step is an older one.
Status GoOnBehind(PostgresConnection& sql, int64_t version, int64_t newest) {
  FERRY_ASSIGN_OR_RETURN(const int64_t served, OldestServed(sql));
  if (served > newest)
    return Status::Of(Code::kUnsupported,
                      "the database has schema {}, which serves programs that know {}; this server "
                      "knows up to {}",
                      version, served, newest);
  LogInfo("store", "the database has schema {} of a newer release, and serves this one", version);
  return OkStatus();
}

Status ApplySteps(PostgresConnection& sql, const std::vector<Migration>& steps) {
  FERRY_ASSIGN_OR_RETURN(const int64_t version, PostgresSchema(sql));
  const int64_t newest = steps.back().number;
  if (version > newest) return GoOnBehind(sql, version, newest);
  if (version == 0)
    FERRY_TRY(
        sql.Script("CREATE TABLE IF NOT EXISTS ferry_schema "
                   "(number BIGINT PRIMARY KEY, name TEXT NOT NULL, applied TIMESTAMPTZ "
                   "NOT NULL DEFAULT now())"));
  FERRY_TRY(CheckLeavesNobody(sql, version, steps));
  for (const Migration& step : steps)
    if (step.number > version) FERRY_TRY(ApplyStep(sql, step));
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
#define FERRY_MIGRATION(name, number, serves) {number, #name, kMigration_##name, serves},
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

Result<int64_t> OldestServed(PostgresConnection& sql) {
  FERRY_ASSIGN_OR_RETURN(const int64_t version, PostgresSchema(sql));
  if (version < kNodesStep) return version;
  return AskNumber(sql, "SELECT max(COALESCE(serves, number)) FROM ferry_schema");
}

Status MigratePostgres(PostgresConnection& sql, const std::vector<Migration>& steps) {
  FERRY_TRY(sql.Script(fmt::format("SELECT pg_advisory_lock({})", kMigrationLock))
                .Context("waiting for another server that brings the schema up to date"));
  Status status = ApplySteps(sql, steps);
  if (status.ok()) status = RaiseNumbers(sql);
  const Status released = sql.Script(fmt::format("SELECT pg_advisory_unlock({})", kMigrationLock));
  return status.ok() ? released : status;
}

}  // namespace ferry::server
