#include "cloud-server/store/sql/facts.h"

#include "cloud-server/store/sql/repositories.h"

namespace ferry::server {
namespace {

Status CheckMarks(Connection& sql, StoreFacts& facts) {
  return sql.Query(
      "SELECT r.device, r.outbox, max(r.seq), coalesce(m.seq, 0) FROM record r "
      "LEFT JOIN outbox_mark m ON m.device = r.device AND m.outbox = r.outbox "
      "GROUP BY r.device, r.outbox, m.seq HAVING max(r.seq) > coalesce(m.seq, 0)",
      {}, [&](Row& row) {
        const std::string device = row.NextText(), outbox = row.NextText();
        const int64_t last = row.NextInt();
        facts.problems.push_back(
            fmt::format("database: outbox {} of device {} has record {} above its mark {}", outbox,
                        device, last, row.NextInt()));
        return OkStatus();
      });
}

// As artefacts: their content and its keys are looked at in the same way.
Status ReadPersonalFiles(Connection& sql, StoreFacts& facts) {
  return sql.Query(
      "SELECT device, package, name, sha256, length, entry_json, escrow_enc, escrow_sealed FROM "
      "personal_file ORDER BY device, package, name",
      {}, [&](Row& row) {
        ArtefactRow& file = facts.artefacts.emplace_back();
        const std::string device = row.NextText();
        file.package = row.NextText();
        file.path =
            fmt::format("personal/{}/{} of device {}", file.package, row.NextText(), device);
        file.kind = "personal";
        file.sha256 = row.NextText();
        file.length = row.NextUint();
        file.entry_json = row.NextText();
        file.escrow_enc = row.NextBytes();
        file.escrow_sealed = row.NextBytes();
        return OkStatus();
      });
}

// The newest of each bin that targets may lie in.
Status ReadBins(Connection& sql, StoreFacts& facts) {
  return sql.Query(
      "SELECT role, version, document, expires_ms FROM metadata AS m WHERE role LIKE 'bin-%' AND "
      "version = (SELECT max(version) FROM metadata WHERE role = m.role) ORDER BY role",
      {}, [&](Row& row) {
        MetadataRow& bin = facts.metadata.emplace_back();
        bin.role = row.NextText();
        bin.version = row.NextInt();
        bin.document = row.NextBytes();
        bin.expires_ms = row.NextInt();
        return OkStatus();
      });
}

Status ReadPublished(Connection& sql, StoreFacts& facts) {
  const std::unique_ptr<PackageRepository> packages = MakePackageRepository(sql);
  FERRY_ASSIGN_OR_RETURN(const std::vector<PackageRow> all, packages->All());
  for (const PackageRow& package : all) {
    FERRY_ASSIGN_OR_RETURN(const std::vector<ArtefactRow> rows,
                           packages->Artefacts(package.name, package.version));
    facts.artefacts.insert(facts.artefacts.end(), rows.begin(), rows.end());
  }
  FERRY_TRY(ReadPersonalFiles(sql, facts));
  for (const char* role : {"root", "targets", "snapshot", "timestamp"}) {
    Result<MetadataRow> newest = packages->Metadata(role, 0);
    if (newest.code() == Code::kNotFound) continue;
    FERRY_TRY(newest);
    for (int64_t version = 1; role == std::string_view("root") && version < newest->version;
         ++version) {
      const Result<MetadataRow> row = packages->Metadata(role, version);
      if (row.ok()) facts.metadata.push_back(*row);
      if (row.code() == Code::kNotFound)
        facts.problems.push_back(fmt::format("metadata: root version {} is missing", version));
    }
    facts.metadata.push_back(*newest);
  }
  return ReadBins(sql, facts);
}

}  // namespace

bool IsSchemaOf(StoreFacts& facts, int64_t newest) {
  if (facts.schema == newest) return true;
  facts.problems.push_back(fmt::format(
      "database: its schema is {}, this program's {}: {}; looked no further", facts.schema, newest,
      facts.schema < newest ? "`ferry-server run` brings it up to date"
                            : "a newer ferry-server wrote it"));
  return false;
}

Status ReadFacts(Connection& sql, StoreFacts& facts) {
  FERRY_TRY(CheckMarks(sql, facts));
  return ReadPublished(sql, facts);
}

}  // namespace ferry::server
