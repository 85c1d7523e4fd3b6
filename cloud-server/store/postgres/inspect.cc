// Looking at a database beside servers that write it.
#include "cloud-server/store/postgres/migrations.h"
#include "cloud-server/store/postgres/postgres_store.h"
#include "cloud-server/store/sql/facts.h"

namespace ferry::server {

Result<StoreFacts> InspectPostgresStore(const std::string& url) {
  FERRY_ASSIGN_OR_RETURN(const std::unique_ptr<PostgresConnection> sql,
                         PostgresConnection::Open(url));
  FERRY_TRY(sql->Script("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"));
  StoreFacts facts;
  FERRY_ASSIGN_OR_RETURN(facts.schema, PostgresSchema(*sql));
  FERRY_ASSIGN_OR_RETURN(const int64_t served, OldestServed(*sql));
  const int64_t newest = PostgresMigrations().back().number;
  const bool serves = facts.schema > newest && served <= newest;  // a newer release goes beside
  if (!serves && !IsSchemaOf(facts, newest)) return facts;
  // Whether its files are whole is for the database's own tools (pg_amcheck, checksums).
  FERRY_TRY(ReadFacts(*sql, facts));
  return facts;
}

}  // namespace ferry::server
