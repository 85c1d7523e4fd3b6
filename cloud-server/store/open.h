// A store by where it is: the path of a file of SQLite, or an address of PostgreSQL
// ("postgres://user:password@host:port/name").
#pragma once

#include <memory>
#include <string>

#include "cloud-server/store/facts.h"
#include "cloud-server/store/store.h"

namespace ferry::server {

// Errors of OpenSqliteStore and OpenPostgresStore; none shows a password.
Result<std::unique_ptr<Store>> OpenStore(const std::string& place);
// Looks at it and changes nothing.
Result<StoreFacts> InspectStore(const std::string& place);
bool IsPostgres(const std::string& place);
// The newest schema of such a place that this program knows.
int64_t NewestSchema(const std::string& place);
// As logs may show it.
Result<std::string> ShownPlace(const std::string& place);

}  // namespace ferry::server
