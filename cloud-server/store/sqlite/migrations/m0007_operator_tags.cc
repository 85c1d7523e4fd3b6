// What the operator calls a device, apart from what it calls itself.

namespace ferry::server {

extern const char* const kMigration_m0007_operator_tags;
const char* const kMigration_m0007_operator_tags = R"sql(
ALTER TABLE device ADD COLUMN operator_tags TEXT NOT NULL DEFAULT '[]';
ALTER TABLE join_token ADD COLUMN tags TEXT NOT NULL DEFAULT '[]';
)sql";

}  // namespace ferry::server
