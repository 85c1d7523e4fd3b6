#include "cloud-server/store/open.h"

#include "cloud-server/store/postgres/address.h"
#include "cloud-server/store/postgres/migrations.h"
#include "cloud-server/store/postgres/postgres_store.h"
#include "cloud-server/store/sqlite/migrations.h"
#include "cloud-server/store/sqlite/sqlite_store.h"

namespace ferry::server {

bool IsPostgres(const std::string& place) {
  return IsPostgresAddress(place);
}

Result<std::unique_ptr<Store>> OpenStore(const std::string& place) {
  return IsPostgres(place) ? OpenPostgresStore(place) : OpenSqliteStore(place);
}

Result<StoreFacts> InspectStore(const std::string& place) {
  return IsPostgres(place) ? InspectPostgresStore(place) : InspectSqliteStore(place);
}

int64_t NewestSchema(const std::string& place) {
  return (IsPostgres(place) ? PostgresMigrations() : AllMigrations()).back().number;
}

Result<std::string> ShownPlace(const std::string& place) {
  return IsPostgres(place) ? ShownAddress(place) : Result<std::string>(place);
}

}  // namespace ferry::server
