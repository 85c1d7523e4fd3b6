// Bringing a server what it lacks of what was published.
#include <algorithm>

#include "common/trust/builder.h"
#include "common/trust/envelope.h"
#include "common/trust/time.h"
#include "tools/ferry/progress.h"
#include "tools/ferry/publisher/documents.h"
#include "tools/ferry/publisher/kept.h"

namespace ferry::cli {
namespace {

constexpr int64_t kSignAnewMs = trust::kDayMs;  // of life left, and less

// The targets that a server has; version 0 when it has none. It need not be signed by the folder's
// root: it says what is there, nothing is trusted for it.
Result<trust::Targets> WhatIsThere(const Api& api, const PublisherDirectory& directory) {
  trust::Targets none;
  none.version = 0;
  const auto documents = TargetsOfServer(api, directory.documents());
  if (documents.code() == Code::kNotFound) return none;
  FERRY_TRY(documents);
  return trust::ReadTargets(*documents);
}

// Uploads what is missing of one entry and adds its key to `keys`.
Status BringEntry(const Api& api, const PublisherDirectory& directory, const std::string& path,
                  const trust::TargetEntry& entry, bool known, BroughtAgain& out, Json& keys) {
  const std::string at = "/content/" + ToHex(entry.sha256);
  const auto there = api.Get(at);
  if (!there.ok() && there.code() != Code::kNotFound) return there.status();
  if (there.ok() && known) return OkStatus();
  const std::optional<KeptArtefact> kept = FindPublished(directory.path(), path, entry);
  if (!kept) {
    out.absent.push_back(path);
    return OkStatus();
  }
  if (!there.ok()) {
    Progress progress("uploading " + path);
    FERRY_TRY(
        api.PutFile(at, kept->file, [&](uint64_t done, uint64_t all) { progress.Show(done, all); })
            .Context("uploading {}", path));
    out.content.push_back(path);
  }
  out.keys.push_back(path);
  keys.push_back(kept->key);
  return OkStatus();
}

}  // namespace

Result<BroughtAgain> PublishAgain(const Api& api, PublisherDirectory& directory, bool all,
                                  int64_t now_ms) {
  BroughtAgain out;
  if (directory.targets() == nullptr) return out;
  FERRY_ASSIGN_OR_RETURN(const trust::Targets there, WhatIsThere(api, directory));
  if (there.version > directory.targets()->version) return out;  // another machine's: see Sync
  Json keys = Json::array();
  for (const auto& [path, entry] : directory.targets()->entries) {
    const auto found = there.entries.find(path);
    const bool known = found != there.entries.end() && found->second == entry;
    if (known && !all) continue;
    FERRY_TRY(BringEntry(api, directory, path, entry, known, out, keys));
  }
  const bool newer = directory.targets()->version > there.version;
  if (!newer && keys.empty()) return out;
  trust::TargetsDocuments documents = directory.documents();
  // The last document may be signed by keys that a later root has replaced.
  const std::optional<trust::HashBins>& bins = directory.targets()->bins;
  const bool stale = directory.targets()->expires_ms <= now_ms + kSignAnewMs ||
                     (bins && bins->expires_ms <= now_ms + kSignAnewMs) ||
                     !trust::OpenTargets(directory.root(), documents).ok();
  if (newer && stale) {
    trust::Targets anew = *directory.targets();
    ++anew.version;
    anew.expires_ms = now_ms + kTargetsDays * trust::kDayMs;
    FERRY_ASSIGN_OR_RETURN(documents, directory.SignTargets(anew));
  }
  const Working working("the server checks what it gets again");
  Json body = BodyOf(documents, true);
  body["keys"] = std::move(keys);
  body["absent"] = out.absent;
  body["force"] = true;  // what is withdrawn stays so, whatever releases a restored server has
  FERRY_TRY(PostTargets(api, body));
  if (!(documents == directory.documents())) FERRY_TRY(directory.KeepTargets(documents));
  out.targets_version = directory.targets()->version;
  return out;
}

Json ToJson(const BroughtAgain& brought) {
  return {
      {"targets_version", brought.targets_version == 0 ? Json() : Json(brought.targets_version)},
      {"content", brought.content},
      {"keys", brought.keys},
      {"absent", brought.absent}};
}

std::string Describe(const BroughtAgain& brought, const std::string& server) {
  std::string text =
      brought.targets_version == 0
          ? fmt::format("{} has all that can be brought\n", server)
          : fmt::format("{} has targets version {} again: {} files, {} content keys brought\n",
                        server, brought.targets_version, brought.content.size(),
                        brought.keys.size());
  for (const std::string& path : brought.absent)
    text += fmt::format("  {}: neither the server nor this folder has it; nobody gets it again\n",
                        path);
  return text;
}

}  // namespace ferry::cli
