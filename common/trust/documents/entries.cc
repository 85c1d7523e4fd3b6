#include "common/trust/documents/entries.h"

#include "common/base/json.h"

namespace ferry::trust {
namespace {

// Whether `path` is the one that the entry's own members give.
bool PathFits(std::string_view path, const TargetEntry& entry) {
  switch (entry.kind) {
    case ArtefactKind::kFull:
      return path == FullPath(entry.package, entry.version);
    case ArtefactKind::kDelta:
      return path == DeltaPath(entry.package, entry.version, entry.base_version.value_or(""));
    case ArtefactKind::kExclusive: {
      const std::string prefix = ExclusivePath(entry.package, entry.version, "");
      return path.starts_with(prefix) && IsName(path.substr(prefix.size()));
    }
    case ArtefactKind::kPersonal:
      return false;  // offline keys sign none
  }
  return false;
}

}  // namespace

Json EntriesToJson(const TargetMap& entries) {
  Json out = Json::object();
  for (const auto& [path, entry] : entries) out[path] = TargetEntryToJson(entry);
  return out;
}

Result<TargetMap> EntriesFromJson(const Json& signed_part) {
  FERRY_ASSIGN_OR_RETURN(const Json* entries, GetObject(signed_part, "targets"));
  if (entries->size() > kMaxTargets) {
    return Status::Of(Code::kLimitExceeded, "{} targets, at most {}", entries->size(), kMaxTargets);
  }
  TargetMap out;
  for (const auto& [path, value] : entries->items()) {
    FERRY_ASSIGN_OR_RETURN(TargetEntry entry,
                           TargetEntryFromJson(value).Context("target \"{:.200}\"", path));
    if (!PathFits(path, entry)) {
      return Status::Of(Code::kMalformed,
                        "target \"{:.200}\" does not fit its package \"{}\" version \"{}\"", path,
                        entry.package, entry.version);
    }
    out.emplace(path, std::move(entry));
  }
  return out;
}

}  // namespace ferry::trust
