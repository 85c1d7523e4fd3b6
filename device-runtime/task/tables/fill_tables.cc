#include "device-runtime/task/tables/fill_tables.h"

#include <algorithm>

#include "common/package/manifest.h"
#include "pipeline/table/rows.h"

namespace ferry::task {
namespace {

Status FillTable(const package::Package& package, const table::Definition& definition,
                 table::Tables& tables, int64_t now_ms) {
  const auto& files = package.manifest().files;
  const auto entry = std::find_if(files.begin(), files.end(), [&](const package::FileEntry& file) {
    return file.path == definition.rows;
  });
  if (entry == files.end())
    return Status::Of(Code::kNotFound, "there is no file {}", definition.rows);
  if (!tables.Find(definition.name).ok()) FERRY_TRY(AsStatus(tables.Declare(definition)));
  const std::string& source = package.manifest().name;
  const std::string digest = ToHex(entry->sha256);
  FERRY_ASSIGN_OR_RETURN(const bool same, tables.IsFilled(definition.name, source, digest));
  if (same) return OkStatus();
  FERRY_ASSIGN_OR_RETURN(const ByteView bytes, package.VerifiedFile(definition.rows));
  FERRY_ASSIGN_OR_RETURN(const std::vector<Json> rows,
                         table::ReadRows(definition, definition.rows, AsText(bytes)));
  return AsStatus(tables.Fill(definition.name, source, digest, rows, now_ms));
}

}  // namespace

Status FillTables(const package::Package& package, const flow::Definition& definition,
                  store::Outbox& outbox, int64_t now_ms) {
  for (const table::Definition& table : definition.tables) {
    if (table.rows.empty()) continue;
    FERRY_TRY(FillTable(package, table, outbox.tables(), now_ms)
                  .Context("package {}, rows of table {}", package.manifest().name, table.name));
  }
  return OkStatus();
}

}  // namespace ferry::task
