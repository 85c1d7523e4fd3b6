// Which nodes serve, and which programs each step of the schema leaves able to.

namespace ferry::server {

extern const char* const kMigration_p0011_nodes;
// Unlogged: after a fail-over the nodes say anew that they are there.
const char* const kMigration_p0011_nodes = R"sql(
ALTER TABLE ferry_schema ADD COLUMN serves BIGINT;
CREATE UNLOGGED TABLE node (
  name TEXT COLLATE "C" PRIMARY KEY NOT NULL,
  host TEXT COLLATE "C" NOT NULL,
  version TEXT COLLATE "C" NOT NULL,
  schema BIGINT NOT NULL,
  started_ms BIGINT NOT NULL,
  heard_ms BIGINT NOT NULL
);
)sql";

}  // namespace ferry::server
