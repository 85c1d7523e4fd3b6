#include "cloud-server/registry/entries.h"

#include "common/base/json.h"
#include "policy/requires/requires.h"

namespace ferry::server {

std::string_view KindText(trust::ArtefactKind kind) {
  switch (kind) {
    case trust::ArtefactKind::kFull:
      return "full";
    case trust::ArtefactKind::kDelta:
      return "delta";
    case trust::ArtefactKind::kExclusive:
      return "exclusive";
    case trust::ArtefactKind::kPersonal:
      return "personal";
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
  row.requires_json = full.requires_json;
  row.licence = full.licence;
  row.description = full.description;
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
  if (entry.git)
    FERRY_TRY(trust::CheckOrigin(*entry.git, entry.package, entry.version).Context("{}", path));
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

// The newest version of each package may be on one device: none may wait for another in a circle.
Status CheckDependencies(const trust::Targets& next) {
  std::map<std::string, const trust::TargetEntry*> newest;
  for (const auto& [path, entry] : next.entries) {
    if (entry.kind != trust::ArtefactKind::kFull) continue;
    const trust::TargetEntry*& best = newest[entry.package];
    if (best == nullptr || best->release_counter < entry.release_counter) best = &entry;
  }
  std::map<std::string, requires_::Requires> needs;
  for (const auto& [name, entry] : newest) {
    auto read = requires_::RequiresFromText(entry->requires_json);
    if (read.ok()) needs[name] = *std::move(read);
  }
  return AsStatus(requires_::DependencyOrder(needs));
}

// Nothing that was there may go, but a version that is withdrawn whole; nothing that was withdrawn
// may come back.
Status CheckKept(const trust::Targets& before, const trust::Targets& next) {
  for (const auto& [path, entry] : before.entries) {
    auto found = next.entries.find(path);
    const std::string full = trust::FullPath(entry.package, entry.version);
    if (found == next.entries.end() && next.withdrawn.contains(full)) continue;
    if (found == next.entries.end())
      return Status::Of(Code::kInvalidArgument, "{}: was published before and is gone", path);
    const std::optional<trust::GitOrigin>& git = found->second.git;
    if (entry.git && git && git->commit != entry.git->commit)
      return Status::Of(Code::kInvalidArgument,
                        "{}: tag {} was moved: published from commit {:.12}, signed with {:.12}; "
                        "make a new version",
                        path, git->tag, entry.git->commit, git->commit);
    if (!(found->second == entry))
      return Status::Of(Code::kInvalidArgument,
                        "{}: was published before with other content; make a new version", path);
  }
  for (const auto& [path, item] : before.withdrawn) {
    auto found = next.withdrawn.find(path);
    if (found == next.withdrawn.end() || !(found->second == item))
      return Status::Of(Code::kInvalidArgument, "{}: was withdrawn before, and is no longer", path);
  }
  return OkStatus();
}

// What is withdrawn leaves no artefact, and the counter that it had.
Status CheckWithdrawn(const trust::Targets* before, const trust::Targets& next) {
  for (const auto& [path, entry] : next.entries)
    if (next.withdrawn.contains(trust::FullPath(entry.package, entry.version)))
      return Status::Of(Code::kInvalidArgument, "{}: {} {} is withdrawn", path, entry.package,
                        entry.version);
  if (before == nullptr) return OkStatus();
  for (const auto& [path, item] : next.withdrawn) {
    auto was = before->entries.find(path);
    if (was != before->entries.end() && was->second.release_counter != item.release_counter)
      return Status::Of(Code::kInvalidArgument, "{}: withdrawn with release counter {}, it had {}",
                        path, item.release_counter, was->second.release_counter);
  }
  return OkStatus();
}

}  // namespace

Status CheckSuccession(const trust::Targets* before, const trust::Targets& next) {
  if (before != nullptr) FERRY_TRY(CheckKept(*before, next));
  FERRY_TRY(CheckWithdrawn(before, next));
  std::map<std::string, std::vector<std::string>> published;
  for (const auto& [path, entry] : next.entries)
    if (entry.kind == trust::ArtefactKind::kFull) published[entry.package].push_back(entry.version);
  for (const auto& [path, entry] : next.entries) {
    if (before != nullptr && before->entries.contains(path)) continue;
    FERRY_TRY(CheckNewEntry(next, path, entry));
    const auto needs = requires_::RequiresFromText(entry.requires_json);
    if (!needs.ok())
      return Status::Of(Code::kInvalidArgument, "{}: {}", path, needs.status().message());
    FERRY_TRY(requires_::CheckPublished(*needs, published).Context("{}", path));
    const int64_t highest = before == nullptr ? 0 : trust::HighestCounter(*before, entry.package);
    if (entry.kind == trust::ArtefactKind::kFull && entry.release_counter <= highest)
      return Status::Of(Code::kVersionRollback,
                        "{}: release counter {} is not above {}, the highest of {}", path,
                        entry.release_counter, highest, entry.package);
  }
  return CheckDependencies(next);
}

}  // namespace ferry::server
