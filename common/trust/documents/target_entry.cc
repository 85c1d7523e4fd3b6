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
  }
  return "full";
}

Result<ArtefactKind> KindFromName(std::string_view name) {
  for (const ArtefactKind kind :
       {ArtefactKind::kFull, ArtefactKind::kDelta, ArtefactKind::kExclusive}) {
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
  return out;
}

Hash EntryHash(const TargetEntry& entry) {
  return crypto::Sha256(AsBytes(WriteJson(TargetEntryToJson(entry))));
}

}  // namespace ferry::trust
