#include "common/base/json.h"
#include "common/trust/documents/header.h"
#include "common/trust/targets.h"

namespace ferry::trust {
namespace {

std::string_view KindName(ArtefactKind kind) {
  switch (kind) {
    case ArtefactKind::kFull:
      return "full";
    case ArtefactKind::kDelta:
      return "delta";
    case ArtefactKind::kExclusive:
      return "exclusive";
    case ArtefactKind::kPersonal:
      return "personal";
  }
  return "full";
}

Result<ArtefactKind> KindFromName(std::string_view name) {
  for (const ArtefactKind kind : {ArtefactKind::kFull, ArtefactKind::kDelta,
                                  ArtefactKind::kExclusive, ArtefactKind::kPersonal}) {
    if (KindName(kind) == name) return kind;
  }
  return Status::Of(Code::kMalformed, "field \"kind\" is \"{:.40}\"", name);
}

Result<std::string> GetName(const Json& object, std::string_view key) {
  FERRY_ASSIGN_OR_RETURN(std::string name, GetString(object, key));
  if (!IsName(name)) {
    return Status::Of(Code::kMalformed, "field \"{}\" is \"{:.200}\", which is no name", key, name);
  }
  return name;
}

Result<uint64_t> GetSize(const Json& object, std::string_view key) {
  FERRY_ASSIGN_OR_RETURN(const int64_t size,
                         GetIntIn(object, key, 0, static_cast<int64_t>(kMaxArtefactBytes)));
  return static_cast<uint64_t>(size);
}

Status ReadDelta(const Json& custom, TargetEntry& entry) {
  FERRY_ASSIGN_OR_RETURN(entry.base_version, GetName(custom, "base_version"));
  FERRY_ASSIGN_OR_RETURN(entry.base_sha256, GetHash32(custom, "base_sha256"));
  return OkStatus();
}

Status ReadFallback(const Json& custom, TargetEntry& entry) {
  FERRY_ASSIGN_OR_RETURN(const Json* object, GetObjectOrNull(custom, "fallback"));
  if (object == nullptr) return OkStatus();
  Fallback fallback;
  FERRY_ASSIGN_OR_RETURN(fallback.version, GetName(*object, "version"));
  FERRY_ASSIGN_OR_RETURN(fallback.plain_sha256, GetHash32(*object, "plain_sha256"));
  entry.fallback = std::move(fallback);
  return OkStatus();
}

// A text of the package; present and empty would not come out again as it was signed.
Status ReadSaying(const Json& custom, std::string_view key, size_t most, std::string& out) {
  if (!custom.contains(key)) return OkStatus();
  FERRY_ASSIGN_OR_RETURN(out, GetString(custom, key));
  if (!out.empty() && out.size() <= most) return OkStatus();
  return Status::Of(Code::kMalformed, "field \"{}\" has {} bytes, not 1 to {}", key, out.size(),
                    most);
}

Status ReadSayings(const Json& custom, TargetEntry& entry) {
  FERRY_ASSIGN_OR_RETURN(const Json* needs, GetObjectOrNull(custom, "requires"));
  if (needs != nullptr) entry.requires_json = WriteJson(*needs);
  if (entry.requires_json.size() > kMaxRequiresBytes) {
    return Status::Of(Code::kMalformed, "field \"requires\" has {} bytes, at most {}",
                      entry.requires_json.size(), kMaxRequiresBytes);
  }
  FERRY_TRY(ReadSaying(custom, "licence", kMaxLicenceBytes, entry.licence));
  FERRY_TRY(ReadSaying(custom, "description", kMaxDescriptionBytes, entry.description));
  FERRY_ASSIGN_OR_RETURN(const Json* git, GetObjectOrNull(custom, "git"));
  if (git == nullptr) return OkStatus();
  FERRY_ASSIGN_OR_RETURN(entry.git, GitOriginFromJson(*git).Context("field \"git\""));
  return OkStatus();
}

}  // namespace

Json TargetEntryToJson(const TargetEntry& entry) {
  Json custom = {{"package", entry.package},
                 {"version", entry.version},
                 {"kind", KindName(entry.kind)},
                 {"release_counter", entry.release_counter},
                 {"plain_sha256", ToHex(entry.plain_sha256)},
                 {"plain_length", entry.plain_length}};
  if (entry.base_version) custom["base_version"] = *entry.base_version;
  if (entry.base_sha256) custom["base_sha256"] = ToHex(*entry.base_sha256);
  if (entry.fallback) {
    custom["fallback"] = {{"version", entry.fallback->version},
                          {"plain_sha256", ToHex(entry.fallback->plain_sha256)}};
  }
  if (!entry.requires_json.empty()) {
    auto needs = ParseJson(entry.requires_json);
    custom["requires"] = needs.ok() ? *std::move(needs) : Json::object();
  }
  if (!entry.licence.empty()) custom["licence"] = entry.licence;
  if (!entry.description.empty()) custom["description"] = entry.description;
  if (entry.git) custom["git"] = GitOriginToJson(*entry.git);
  return {{"length", entry.length},
          {"hashes", {{"sha256", ToHex(entry.sha256)}}},
          {"custom", std::move(custom)}};
}

Result<TargetEntry> TargetEntryFromJson(const Json& object) {
  TargetEntry out;
  FERRY_ASSIGN_OR_RETURN(out.length, GetSize(object, "length"));
  FERRY_ASSIGN_OR_RETURN(const Json* hashes, GetObject(object, "hashes"));
  FERRY_ASSIGN_OR_RETURN(out.sha256, GetHash32(*hashes, "sha256"));
  FERRY_ASSIGN_OR_RETURN(const Json* custom, GetObject(object, "custom"));
  FERRY_ASSIGN_OR_RETURN(out.package, GetName(*custom, "package"));
  FERRY_ASSIGN_OR_RETURN(out.version, GetName(*custom, "version"));
  FERRY_ASSIGN_OR_RETURN(const std::string kind, GetString(*custom, "kind"));
  FERRY_ASSIGN_OR_RETURN(out.kind, KindFromName(kind));
  FERRY_ASSIGN_OR_RETURN(out.release_counter, GetIntIn(*custom, "release_counter", 1, kMaxVersion));
  FERRY_ASSIGN_OR_RETURN(out.plain_sha256, GetHash32(*custom, "plain_sha256"));
  FERRY_ASSIGN_OR_RETURN(out.plain_length, GetSize(*custom, "plain_length"));
  if (out.kind == ArtefactKind::kDelta) FERRY_TRY(ReadDelta(*custom, out));
  FERRY_TRY(ReadFallback(*custom, out).Context("field \"fallback\""));
  if (out.kind == ArtefactKind::kFull) FERRY_TRY(ReadSayings(*custom, out));
  return out;
}

Hash EntryHash(const TargetEntry& entry) {
  Json json = TargetEntryToJson(entry);
  for (const char* saying : {"requires", "licence", "description", "git"})
    json["custom"].erase(saying);
  return crypto::Sha256(AsBytes(WriteJson(json)));
}

}  // namespace ferry::trust
