// What one node of several does at a time.

namespace ferry::server {

extern const char* const kMigration_p0008_leases;
const char* const kMigration_p0008_leases = R"sql(
CREATE TABLE lease (
  name TEXT COLLATE "C" PRIMARY KEY NOT NULL,
  holder TEXT COLLATE "C" NOT NULL,
  number BIGINT NOT NULL,
  until_ms BIGINT NOT NULL
);
)sql";

}  // namespace ferry::server
