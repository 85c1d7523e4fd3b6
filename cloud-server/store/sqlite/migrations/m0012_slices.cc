// Slices that are stopped alone.

namespace ferry::server {

extern const char* const kMigration_m0012_slices;
const char* const kMigration_m0012_slices = R"sql(
ALTER TABLE release ADD COLUMN stopped_slices TEXT NOT NULL DEFAULT '[]';
)sql";

}  // namespace ferry::server
