#include "tools/ferry/publisher/roots.h"

#include <algorithm>

#include "common/sys/clock.h"
#include "tools/ferry/publisher/kept.h"

namespace ferry::cli {
namespace {

// The server's root of the newest version that both have must be this publisher's, byte for byte:
// another publisher's root has version numbers, too.
Status CheckSameRoot(const Api& api, const PublisherDirectory& directory, int64_t there) {
  const int64_t version = std::min(there, directory.root().version);
  if (version == 0) return OkStatus();
  FERRY_ASSIGN_OR_RETURN(const Json answer,
                         api.Get(fmt::format("/metadata/root?version={}", version)));
  FERRY_ASSIGN_OR_RETURN(const std::string text, GetString(answer, "document"));
  FERRY_ASSIGN_OR_RETURN(const Bytes theirs, FromBase64(text).Context("document"));
  FERRY_ASSIGN_OR_RETURN(const Bytes ours, directory.RootVersion(version));
  if (theirs == ours) return OkStatus();
  return Status::Of(Code::kFailedPrecondition,
                    "{} has another publisher's root version {}: SHA-256 {}, here {}", api.url(),
                    version, crypto::Sha256Hex(theirs), crypto::Sha256Hex(ours));
}

// 0 when the server has none.
Result<int64_t> VersionOf(const Api& api, const std::string& role) {
  const auto answer = api.Get("/metadata/" + role);
  if (answer.code() == Code::kNotFound) return 0;
  FERRY_TRY(answer);
  return GetInt(*answer, "version");
}

}  // namespace

Result<Uploaded> UploadRoots(const Api& api, PublisherDirectory& directory) {
  FERRY_ASSIGN_OR_RETURN(const int64_t there, VersionOf(api, "root"));
  FERRY_TRY(CheckSameRoot(api, directory, there));
  const int64_t newest = directory.root().version;
  Json before = Json::array();
  for (int64_t version = there + 1; version < newest; ++version) {
    FERRY_ASSIGN_OR_RETURN(const Bytes document, directory.RootVersion(version));
    before.push_back(ToBase64(document));
  }
  if (there < newest) {
    Json body = {{"document", ToBase64(directory.root_document())}};
    if (!before.empty()) body["before"] = std::move(before);
    FERRY_TRY(api.Put("/metadata/root", body).Context("root version {}", newest));
  }
  Uploaded out;
  out.roots = std::max<int64_t>(0, newest - there);
  if (directory.targets() == nullptr || there == 0) return out;
  FERRY_ASSIGN_OR_RETURN(const int64_t targets, VersionOf(api, "targets"));
  if (targets == 0 || targets >= directory.targets()->version) return out;
  FERRY_TRY(AsStatus(PublishAgain(api, directory, false, sys::SystemClock().NowUnixMs())));
  out.targets = true;
  return out;
}

}  // namespace ferry::cli
