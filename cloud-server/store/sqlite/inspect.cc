// Looking at a database, and copying it, beside a server that writes it.
#include "cloud-server/store/sql/facts.h"
#include "cloud-server/store/sqlite/migrations.h"
#include "cloud-server/store/sqlite/sqlite_store.h"

namespace ferry::server {
namespace {

Status CheckRows(Database& database, StoreFacts& facts) {
  FERRY_TRY(database.Query("PRAGMA integrity_check(20)", {}, [&](Row& row) {
    const std::string text = row.NextText();
    if (text != "ok") facts.problems.push_back("database: " + text);
    return OkStatus();
  }));
  FERRY_TRY(database.Query(
      "SELECT \"table\", \"parent\", count(*) FROM pragma_foreign_key_check GROUP BY 1, 2", {},
      [&](Row& row) {
        const std::string table = row.NextText(), parent = row.NextText();
        facts.problems.push_back(fmt::format("database: {} rows of {} point to no row of {}",
                                             row.NextInt(), table, parent));
        return OkStatus();
      }));
  return OkStatus();
}

Status InspectAll(Database& database, StoreFacts& facts) {
  FERRY_ASSIGN_OR_RETURN(facts.schema, SchemaVersion(database));
  if (!IsSchemaOf(facts, AllMigrations().back().number)) return OkStatus();
  FERRY_TRY(CheckRows(database, facts));
  return ReadFacts(database, facts);
}

}  // namespace

Result<StoreFacts> InspectSqliteStore(const std::string& path) {
  FERRY_ASSIGN_OR_RETURN(const std::unique_ptr<Database> database,
                         Database::Open(path, Database::Mode::kReadOnly));
  StoreFacts facts;
  Status looked = database->Script("BEGIN;");
  if (looked.ok()) looked = InspectAll(*database, facts);
  if (looked.code() == Code::kMalformed) {
    facts.problems.push_back(looked.message());
    return facts;
  }
  FERRY_TRY(looked);
  return facts;
}

Status CopySqliteStore(const std::string& path, const std::string& to,
                       const std::function<void(int64_t, int64_t)>& progress) {
  FERRY_ASSIGN_OR_RETURN(const std::unique_ptr<Database> database,
                         Database::Open(path, Database::Mode::kReadOnly));
  return database->CopyTo(to, progress);
}

}  // namespace ferry::server
