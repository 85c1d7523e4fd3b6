// When each operator's token was last used.

namespace ferry::server {

extern const char* const kMigration_m0005_session_use;
const char* const kMigration_m0005_session_use = R"sql(
ALTER TABLE session ADD COLUMN last_used_ms INTEGER NOT NULL DEFAULT 0;
)sql";

}  // namespace ferry::server
