// Scripts under work: a published version with other texts, tried here and signed elsewhere.
#include "cloud-server/rollout/trial/draft.h"

#include "cloud-server/admin/routes.h"
#include "cloud-server/rollout/simulator.h"

namespace ferry::server {
namespace {

Result<Draft> DraftFrom(const Json& body, const std::string& package) {
  Draft draft;
  draft.package = package;
  FERRY_ASSIGN_OR_RETURN(draft.base, GetString(body, "base"));
  FERRY_ASSIGN_OR_RETURN(draft.version, GetStringOr(body, "version", ""));
  FERRY_ASSIGN_OR_RETURN(const Json* files, GetObjectOrNull(body, "files"));
  if (files != nullptr) {
    for (const auto& [path, text] : files->items()) {
      if (!text.is_string())
        return Status::Of(Code::kInvalidArgument, "files: {}: it is no text", path.substr(0, 255));
      draft.files[path] = text.get<std::string>();
    }
  }
  FERRY_ASSIGN_OR_RETURN(const Json* cases, GetArrayOrNull(body, "cases"));
  if (cases != nullptr) draft.cases = *cases;
  return draft;
}

Result<Simulator*> SimulatorOf(const Call& call) {
  if (call.admin.simulator != nullptr) return call.admin.simulator;
  return Status(Code::kUnsupported, "this server has no simulator");
}

Result<Json> TryDraft(const Call& call) {
  FERRY_ASSIGN_OR_RETURN(Simulator* const simulator, SimulatorOf(call));
  FERRY_ASSIGN_OR_RETURN(const std::string package, GetString(call.body, "package"));
  FERRY_ASSIGN_OR_RETURN(const Draft draft, DraftFrom(call.body, package));
  return simulator->Try(draft);
}

Result<Json> ReadDraftBody(const Call& call) {
  std::string text;
  FERRY_TRY(call.http.read_body([&](ByteView piece) -> Status {
    text.append(AsText(piece));
    if (text.size() <= 2 * kMaxDraftBytes) return OkStatus();
    return Status::Of(Code::kLimitExceeded, "the body has more than {} bytes", 2 * kMaxDraftBytes);
  }));
  FERRY_ASSIGN_OR_RETURN(Json body, ParseJson(text).Context("body"));
  if (!body.is_object()) return Status(Code::kMalformed, "body: not an object");
  return body;
}

Result<std::unique_ptr<sys::ReadableFile>> OpenDraft(const Call& call) {
  FERRY_ASSIGN_OR_RETURN(Simulator* const simulator, SimulatorOf(call));
  const std::string& package = call.arguments[0];
  if (!call.who.MayPackage(package))
    return Status::Of(Code::kPermissionDenied, "package {} is not in the scope of {}", package,
                      call.who.account);
  FERRY_ASSIGN_OR_RETURN(const Json body, ReadDraftBody(call));
  FERRY_ASSIGN_OR_RETURN(const Draft draft, DraftFrom(body, package));
  return simulator->Make(draft);
}

// The whole package, as `ferry publish` takes it.
HttpResponse MakeDraft(const Call& call) {
  constexpr size_t kPieceOfDraft = 256 << 10;
  Result<std::unique_ptr<sys::ReadableFile>> file = OpenDraft(call);
  if (!file.ok()) return ErrorResponse(file.status());
  HttpResponse response;
  response.content_type = "application/octet-stream";
  response.stream = [open = std::shared_ptr<sys::ReadableFile>(std::move(*file)),
                     at = uint64_t{0}](std::string* piece) mutable {
    piece->resize(kPieceOfDraft);
    const Result<size_t> read =
        open->ReadAt(at, {reinterpret_cast<uint8_t*>(piece->data()), piece->size()});
    piece->resize(read.ok() ? *read : 0);
    at += piece->size();
    return !piece->empty();
  };
  return response;
}

}  // namespace

void Add_drafts(Routes& routes) {
  routes.Add("POST", "/api/v1/tasks/try", TryDraft);
  routes.AddRaw("POST", "/api/v1/tasks/{package}/draft", MakeDraft);
}

}  // namespace ferry::server
