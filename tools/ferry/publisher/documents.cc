#include "tools/ferry/publisher/documents.h"

#include "common/trust/envelope.h"

namespace ferry::cli {
namespace {

constexpr const char* kAboveBins = "targets_above_bins";

// What a document of the targets role says of its version; 0 where it says none.
int64_t VersionOf(ByteView document) {
  const auto envelope = trust::ParseEnvelope(document);
  return envelope.ok() ? GetIntOr(envelope->signed_part, "version", 0).value_or(0) : 0;
}

Result<Bytes> DocumentOf(const Api& api, const std::string& path) {
  FERRY_ASSIGN_OR_RETURN(const Json answer, api.Get("/metadata/" + path));
  FERRY_ASSIGN_OR_RETURN(const std::string text, GetString(answer, "document"));
  return FromBase64(text).Context("document");
}

}  // namespace

Json BodyOf(const trust::TargetsDocuments& documents, bool all) {
  Json body = {{"keys", Json::array()}};
  if (documents.bins.empty()) {
    body["targets"] = ToBase64(documents.top);
    return body;
  }
  // A server that knows no bins misses "targets", where it would take the document for empty.
  body[kAboveBins] = ToBase64(documents.top);
  body["bins"] = Json::object();
  const int64_t version = VersionOf(documents.top);
  for (const auto& [name, document] : documents.bins)
    if (all || VersionOf(document) == version) body["bins"][name] = ToBase64(document);
  return body;
}

Result<Json> PostTargets(const Api& api, const Json& body) {
  auto answer = api.Post("/packages", body);
  const bool unread = answer.code() == Code::kMalformed && body.contains(kAboveBins) &&
                      answer.status().message().find("\"targets\"") != std::string::npos;
  if (!unread) return answer;
  return Status::Of(Code::kUnsupported,
                    "{} takes no targets in bins: it needs a newer ferry-server, or `ferry keys "
                    "bins --bits 0`",
                    api.url());
}

Result<trust::TargetsDocuments> TargetsOfServer(const Api& api,
                                                const trust::TargetsDocuments& held) {
  trust::TargetsDocuments out;
  FERRY_ASSIGN_OR_RETURN(out.top, DocumentOf(api, "targets"));
  FERRY_ASSIGN_OR_RETURN(const trust::Envelope envelope, trust::ParseEnvelope(out.top));
  FERRY_ASSIGN_OR_RETURN(const trust::Targets top, trust::TargetsFromJson(envelope.signed_part));
  for (const auto& [name, version] : trust::BinsOf(top)) {
    const auto have = held.bins.find(name);
    if (have != held.bins.end() && VersionOf(have->second) == version) {
      out.bins[name] = have->second;
      continue;
    }
    FERRY_ASSIGN_OR_RETURN(out.bins[name],
                           DocumentOf(api, fmt::format("{}?version={}", name, version)));
  }
  return out;
}

}  // namespace ferry::cli
