#include "cloud-server/store/sql/repositories.h"

namespace ferry::server {
namespace {

#define FERRY_PACKAGE_COLUMNS                                                                    \
  "name, version, release_counter, plain_sha256, plain_length, fallback_version, published_ms, " \
  "requires_json, licence, description"
#define FERRY_ARTEFACT_COLUMNS                                                           \
  "path, package, version, kind, sha256, length, base_version, entry_json, escrow_enc, " \
  "escrow_sealed"

PackageRow ReadPackage(Row& row) {
  PackageRow package;
  package.name = row.NextText();
  package.version = row.NextText();
  package.release_counter = row.NextInt();
  package.plain_sha256 = row.NextText();
  package.plain_length = row.NextUint();
  package.fallback_version = row.NextText();
  package.published_ms = row.NextInt();
  package.requires_json = row.NextText();
  package.licence = row.NextText();
  package.description = row.NextText();
  return package;
}

ArtefactRow ReadArtefact(Row& row) {
  ArtefactRow artefact;
  artefact.path = row.NextText();
  artefact.package = row.NextText();
  artefact.version = row.NextText();
  artefact.kind = row.NextText();
  artefact.sha256 = row.NextText();
  artefact.length = row.NextUint();
  artefact.base_version = row.NextText();
  artefact.entry_json = row.NextText();
  artefact.escrow_enc = row.NextBytes();
  artefact.escrow_sealed = row.NextBytes();
  return artefact;
}

class Packages : public PackageRepository {
 public:
  explicit Packages(Connection& sql) : sql_(sql) {}

  Result<PackageRow> Get(const std::string& name, const std::string& version) override {
    FERRY_ASSIGN_OR_RETURN(
        std::vector<PackageRow> rows,
        Select("SELECT " FERRY_PACKAGE_COLUMNS " FROM package WHERE name = ?1 AND version = ?2",
               {name, version}));
    if (rows.empty()) return Missing("package", name + " " + version);
    return std::move(rows[0]);
  }

  Status Put(const PackageRow& row) override {
    return sql_.Run(
        "INSERT INTO package (" FERRY_PACKAGE_COLUMNS
        ") VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10) "
        "ON CONFLICT (name, version) DO UPDATE SET "
        "release_counter = ?3, plain_sha256 = ?4, plain_length = ?5, fallback_version = ?6, "
        "published_ms = ?7, requires_json = ?8, licence = ?9, description = ?10",
        {row.name, row.version, row.release_counter, row.plain_sha256, row.plain_length,
         row.fallback_version, row.published_ms, row.requires_json, row.licence, row.description});
  }

  Result<std::vector<PackageRow>> All() override {
    return Select("SELECT " FERRY_PACKAGE_COLUMNS " FROM package ORDER BY name, release_counter",
                  {});
  }

  Result<ArtefactRow> Artefact(const std::string& path) override {
    FERRY_ASSIGN_OR_RETURN(
        std::vector<ArtefactRow> rows,
        SelectArtefacts("SELECT " FERRY_ARTEFACT_COLUMNS " FROM artefact WHERE path = ?1", {path}));
    if (rows.empty()) return Missing("artefact", path);
    return std::move(rows[0]);
  }

  Status PutArtefact(const ArtefactRow& row) override {
    return sql_.Run(
        "INSERT INTO artefact (" FERRY_ARTEFACT_COLUMNS
        ") VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10) ON CONFLICT (path) DO UPDATE SET "
        "package = ?2, version = ?3, kind = ?4, sha256 = ?5, length = ?6, base_version = ?7, "
        "entry_json = ?8, escrow_enc = ?9, escrow_sealed = ?10",
        {row.path, row.package, row.version, row.kind, row.sha256, row.length, row.base_version,
         row.entry_json, row.escrow_enc, row.escrow_sealed});
  }

