#include "common/trust/tuf/documents.h"

#include <set>

namespace ferry::tuf {
namespace {

Result<MetaFile> MetaFromJson(const Json& object) {
  MetaFile out;
  FERRY_ASSIGN_OR_RETURN(out.version, GetInt(object, "version"));
  if (out.version < 1) return Status::Of(Code::kMalformed, "version {}", out.version);
  if (object.contains("length")) {
    FERRY_ASSIGN_OR_RETURN(const int64_t length, GetInt(object, "length"));
    if (length < 1) return Status::Of(Code::kMalformed, "length {}", length);
    out.length = static_cast<uint64_t>(length);
  }
  FERRY_ASSIGN_OR_RETURN(const Json* hashes, GetObjectOrNull(object, "hashes"));
  if (hashes != nullptr) {
    FERRY_ASSIGN_OR_RETURN(out.hashes, HashesFromJson(*hashes));
  }
  return out;
}

Result<TargetFile> TargetFromJson(const Json& object) {
  TargetFile out;
  FERRY_ASSIGN_OR_RETURN(const int64_t length, GetInt(object, "length"));
  if (length < 0 || length > kMaxTargetBytes) {
    return Status::Of(Code::kMalformed, "length {}", length);
  }
  out.length = static_cast<uint64_t>(length);
  FERRY_ASSIGN_OR_RETURN(const Json* hashes, GetObject(object, "hashes"));
  FERRY_ASSIGN_OR_RETURN(out.hashes, HashesFromJson(*hashes));
  return out;
}

// A delegated role that had the name of a role of root would stand in its place in the files.
Status CheckRoleName(std::string_view name) {
  const bool taken =
      name == "root" || name == "timestamp" || name == "snapshot" || name == "targets";
  if (!name.empty() && name.size() <= kMaxRoleNameBytes && !taken) return OkStatus();
  return Status::Of(Code::kMalformed, "\"{:.100}\" is no name for a delegated role", name);
}

Status CheckTexts(const std::vector<std::string>& texts, std::string_view what) {
  if (texts.size() > kMaxPatterns) {
    return Status::Of(Code::kLimitExceeded, "{} {}, at most {}", texts.size(), what, kMaxPatterns);
  }
  for (const std::string& text : texts) {
    if (text.size() > kMaxPatternBytes) {
      return Status::Of(Code::kLimitExceeded, "one of {} has {} bytes, at most {}", what,
                        text.size(), kMaxPatternBytes);
    }
  }
  return OkStatus();
}

Result<Delegation> DelegationFromJson(const Json& object) {
  Delegation out;
  FERRY_ASSIGN_OR_RETURN(out.name, GetString(object, "name"));
  FERRY_TRY(CheckRoleName(out.name));
  FERRY_ASSIGN_OR_RETURN(out.role, RoleFromJson(object));
  FERRY_ASSIGN_OR_RETURN(out.terminating, GetBool(object, "terminating"));
  const bool patterns = object.contains("paths"), hashes = object.contains("path_hash_prefixes");
  if (patterns == hashes) {
    return Status(Code::kMalformed, "wanted one of \"paths\" and \"path_hash_prefixes\"");
  }
  if (patterns) {
    FERRY_ASSIGN_OR_RETURN(out.patterns, GetStrings(object, "paths"));
  } else {
    FERRY_ASSIGN_OR_RETURN(out.hash_prefixes, GetStrings(object, "path_hash_prefixes"));
  }
  FERRY_TRY(CheckTexts(out.patterns, "paths"));
  FERRY_TRY(CheckTexts(out.hash_prefixes, "path_hash_prefixes"));
  return out;
}

Result<HashBins> BinsFromJson(const Json& object) {
  HashBins out;
  FERRY_ASSIGN_OR_RETURN(out.role, RoleFromJson(object));
  FERRY_ASSIGN_OR_RETURN(const int64_t bits, GetInt(object, "bit_length"));
  if (bits < 1 || bits > 32) return Status::Of(Code::kMalformed, "bit_length {}", bits);
  out.bit_length = static_cast<int>(bits);
  FERRY_ASSIGN_OR_RETURN(out.name_prefix, GetString(object, "name_prefix"));
  FERRY_TRY(CheckRoleName(out.name_prefix + "-00000000"));
  return out;
}

Status ReadDelegations(const Json& object, Targets& out) {
  FERRY_ASSIGN_OR_RETURN(const Json* keys, GetObject(object, "keys"));
  FERRY_ASSIGN_OR_RETURN(out.keys, KeysFromJson(*keys));
  const bool roles = object.contains("roles"), bins = object.contains("succinct_roles");
  if (roles == bins) {
    return Status(Code::kMalformed, "wanted one of \"roles\" and \"succinct_roles\"");
  }
  if (bins) {
    FERRY_ASSIGN_OR_RETURN(const Json* succinct, GetObject(object, "succinct_roles"));
    FERRY_ASSIGN_OR_RETURN(out.bins, BinsFromJson(*succinct));
    return OkStatus();
  }
  FERRY_ASSIGN_OR_RETURN(const Json* list, GetArray(object, "roles"));
  if (list->size() > kMaxDelegations) {
    return Status::Of(Code::kLimitExceeded, "{} delegations, at most {}", list->size(),
                      kMaxDelegations);
  }
  std::set<std::string> names;
  for (const Json& item : *list) {
    FERRY_ASSIGN_OR_RETURN(Delegation delegation, DelegationFromJson(item));
    if (!names.insert(delegation.name).second) {
      return Status::Of(Code::kMalformed, "two delegations \"{}\"", delegation.name);
    }
    out.delegations.push_back(std::move(delegation));
  }
  return OkStatus();
}

}  // namespace

Result<Root> RootFromJson(const Json& part) {
  Root out;
  FERRY_ASSIGN_OR_RETURN(out.header, ReadHeader(part, "root"));
  FERRY_ASSIGN_OR_RETURN(out.consistent_snapshot, GetBoolOr(part, "consistent_snapshot", false));
  FERRY_ASSIGN_OR_RETURN(const Json* keys, GetObject(part, "keys"));
  FERRY_ASSIGN_OR_RETURN(out.keys, KeysFromJson(*keys));
  FERRY_ASSIGN_OR_RETURN(const Json* roles, GetObject(part, "roles"));
  const std::pair<const char*, Role*> wanted[] = {{"root", &out.root},
                                                  {"timestamp", &out.timestamp},
                                                  {"snapshot", &out.snapshot},
                                                  {"targets", &out.targets}};
  for (const auto& [name, role] : wanted) {
    FERRY_ASSIGN_OR_RETURN(const Json* object, GetObject(*roles, name));
    FERRY_ASSIGN_OR_RETURN(*role, RoleFromJson(*object).Context("role \"{}\"", name));
  }
  return out;
}

Result<Timestamp> TimestampFromJson(const Json& part) {
  Timestamp out;
  FERRY_ASSIGN_OR_RETURN(out.header, ReadHeader(part, "timestamp"));
  FERRY_ASSIGN_OR_RETURN(const Json* files, GetObject(part, "meta"));
  FERRY_ASSIGN_OR_RETURN(const Json* snapshot, GetObject(*files, "snapshot.json"));
  FERRY_ASSIGN_OR_RETURN(out.snapshot, MetaFromJson(*snapshot).Context("\"snapshot.json\""));
  return out;
}

Result<Snapshot> SnapshotFromJson(const Json& part) {
  Snapshot out;
  FERRY_ASSIGN_OR_RETURN(out.header, ReadHeader(part, "snapshot"));
  FERRY_ASSIGN_OR_RETURN(const Json* files, GetObject(part, "meta"));
  if (files->size() > kMaxSnapshotFiles) {
    return Status::Of(Code::kLimitExceeded, "{} files, at most {}", files->size(),
                      kMaxSnapshotFiles);
  }
  for (const auto& [name, value] : files->items()) {
    FERRY_ASSIGN_OR_RETURN(MetaFile meta, MetaFromJson(value).Context("\"{:.200}\"", name));
    out.files.emplace(name, std::move(meta));
  }
  return out;
}

Result<Targets> TargetsFromJson(const Json& part) {
  Targets out;
  FERRY_ASSIGN_OR_RETURN(out.header, ReadHeader(part, "targets"));
  FERRY_ASSIGN_OR_RETURN(const Json* files, GetObject(part, "targets"));
  if (files->size() > kMaxTargets) {
    return Status::Of(Code::kLimitExceeded, "{} targets, at most {}", files->size(), kMaxTargets);
  }
  for (const auto& [path, value] : files->items()) {
    FERRY_ASSIGN_OR_RETURN(TargetFile file, TargetFromJson(value).Context("\"{:.200}\"", path));
    out.targets.emplace(path, std::move(file));
  }
  FERRY_ASSIGN_OR_RETURN(const Json* delegations, GetObjectOrNull(part, "delegations"));
  if (delegations != nullptr) FERRY_TRY(ReadDelegations(*delegations, out).Context("delegations"));
  return out;
}

}  // namespace ferry::tuf
