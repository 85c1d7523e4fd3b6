#include "tools/ferry/publisher/kept.h"

#include <set>

#include "common/package/artefact.h"

namespace ferry::cli {
namespace {

constexpr uint64_t kMaxKeyFile = 64 << 10;

std::string PublishedPath(const std::string& folder, const std::string& sha256) {
  return fmt::format("{}/published/{}", folder, sha256);
}

}  // namespace

Status KeepPublished(const std::string& folder, Publication& publication) {
  sys::FileSystem& fs = sys::SystemFileSystem();
  FERRY_TRY(fs.MakeDirectories(folder + "/published"));
  FERRY_ASSIGN_OR_RETURN(const Json* keys, GetArray(publication.body, "keys"));
  for (SealedFile& file : publication.files) {
    const std::string place = PublishedPath(folder, ToHex(file.entry.sha256));
    for (const Json& key : *keys) {
      FERRY_ASSIGN_OR_RETURN(const std::string path, GetString(key, "path"));
      if (path != file.path) continue;
      FERRY_TRY(sys::WriteFileAtomically(fs, place + ".json", AsBytes(WriteJson(key) + "\n"),
                                         sys::kPublicFile));
    }
    FERRY_TRY(fs.Rename(file.file, place));
    file.file = place;
  }
  return fs.SyncDirectory(folder + "/published");
}

Status SweepPublished(const PublisherDirectory& folder) {
  sys::FileSystem& fs = sys::SystemFileSystem();
  const std::string published = folder.path() + "/published";
  if (folder.targets() == nullptr || !sys::Exists(fs, published)) return OkStatus();
  std::set<std::string> named;
  for (const auto& [path, entry] : folder.targets()->entries) {
    named.insert(ToHex(entry.sha256));
    named.insert(ToHex(entry.sha256) + ".json");
  }
  FERRY_ASSIGN_OR_RETURN(const std::vector<std::string> files, fs.List(published));
  for (const std::string& file : files)
    if (!named.contains(file)) FERRY_TRY(fs.Remove(published + "/" + file));
  return OkStatus();
}

std::optional<KeptArtefact> FindPublished(const std::string& folder, const std::string& path,
                                          const trust::TargetEntry& entry) {
  const std::string place = PublishedPath(folder, ToHex(entry.sha256));
  const auto text = sys::ReadFile(sys::SystemFileSystem(), place + ".json", kMaxKeyFile);
  if (!text.ok()) return std::nullopt;
  auto key = ParseJson(AsText(*text));
  if (!key.ok() || !key->is_object()) return std::nullopt;
  const auto of = GetString(*key, "path");
  if (!of.ok() || *of != path) return std::nullopt;
  if (!package::CheckSealedFile(sys::SystemFileSystem(), place, entry).ok()) return std::nullopt;
  return KeptArtefact{place, std::move(*key)};
}

}  // namespace ferry::cli
