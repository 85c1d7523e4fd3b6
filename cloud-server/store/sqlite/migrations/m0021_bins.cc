// Targets that are spread over hash bins, and which devices fetch such.

namespace ferry::server {

extern const char* const kMigration_m0021_bins;
const char* const kMigration_m0021_bins = R"sql(
ALTER TABLE device ADD COLUMN reads_bins INTEGER NOT NULL DEFAULT 0;
ALTER TABLE metadata ADD COLUMN bins INTEGER NOT NULL DEFAULT 0;
CREATE TRIGGER targets_came AFTER INSERT ON metadata WHEN NEW.role = 'targets' BEGIN
  UPDATE generation SET value = value + 1;
END;
)sql";

}  // namespace ferry::server
