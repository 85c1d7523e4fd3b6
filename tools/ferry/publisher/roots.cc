#include "tools/ferry/publisher/roots.h"

#include <algorithm>

#include "common/sys/clock.h"
#include "common/trust/envelope.h"
#include "tools/ferry/publisher/kept.h"

namespace ferry::cli {
namespace {

Result<Bytes> DocumentIn(const Json& answer) {
  FERRY_ASSIGN_OR_RETURN(const std::string text, GetString(answer, "document"));
  return FromBase64(text).Context("document");
}

struct Held {
  int64_t version = 0;  // 0 when the server has none
  Bytes document;
};

Result<Held> HeldBy(const Api& api, const std::string& role) {
  const auto answer = api.Get("/metadata/" + role);
  if (answer.code() == Code::kNotFound) return Held{};
  FERRY_TRY(answer);
  Held held;
  FERRY_ASSIGN_OR_RETURN(held.version, GetInt(*answer, "version"));
  FERRY_ASSIGN_OR_RETURN(held.document, DocumentIn(*answer));
  return held;
}

// The root of the newest version that both have must be this publisher's, byte for byte: another
// publisher's root has version numbers, too.
Status CheckSameRoot(const Api& api, const PublisherDirectory& directory, const Held& there) {
  const int64_t version = std::min(there.version, directory.root().version);
  if (version == 0) return OkStatus();
  Bytes theirs = there.document;
  if (version != there.version) {
    FERRY_ASSIGN_OR_RETURN(const Json answer,
                           api.Get(fmt::format("/metadata/root?version={}", version)));
    FERRY_ASSIGN_OR_RETURN(theirs, DocumentIn(answer));
  }
  FERRY_ASSIGN_OR_RETURN(const Bytes ours, directory.RootVersion(version));
  if (theirs == ours) return OkStatus();
  return Status::Of(Code::kFailedPrecondition,
                    "{} is another publisher's folder: {} has root version {} of SHA-256 {}, the "
                    "folder one of {}; take the folder whose root the server has, or another "
                    "server",
                    directory.path(), api.url(), version, crypto::Sha256Hex(theirs),
                    crypto::Sha256Hex(ours));
}

// Equal versions must be equal in what they say: two machines of one publisher may both have signed
// the next version. Who signed it may differ.
Status CheckSameTargets(const Api& api, const PublisherDirectory& directory, const Held& there) {
  const Bytes& ours = directory.documents().top;
  if (there.version != directory.targets()->version || there.document == ours) return OkStatus();
  FERRY_ASSIGN_OR_RETURN(const trust::Envelope held, trust::ParseEnvelope(there.document));
  FERRY_ASSIGN_OR_RETURN(const trust::Envelope here, trust::ParseEnvelope(ours));
  if (held.signed_part == here.signed_part) return OkStatus();
  return Status::Of(Code::kFailedPrecondition,
                    "{} has other targets of version {} than {}: SHA-256 {}, here {}; another "
                    "machine of this publisher signed them: copy its targets.json here",
                    api.url(), there.version, directory.path(), crypto::Sha256Hex(there.document),
                    crypto::Sha256Hex(ours));
}

}  // namespace

Status CheckSamePublisher(const Api& api, const PublisherDirectory& directory) {
  FERRY_ASSIGN_OR_RETURN(const Held root, HeldBy(api, "root"));
  return CheckSameRoot(api, directory, root);
}

Result<Uploaded> UploadRoots(const Api& api, PublisherDirectory& directory) {
  FERRY_ASSIGN_OR_RETURN(const Held root, HeldBy(api, "root"));
  FERRY_TRY(CheckSameRoot(api, directory, root));
  const int64_t there = root.version;
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
  FERRY_ASSIGN_OR_RETURN(const Held targets, HeldBy(api, "targets"));
  FERRY_TRY(CheckSameTargets(api, directory, targets));
  if (targets.version == 0 || targets.version >= directory.targets()->version) return out;
  FERRY_TRY(AsStatus(PublishAgain(api, directory, false, sys::SystemClock().NowUnixMs())));
  out.targets = true;
  return out;
}

}  // namespace ferry::cli
