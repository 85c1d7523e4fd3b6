#include "cloud-server/registry/contents/contents.h"

#include "cloud-server/admin/routes.h"
#include "common/crypto/hash.h"

namespace ferry::server {
namespace {

// No file of a package has a name that begins with a dot.
constexpr std::string_view kManifestPath = ".manifest.json";

Result<PackageRow> RowOf(const Call& call) {
  PackageRow row;
  FERRY_TRY(call.admin.store->Read([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(row, tx.packages().Get(call.arguments[0], call.arguments[1]));
    return OkStatus();
  }));
  return row;
}

Result<Json> ListContents(const Call& call) {
  FERRY_ASSIGN_OR_RETURN(const PackageRow row, RowOf(call));
  FERRY_ASSIGN_OR_RETURN(const Json manifest,
                         ReadPackageManifest(*call.admin.registry, row.name, row.version));
  FERRY_ASSIGN_OR_RETURN(const std::string content, GetString(manifest, "content"));
  FERRY_ASSIGN_OR_RETURN(const Json* files, GetArray(manifest, "files"));
  Json listed = Json::array();
  for (const Json& file : *files) {
    FERRY_ASSIGN_OR_RETURN(const std::string path, GetString(file, "path"));
    FERRY_ASSIGN_OR_RETURN(const int64_t length, GetInt(file, "length"));
    FERRY_ASSIGN_OR_RETURN(const std::string sha256, GetString(file, "sha256"));
    listed.push_back({{"path", path}, {"length", length}, {"sha256", sha256}});
  }
  return Json{{"package", row.name},
              {"version", row.version},
              {"content", content},
              {"files", std::move(listed)}};
}

Result<Json> ReadContent(const Call& call) {
  FERRY_ASSIGN_OR_RETURN(const PackageRow row, RowOf(call));
  const std::string& path = call.arguments[2];
  if (path == kManifestPath) {
    FERRY_TRY(CheckMayBeShown(row));
    FERRY_ASSIGN_OR_RETURN(const Json manifest,
                           ReadPackageManifest(*call.admin.registry, row.name, row.version));
    const std::string text = WriteJsonPretty(manifest) + "\n";
    return Json{{"path", path},
                {"length", text.size()},
                {"sha256", crypto::Sha256Hex(AsBytes(text))},
                {"text", text},
                {"source", false}};
  }
  FERRY_ASSIGN_OR_RETURN(PackageText text, ReadPackageText(*call.admin.registry, row, path));
  return Json{{"path", path},
              {"length", text.length},
              {"sha256", text.sha256},
              {"text", std::move(text.text)},
              {"source", text.is_source}};
}

}  // namespace

void Add_contents(Routes& routes) {
  constexpr const char* kFile = "/api/v1/packages/{name}/{version}/contents/{path}";
  routes.Add("GET", "/api/v1/packages/{name}/{version}/contents", ListContents);
  routes.Add("GET", kFile, ReadContent);
  routes.TakesRest(kFile);
}

}  // namespace ferry::server
