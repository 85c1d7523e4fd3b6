#include "common/trust/snapshot.h"

#include "common/base/json.h"
#include "common/trust/documents/header.h"
#include "common/trust/envelope.h"

namespace ferry::trust {
Json MetaToJson(const MetaFile& meta) {
  return {{"version", meta.version},
          {"length", meta.length},
          {"hashes", {{"sha256", ToHex(meta.sha256)}}}};
}

// Length and hash, optional in TUF, are required here: they bind what the role above really saw.
Result<MetaFile> MetaFromJson(const Json& object) {
  MetaFile out;
  FERRY_ASSIGN_OR_RETURN(out.version, GetIntIn(object, "version", 1, kMaxVersion));
  FERRY_ASSIGN_OR_RETURN(const int64_t length,
                         GetIntIn(object, "length", 1, static_cast<int64_t>(kMaxMetadataBytes)));
  out.length = static_cast<uint64_t>(length);
  FERRY_ASSIGN_OR_RETURN(const Json* hashes, GetObject(object, "hashes"));
  FERRY_ASSIGN_OR_RETURN(out.sha256, GetHash32(*hashes, "sha256"));
  return out;
}

MetaFile MetaOf(ByteView document, int64_t version) {
  return {version, document.size(), crypto::Sha256(document)};
}

Json SnapshotToJson(const Snapshot& snapshot) {
  Json out = HeaderToJson("snapshot", {snapshot.version, snapshot.expires_ms});
  Json files = Json::object();
  for (const auto& [name, meta] : snapshot.files) files[name] = MetaToJson(meta);
  out["meta"] = std::move(files);
  return out;
}

Result<Snapshot> SnapshotFromJson(const Json& signed_part) {
  FERRY_ASSIGN_OR_RETURN(const Header header, HeaderFromJson(signed_part, "snapshot"));
  FERRY_ASSIGN_OR_RETURN(const Json* files, GetObject(signed_part, "meta"));
  if (files->size() > kMaxSnapshotFiles) {
    return Status::Of(Code::kLimitExceeded, "{} files, at most {}", files->size(),
                      kMaxSnapshotFiles);
  }
  Snapshot out;
  out.version = header.version;
  out.expires_ms = header.expires_ms;
  for (const auto& [name, value] : files->items()) {
    FERRY_ASSIGN_OR_RETURN(const MetaFile meta, MetaFromJson(value).Context("\"{:.200}\"", name));
    out.files.emplace(name, meta);
  }
  if (!out.files.contains("targets.json")) {
    return Status(Code::kMalformed, "\"meta\" does not name \"targets.json\"");
  }
  return out;
}

Json TimestampToJson(const Timestamp& timestamp) {
  Json out = HeaderToJson("timestamp", {timestamp.version, timestamp.expires_ms});
  out["meta"] = {{"snapshot.json", MetaToJson(timestamp.snapshot)}};
  return out;
}

Result<Timestamp> TimestampFromJson(const Json& signed_part) {
  FERRY_ASSIGN_OR_RETURN(const Header header, HeaderFromJson(signed_part, "timestamp"));
  FERRY_ASSIGN_OR_RETURN(const Json* files, GetObject(signed_part, "meta"));
  FERRY_ASSIGN_OR_RETURN(const Json* snapshot, GetObject(*files, "snapshot.json"));
  Timestamp out;
  out.version = header.version;
  out.expires_ms = header.expires_ms;
  FERRY_ASSIGN_OR_RETURN(out.snapshot, MetaFromJson(*snapshot).Context("\"snapshot.json\""));
  if (out.snapshot.length > kMaxSnapshotBytes) {
    return Status::Of(Code::kLimitExceeded, "\"snapshot.json\" of {} bytes, at most {}",
                      out.snapshot.length, kMaxSnapshotBytes);
  }
  return out;
}

}  // namespace ferry::trust
