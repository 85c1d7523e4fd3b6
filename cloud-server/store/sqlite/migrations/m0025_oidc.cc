// Users whom an issuer of OpenID Connect vouches for.

namespace ferry::server {

extern const char* const kMigration_m0025_oidc;
const char* const kMigration_m0025_oidc = R"sql(
ALTER TABLE account ADD COLUMN oidc TEXT NOT NULL DEFAULT '';
)sql";

}  // namespace ferry::server
