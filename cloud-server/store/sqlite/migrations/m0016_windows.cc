// How long members are watched, for cohorts that are compared.

namespace ferry::server {

extern const char* const kMigration_m0016_windows;
const char* const kMigration_m0016_windows = R"sql(
ALTER TABLE member ADD COLUMN window INTEGER NOT NULL DEFAULT 0;
CREATE INDEX member_window ON member (release, offered_ms, device) WHERE window = 0;
ALTER TABLE tally ADD COLUMN closed INTEGER NOT NULL DEFAULT 0;
ALTER TABLE tally ADD COLUMN closed_failed INTEGER NOT NULL DEFAULT 0;
)sql";

}  // namespace ferry::server
