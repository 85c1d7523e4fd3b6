#include "cloud-server/admin/interface/edits.h"

#include "common/crypto/hash.h"

namespace ferry::server {
namespace {

constexpr size_t kTagBytes = 16;
constexpr int kPreconditionFailed = 412;

std::string_view Trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

}  // namespace

std::string TagOfThing(const Json& thing) {
  const auto hash = crypto::Sha256(AsBytes(WriteJson(thing)));
  return '"' + ToHex(ByteView(hash).first(kTagBytes)) + '"';
}

bool MatchesTag(const std::string& if_match, const std::string& tag) {
  for (std::string_view rest = if_match; !rest.empty();) {
    const size_t comma = rest.find(',');
    const std::string_view one = Trimmed(rest.substr(0, comma));
    if (one == "*" || one == tag) return true;
    rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
  }
  return false;
}

std::optional<HttpResponse> Edits::Refuse(const Call& call, const Route& route) {
  const std::string if_match = call.http.Header("if-match");
  if (if_match.empty() || !route.thing || !route.right.changes) return std::nullopt;
  const Result<Json> thing = route.thing(call);
  if (!thing.ok()) return std::nullopt;
  const std::string tag = TagOfThing(*thing);
  if (MatchesTag(if_match, tag)) return std::nullopt;
  HttpResponse response = ErrorResponse(
      Status(Code::kFailedPrecondition, "it was changed since it was read: look at it anew"));
  response.status = kPreconditionFailed;
  response.headers["ETag"] = tag;
  if (Result<Json> json = ParseJson(response.body); json.ok()) {
    (*json)["error"]["next"] = "reload";
    (*json)["current"] = *thing;
    response.body = WriteJson(*json);
  }
  return response;
}

void Edits::AddTag(const Call& call, const Route& route, HttpResponse* response) {
  if (!route.thing || response->status != 200 || call.http.method == "DELETE") return;
  const Result<Json> thing = route.thing(call);
  if (thing.ok()) response->headers["ETag"] = TagOfThing(*thing);
}

}  // namespace ferry::server
