// What a look at a store reads by the same statements on every database. Private to this room.
#pragma once

#include "cloud-server/store/facts.h"
#include "cloud-server/store/sql/connection.h"

namespace ferry::server {

// Whether the schema that was found is this program's; a problem when not.
bool IsSchemaOf(StoreFacts& facts, int64_t newest);
// What is published, and marks below the records that they stand for.
Status ReadFacts(Connection& sql, StoreFacts& facts);

}  // namespace ferry::server
