#include "cloud-server/admin/routes.h"

namespace ferry::server {
namespace {

HttpResponse Answer(const std::string& sha256, uint64_t length, bool existed) {
  HttpResponse response;
  response.body = WriteJson({{"sha256", sha256}, {"length", length}, {"existed", existed}});
  return response;
}

// The body is read even when the content is there: a connection must not be left in its middle.
HttpResponse PutContent(const Call& call) {
  const std::string& sha256 = call.arguments[0];
  Result<uint64_t> present = call.admin.blobs->Size(sha256);
  if (present.ok()) {
    Status drained = call.http.read_body([](ByteView) { return OkStatus(); });
    if (drained.ok()) drained = call.admin.registry->NoteContentUsed(sha256);
    return drained.ok() ? Answer(sha256, *present, true) : ErrorResponse(drained);
  }
  if (present.code() != Code::kNotFound) return ErrorResponse(present.status());
  Result<std::unique_ptr<BlobWriter>> writer = call.admin.blobs->Put(sha256);
  if (!writer.ok()) return ErrorResponse(writer.status());
  uint64_t length = 0;
  Status status = call.http.read_body([&](ByteView piece) {
    length += piece.size();
    return (*writer)->Write(piece);
  });
  if (status.ok()) status = (*writer)->Commit();
  return status.ok() ? Answer(sha256, length, false) : ErrorResponse(status);
}

Result<Json> GetContent(const Call& call) {
  FERRY_ASSIGN_OR_RETURN(uint64_t length, call.admin.blobs->Size(call.arguments[0]));
  FERRY_TRY(call.admin.registry->NoteContentUsed(call.arguments[0]));
  return Json{{"sha256", call.arguments[0]}, {"length", length}};
}

}  // namespace

void Add_content(Routes& routes) {
  routes.AddRaw("PUT", "/api/v1/content/{sha256}", PutContent);
  routes.Add("GET", "/api/v1/content/{sha256}", GetContent);
}

}  // namespace ferry::server
