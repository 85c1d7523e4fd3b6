// Publishing a package: seal, make deltas, sign, and a publication that can be uploaded or written
// to a bundle.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "common/base/json.h"
#include "tools/ferry/publisher/directory.h"
#include "tools/ferry/remote/api.h"

namespace ferry::cli {

// A delta that saves less than this is not worth a second artefact.
inline constexpr int kMaxDeltaPercent = 70;

struct PublishRequest {
  std::string package;   // the .fpk file
  std::string scenario;  // of a package from git: its scenario may differ from that of before
  std::vector<std::string> bases;  // .fpk files of published versions
  // The same, but none of them is the way back by being the first one.
  std::vector<std::string> more_bases;
  std::vector<std::pair<std::string, std::string>> exclusive;  // name, file
  std::string fallback;     // a version, "none", or empty: the first base, else the newest version
  bool stage_only = false;  // other machines sign too: too few keys here are no error
};

// A sealed file that waits to be uploaded.
struct SealedFile {
  std::string path;  // in targets
  std::string file;  // on disk
  trust::TargetEntry entry;
};

// Everything of one publication; the sealed files lie in a folder that goes with it.
class Publication {
 public:
  Publication() = default;
  Publication(Publication&&) noexcept;
  Publication& operator=(Publication&&) noexcept;
  ~Publication();

  std::string name, version;
  std::vector<SealedFile> files;
  trust::TargetsDocuments targets;  // signed
  Json body;                        // of POST /api/v1/packages
  std::string folder;
};

// Seals and signs. kAlreadyExists for a version that was published with other content, kBadPackage,
// kNotFound (a base or fallback that was never published), kFailedPrecondition (keys).
Result<Publication> PreparePublication(const PublisherDirectory& directory,
                                       const PublishRequest& request, int64_t now_ms);

// Takes over the server's targets when they are newer than the folder's (a publication whose answer
// was lost, or another machine of the same publisher). kFailedPrecondition as CheckSamePublisher.
Status SyncTargets(const Api& api, PublisherDirectory& directory);

// Uploads files that the server lacks, then the signed metadata and wrapped keys.
Result<Json> Upload(const Api& api, const Publication& publication);

// What --json prints of a publication.
Json PublicationToJson(const Publication& publication);

}  // namespace ferry::cli
