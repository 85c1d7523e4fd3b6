// What a publisher keeps of its publications, so that a server that was restored from a backup gets
// again what it lost: below its folder
//
//   published/<sha256>        a sealed artefact, as it was uploaded
//   published/<sha256>.json   {"path","enc","sealed"}: its content key, wrapped to the escrow key
#pragma once

#include <optional>

#include "tools/ferry/publisher/publish.h"

namespace ferry::cli {

// Moves the sealed files of `publication` there, where it then names them.
Status KeepPublished(const std::string& folder, Publication& publication);
// Removes what the targets of `folder` do not name: of attempts that came to nothing.
Status SweepPublished(const PublisherDirectory& folder);

struct KeptArtefact {
  std::string file;
  Json key;  // as in POST /api/v1/packages
};
// What is kept of a signed entry; nothing when it was published elsewhere, or is damaged.
std::optional<KeptArtefact> FindPublished(const std::string& folder, const std::string& path,
                                          const trust::TargetEntry& entry);

// Gives the server what it lacks of what was published: content, content keys, and targets when
// those of the folder are newer (signed anew when they have expired). `all`: looks also after the
// content of what the server names itself.
struct BroughtAgain {
  int64_t targets_version = 0;       // 0: the server has the folder's
  std::vector<std::string> content;  // paths whose content was uploaded
  std::vector<std::string> keys;     // paths whose content key was sent
  std::vector<std::string> absent;   // paths that neither has: they stay signed, nobody gets them
};
Result<BroughtAgain> PublishAgain(const Api& api, PublisherDirectory& directory, bool all,
                                  int64_t now_ms);
Json ToJson(const BroughtAgain& brought);
std::string Describe(const BroughtAgain& brought, const std::string& server);

}  // namespace ferry::cli
