// The repository as any TUF client reads it: metadata for everyone, for it is signed and names
// nothing secret; sealed artefacts for whoever is logged in. Source: TUF specification 1.0, section
// 7.3.
#include <algorithm>
#include <charconv>
#include <memory>

#include "cloud-server/admin/routes.h"
#include "common/trust/documents/bins/bins.h"

namespace ferry::server {
namespace {

constexpr size_t kPieceBytes = 256 << 10;

struct DocumentName {
  std::string role;
  int64_t version = 0;  // 0: the newest
};

// "timestamp.json", "3.root.json". Root has no name without a version, timestamp none with one.
Result<DocumentName> ReadName(const std::string& file) {
  DocumentName out;
  std::string_view rest = file;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), out.version);
  const bool numbered = error == std::errc() && out.version > 0 && *rest.begin() != '0';
  if (numbered) rest.remove_prefix(static_cast<size_t>(end - rest.data()));
  const bool dotted = numbered && rest.starts_with('.');
  if (dotted) rest.remove_prefix(1);
  for (const char* role : {"root", "targets", "snapshot", "timestamp"})
    if (rest == std::string(role) + ".json") out.role = role;
  constexpr std::string_view kEnding = ".json";
  const std::string_view stem = rest.substr(0, rest.size() - std::min(rest.size(), kEnding.size()));
  if (rest.ends_with(kEnding) && trust::IsBinName(stem)) out.role = stem;
  const bool whole = numbered == dotted && !out.role.empty();
  if (whole && (out.role != "root" || numbered) && (out.role != "timestamp" || !numbered))
    return out;
  return Status::Of(Code::kNotFound, "there is no metadata {}", file.substr(0, 200));
}

HttpResponse GetDocument(const Call& call) {
  const Result<DocumentName> name = ReadName(call.arguments[0]);
  if (!name.ok()) return ErrorResponse(name.status());
  const Result<MetadataRow> row = call.admin.registry->Metadata(name->role, name->version);
  if (!row.ok()) return ErrorResponse(row.status());
  HttpResponse response;
  response.body = AsText(row->document);
  // A version never changes; what has none in its name always may.
  response.headers["Cache-Control"] = name->version > 0 ? "public, max-age=86400" : "no-cache";
  return response;
}

// The path of a target whose last part may begin with the hash of its content and a dot.
Result<ArtefactRow> FindArtefact(const Call& call, const std::string& folder,
                                 const std::string& last) {
  ArtefactRow row;
  FERRY_TRY(call.admin.store->Read([&](Transaction& tx) -> Status {
    Result<ArtefactRow> found = tx.packages().Artefact(folder + last);
    const size_t dot = last.find('.');
    if (found.code() == Code::kNotFound && dot != std::string::npos &&
        IsBlobName(last.substr(0, dot))) {
      found = tx.packages().Artefact(folder + last.substr(dot + 1));
      if (found.ok() && found->sha256 != last.substr(0, dot))
        return Status::Of(Code::kNotFound, "{} has other content", found->path);
    }
    FERRY_ASSIGN_OR_RETURN(row, std::move(found));
    return OkStatus();
  }));
  return row;
}

HttpResponse GetTarget(const Call& call) {
  std::string folder;
  for (size_t i = 0; i + 1 < call.arguments.size(); ++i) folder += call.arguments[i] + "/";
  const Result<ArtefactRow> row = FindArtefact(call, folder, call.arguments.back());
  if (!row.ok()) return ErrorResponse(row.status());
  Result<std::unique_ptr<sys::ReadableFile>> file = call.admin.blobs->Open(row->sha256);
  if (!file.ok()) return ErrorResponse(file.status());
  HttpResponse response;
  response.content_type = "application/octet-stream";
  // The content's hash is signed: a short answer is found out by whoever asked.
  response.stream = [open = std::shared_ptr<sys::ReadableFile>(std::move(*file)),
                     at = uint64_t{0}](std::string* piece) mutable {
    piece->resize(kPieceBytes);
    const Result<size_t> read =
        open->ReadAt(at, {reinterpret_cast<uint8_t*>(piece->data()), piece->size()});
    piece->resize(read.ok() ? *read : 0);
    at += piece->size();
    return !piece->empty();
  };
  return response;
}

}  // namespace

void Add_tuf(Routes& routes) {
  routes.AddOpenRaw("GET", "/tuf/metadata/{file}", GetDocument);
  routes.AddRaw("GET", "/tuf/targets/{package}/{version}/{file}", GetTarget);
  routes.AddRaw("GET", "/tuf/targets/{package}/{version}/{folder}/{file}", GetTarget);
}

}  // namespace ferry::server
