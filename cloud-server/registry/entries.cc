#include "cloud-server/registry/entries.h"

#include "common/base/json.h"

namespace ferry::server {

std::string_view KindText(trust::ArtefactKind kind) {
  switch (kind) {
    case trust::ArtefactKind::kFull:
      return "full";
    case trust::ArtefactKind::kDelta:
      return "delta";
    case trust::ArtefactKind::kExclusive:
      return "exclusive";
  }
  return "full";
}

ArtefactRow ArtefactOf(const std::string& path, const trust::TargetEntry& entry) {
  ArtefactRow row;
  row.path = path;
  row.package = entry.package;
  row.version = entry.version;
  row.kind = KindText(entry.kind);
  row.sha256 = ToHex(entry.sha256);
  row.length = entry.length;
  row.base_version = entry.base_version.value_or("");
  row.entry_json = WriteJson(trust::TargetEntryToJson(entry));
  return row;
}

PackageRow PackageOf(const trust::TargetEntry& full, int64_t now_ms) {
  PackageRow row;
  row.name = full.package;
  row.version = full.version;
  row.release_counter = full.release_counter;
  row.plain_sha256 = ToHex(full.plain_sha256);
  row.plain_length = full.plain_length;
  row.fallback_version = full.fallback ? full.fallback->version : "";
  row.published_ms = now_ms;
  return row;
}

Result<trust::TargetEntry> EntryOf(const ArtefactRow& artefact) {
  FERRY_ASSIGN_OR_RETURN(Json json, ParseJson(artefact.entry_json).Context("{}", artefact.path));
  return trust::TargetEntryFromJson(json).Context("{}", artefact.path);
}

namespace {

// Every artefact belongs to a full package of its version, and a fallback is an older one.
Status CheckNewEntry(const trust::Targets& next, const std::string& path,
                     const trust::TargetEntry& entry) {
  auto full = next.entries.find(trust::FullPath(entry.package, entry.version));
  if (full == next.entries.end())
    return Status::Of(Code::kInvalidArgument, "{}: {} {} has no full artefact", path, entry.package,
                      entry.version);
  if (full->second.release_counter != entry.release_counter)
    return Status::Of(Code::kInvalidArgument, "{}: release counter {}, its full artefact has {}",
                      path, entry.release_counter, full->second.release_counter);
  if (!entry.fallback) return OkStatus();
  auto fallback = next.entries.find(trust::FullPath(entry.package, entry.fallback->version));
  if (fallback == next.entries.end() ||
      fallback->second.plain_sha256 != entry.fallback->plain_sha256)
    return Status::Of(Code::kInvalidArgument, "{}: its fallback {} is not among the targets", path,
                      entry.fallback->version);
  if (fallback->second.release_counter >= entry.release_counter)
    return Status::Of(Code::kInvalidArgument, "{}: its fallback {} is not older", path,
                      entry.fallback->version);
  return OkStatus();
}

int64_t HighestCounter(const trust::Targets* before, const std::string& package) {
  int64_t highest = 0;
  if (before == nullptr) return 0;
  for (const auto& [path, entry] : before->entries)
    if (entry.package == package) highest = std::max(highest, entry.release_counter);
  return highest;
}

}  // namespace

Status CheckSuccession(const trust::Targets* before, const trust::Targets& next) {
  if (before != nullptr) {
    for (const auto& [path, entry] : before->entries) {
      auto found = next.entries.find(path);
      if (found == next.entries.end())
        return Status::Of(Code::kInvalidArgument, "{}: was published before and is gone", path);
      if (!(found->second == entry))
        return Status::Of(Code::kInvalidArgument,
                          "{}: was published before with other content; make a new version", path);
    }
  }
  for (const auto& [path, entry] : next.entries) {
    if (before != nullptr && before->entries.contains(path)) continue;
    FERRY_TRY(CheckNewEntry(next, path, entry));
    const int64_t highest = HighestCounter(before, entry.package);
    if (entry.kind == trust::ArtefactKind::kFull && entry.release_counter <= highest)
      return Status::Of(Code::kVersionRollback,
                        "{}: release counter {} is not above {}, the highest of {}", path,
                        entry.release_counter, highest, entry.package);
  }
  return OkStatus();
}

}  // namespace ferry::server