  Result<std::vector<ArtefactRow>> Artefacts(const std::string& name,
                                             const std::string& version) override {
    return SelectArtefacts("SELECT " FERRY_ARTEFACT_COLUMNS
                           " FROM artefact WHERE package = ?1 AND version = ?2 ORDER BY path",
                           {name, version});
  }

  Result<std::vector<ArtefactRow>> Made() override {
    return SelectArtefacts(
        "SELECT " FERRY_ARTEFACT_COLUMNS " FROM artefact WHERE kind = 'made' ORDER BY path", {});
  }

  Status RemoveArtefact(const std::string& path) override {
    return sql_.Run("DELETE FROM artefact WHERE path = ?1", {path});
  }

  Status Remove(const std::string& name, const std::string& version) override {
    FERRY_TRY(
        sql_.Run("DELETE FROM artefact WHERE package = ?1 AND version = ?2", {name, version}));
    return sql_.Run(
        "DELETE FROM package WHERE name = ?1 AND version = ?2 AND NOT EXISTS "
        "(SELECT 1 FROM release WHERE release.package = ?1 AND release.version = ?2)",
        {name, version});
  }

  Result<bool> HasContent(const std::string& sha256) override {
    bool has = false;
    FERRY_TRY(sql_.Query("SELECT 1 FROM artefact WHERE sha256 = ?1 LIMIT 1", {sha256}, [&](Row&) {
      has = true;
      return OkStatus();
    }));
    return has;
  }

  Result<MetadataRow> Metadata(const std::string& role, int64_t version) override {
    MetadataRow found;
    FERRY_TRY(
        sql_.Query("SELECT role, version, document, expires_ms, bins FROM metadata "
                   "WHERE role = ?1 AND (?2 = 0 OR version = ?2) ORDER BY version DESC LIMIT 1",
                   {role, version}, [&](Row& row) {
                     found.role = row.NextText();
                     found.version = row.NextInt();
                     found.document = row.NextBytes();
                     found.expires_ms = row.NextInt();
                     found.bins = row.NextInt();
                     return OkStatus();
                   }));
    if (found.role.empty())
      return Missing("metadata", version == 0 ? role : fmt::format("{} version {}", role, version));
    return found;
  }

  Result<int64_t> TargetsBins() override {
    int64_t bins = 0;
    FERRY_TRY(
        sql_.Query("SELECT bins FROM metadata WHERE role = 'targets' ORDER BY version DESC LIMIT 1",
                   {}, [&](Row& row) {
                     bins = row.NextInt();
                     return OkStatus();
                   }));
    return bins;
  }

  Status PutMetadata(const MetadataRow& row) override {
    FERRY_TRY(sql_.Run(
        "INSERT INTO metadata (role, version, document, expires_ms, bins) "
        "VALUES (?1, ?2, ?3, ?4, ?5) "
        "ON CONFLICT (role, version) DO UPDATE SET expires_ms = ?4 WHERE metadata.document = ?3",
        {row.role, row.version, row.document, row.expires_ms, row.bins}));
    if (sql_.changes() == 1) return OkStatus();
    return Status::Of(Code::kConflict, "{} version {} is there with other bytes", row.role,
                      row.version);
  }

 private:
  Result<std::vector<PackageRow>> Select(const char* sql, std::initializer_list<Value> values) {
    std::vector<PackageRow> rows;
    FERRY_TRY(sql_.Query(sql, values, [&](Row& row) {
      rows.push_back(ReadPackage(row));
      return OkStatus();
    }));
    return rows;
  }
  Result<std::vector<ArtefactRow>> SelectArtefacts(const char* sql,
                                                   std::initializer_list<Value> values) {
    std::vector<ArtefactRow> rows;
    FERRY_TRY(sql_.Query(sql, values, [&](Row& row) {
      rows.push_back(ReadArtefact(row));
      return OkStatus();
    }));
    return rows;
  }

  Connection& sql_;
};

}  // namespace

std::unique_ptr<PackageRepository> MakePackageRepository(Connection& sql) {
  return std::make_unique<Packages>(sql);
}

}  // namespace ferry::server
