#include "cloud-server/store/sqlite/migrations.h"

namespace ferry::server {

#define FERRY_MIGRATION(name, number) extern const char* const kMigration_##name;
#include "cloud-server/store/sqlite/migrations/list.inc"
#undef FERRY_MIGRATION

const std::vector<Migration>& AllMigrations() {
  static const std::vector<Migration> all = {
#define FERRY_MIGRATION(name, number) {number, #name, kMigration_##name},
#include "cloud-server/store/sqlite/migrations/list.inc"
#undef FERRY_MIGRATION
  };
  return all;
}

Result<int64_t> SchemaVersion(Database& database) {
  int64_t version = 0;
  FERRY_TRY(database.Query("PRAGMA user_version", {}, [&](Row& row) {
    version = row.NextInt();
    return OkStatus();
  }));
  return version;
}

Status Migrate(Database& database, int64_t target) {
  FERRY_ASSIGN_OR_RETURN(int64_t version, SchemaVersion(database));
  const int64_t newest = AllMigrations().back().number;
  if (version > newest)
    return Status::Of(Code::kUnsupported, "the database has schema {}, this server knows up to {}",
                      version, newest);
  for (const Migration& step : AllMigrations()) {
    if (step.number <= version || (target != 0 && step.number > target)) continue;
    Status status =
        database.Script(fmt::format("BEGIN IMMEDIATE;{}; PRAGMA user_version = {};"
                                    "COMMIT;",
                                    step.sql, step.number));
    if (!status.ok()) {
      Status ignored = database.Script("ROLLBACK;");  // may fail: SQLite may have done so already
      return status.Context("migration {} {}", step.number, step.name);
    }
  }
  return OkStatus();
}

}  // namespace ferry::server
