#include "common/trust/targets.h"

#include "common/base/json.h"
#include "common/trust/documents/header.h"

namespace ferry::trust {

std::string FullPath(std::string_view package, std::string_view version) {
  return fmt::format("{}/{}/full", package, version);
}

std::string DeltaPath(std::string_view package, std::string_view version, std::string_view base) {
  return fmt::format("{}/{}/delta-from-{}", package, version, base);
}

std::string MadeDeltaPath(std::string_view package, std::string_view version,
                          std::string_view base) {
  return fmt::format("{}/{}/made-delta-from-{}", package, version, base);
}

std::string ExclusivePath(std::string_view package, std::string_view version,
                          std::string_view name) {
  return fmt::format("{}/{}/exclusive/{}", package, version, name);
}

bool IsName(std::string_view text) {
  if (text.empty() || text.size() > kMaxNameBytes || text.front() == '.') return false;
  for (const char c : text) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (!letter && c != '.' && c != '_' && c != '+' && c != '-') return false;
  }
  return true;
}

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

Json TargetsToJson(const Targets& targets) {
  Json out = HeaderToJson("targets", {targets.version, targets.expires_ms});
  Json entries = Json::object();
  for (const auto& [path, entry] : targets.entries) entries[path] = TargetEntryToJson(entry);
  out["targets"] = std::move(entries);
  if (!targets.withdrawn.empty()) out["ferry"] = WithdrawalsToJson(targets.withdrawn);
  if (targets.personal) out["delegations"] = PersonalDelegationToJson(*targets.personal);
  return out;
}

Result<Targets> TargetsFromJson(const Json& signed_part) {
  FERRY_ASSIGN_OR_RETURN(const Header header, HeaderFromJson(signed_part, "targets"));
  FERRY_ASSIGN_OR_RETURN(const Json* entries, GetObject(signed_part, "targets"));
  if (entries->size() > kMaxTargets) {
    return Status::Of(Code::kLimitExceeded, "{} targets, at most {}", entries->size(), kMaxTargets);
  }
  Targets out;
  out.version = header.version;
  out.expires_ms = header.expires_ms;
  for (const auto& [path, value] : entries->items()) {
    FERRY_ASSIGN_OR_RETURN(TargetEntry entry,
                           TargetEntryFromJson(value).Context("target \"{:.200}\"", path));
    if (!PathFits(path, entry)) {
      return Status::Of(Code::kMalformed,
                        "target \"{:.200}\" does not fit its package \"{}\" version \"{}\"", path,
                        entry.package, entry.version);
    }
    out.entries.emplace(path, std::move(entry));
  }
  FERRY_ASSIGN_OR_RETURN(const Json* ferry, GetObjectOrNull(signed_part, "ferry"));
  if (ferry != nullptr) {
    FERRY_ASSIGN_OR_RETURN(out.withdrawn, WithdrawalsFromJson(*ferry));
  }
  FERRY_ASSIGN_OR_RETURN(const Json* delegations, GetObjectOrNull(signed_part, "delegations"));
  if (delegations != nullptr) {
    FERRY_ASSIGN_OR_RETURN(out.personal, PersonalDelegationFromJson(*delegations));
  }
  return out;
}

}  // namespace ferry::trust
