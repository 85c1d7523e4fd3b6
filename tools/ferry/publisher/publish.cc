#include "tools/ferry/publisher/publish.h"

#include <unistd.h>

#include <algorithm>

#include "common/package/artefact.h"
#include "common/package/manifest.h"
#include "common/package/reader.h"
#include "common/package/wrap.h"
#include "common/trust/time.h"
#include "policy/requires/requires.h"
#include "tools/ferry/progress.h"
#include "tools/ferry/publisher/documents.h"
#include "tools/ferry/publisher/roots.h"

namespace ferry::cli {
namespace {

// Seals the artefacts of one package, one after another.
class Sealer {
 public:
  Sealer(const PublisherDirectory& directory, const package::Package& source,
         trust::Targets& targets, Publication& out)
      : directory_(directory), source_(source), targets_(targets), out_(out) {
    entry_.package = source.manifest().name;
    entry_.version = source.manifest().version;
    keys_ = Json::array();
  }

  Status SetCounterAndFallback(const PublishRequest& request,
                               const std::optional<std::string>& first_base);
  Status CheckGit(const std::string& scenario) const;
  Status Full();
  Status Delta(const package::Package& base);
  Status Exclusive(const std::string& name, const std::string& file);
  Json TakeKeys() { return std::move(keys_); }

 private:
  const trust::TargetEntry* FullEntry(std::string_view version) const {
    const auto found = targets_.entries.find(trust::FullPath(entry_.package, version));
    return found == targets_.entries.end() ? nullptr : &found->second;
  }
  std::string NextFile() const { return fmt::format("{}/{}", out_.folder, out_.files.size()); }
  Status CheckNeeds(const package::Manifest& manifest) const;
  Status Keep(std::string path, std::string file, trust::TargetEntry entry,
              const package::SealedArtefact& sealed);

  const PublisherDirectory& directory_;
  const package::Package& source_;
  trust::Targets& targets_;
  Publication& out_;
  trust::TargetEntry entry_;  // what all artefacts of the version share
  uint64_t full_length_ = 0;
  Json keys_;
};

Status Sealer::SetCounterAndFallback(const PublishRequest& request,
                                     const std::optional<std::string>& first_base) {
  const trust::TargetEntry* newest = nullptr;
  for (const auto& [path, entry] : targets_.entries) {
    if (entry.package != entry_.package) continue;
    if (newest == nullptr || entry.release_counter > newest->release_counter) newest = &entry;
  }
  entry_.release_counter = trust::HighestCounter(targets_, entry_.package) + 1;
  std::string fallback = request.fallback;
  if (fallback.empty())
    fallback = first_base.value_or(newest == nullptr ? "none" : newest->version);
  if (fallback == "none") return OkStatus();
  const trust::TargetEntry* back = FullEntry(fallback);
  if (back == nullptr) {
    return Status::Of(Code::kNotFound, "fallback {} of {} was never published", fallback,
                      entry_.package);
  }
  entry_.fallback = trust::Fallback{back->version, back->plain_sha256};
  return OkStatus();
}

Status Sealer::Keep(std::string path, std::string file, trust::TargetEntry entry,
                    const package::SealedArtefact& sealed) {
  entry.length = sealed.length;
  entry.sha256 = sealed.sha256;
  entry.plain_length = sealed.plain_length;
  entry.plain_sha256 = sealed.plain_sha256;
  FERRY_ASSIGN_OR_RETURN(const package::WrappedKey wrapped,
                         package::WrapForEscrow(directory_.root().escrow, entry, sealed.content_key,
                                                sys::SystemRandom()));
  keys_.push_back(
      {{"path", path}, {"enc", ToBase64(wrapped.enc)}, {"sealed", ToBase64(wrapped.sealed)}});
  targets_.entries[path] = entry;
  out_.files.push_back({std::move(path), std::move(file), std::move(entry)});
  return OkStatus();
}

// A published tag stays where it is, and a package in its scenario, unless the caller names the
// next one: a clone in a folder of another name is an accident.
Status Sealer::CheckGit(const std::string& scenario) const {
  const std::optional<trust::GitOrigin>& git = source_.manifest().git;
  if (!git) return OkStatus();
  FERRY_TRY(trust::CheckOrigin(*git, entry_.package, entry_.version));
  const trust::TargetEntry* same = FullEntry(entry_.version);
  if (same != nullptr && same->git && same->git->commit != git->commit) {
    return Status::Of(Code::kAlreadyExists,
                      "tag {} was moved: {} {} was published from commit {:.12}, it names {:.12}; "
                      "a changed task needs a new version",
                      git->tag, entry_.package, entry_.version, same->git->commit, git->commit);
  }
  const trust::TargetEntry* newest = nullptr;
  for (const auto& [path, entry] : targets_.entries) {
    if (entry.package != entry_.package || !entry.git) continue;
    if (newest == nullptr || entry.release_counter > newest->release_counter) newest = &entry;
  }
  if (newest == nullptr || newest->git->scenario == git->scenario || scenario == git->scenario)
    return OkStatus();
  return Status::Of(Code::kFailedPrecondition,
                    "{} is of scenario {}, tag {} of {}: --scenario names the one that is meant",
                    entry_.package, newest->git->scenario, git->tag, git->scenario);
}

Status Sealer::Full() {
  std::string path = trust::FullPath(entry_.package, entry_.version);
  if (targets_.entries.contains(path)) {
    return Status::Of(Code::kAlreadyExists,
                      "{} {} is published already; a changed package needs a new version",
                      entry_.package, entry_.version);
  }
  if (targets_.withdrawn.contains(path)) {
    return Status::Of(Code::kAlreadyExists, "{} {} was withdrawn; it needs a new version",
                      entry_.package, entry_.version);
  }
  std::string file = NextFile();
  Progress progress(fmt::format("sealing {} {}", entry_.package, entry_.version));
  FERRY_ASSIGN_OR_RETURN(
      const package::SealedArtefact sealed,
      package::SealArtefact(sys::SystemFileSystem(), file, source_.bytes(), sys::SystemRandom(),
                            [&](uint64_t done, uint64_t all) { progress.Show(done, all); }));
  full_length_ = sealed.length;
  trust::TargetEntry entry = entry_;
  const package::Manifest& manifest = source_.manifest();
  FERRY_TRY(CheckNeeds(manifest));
  if (!manifest.requires_.empty()) entry.requires_json = WriteJson(manifest.requires_);
  entry.licence = manifest.licence;
  entry.description = manifest.description;
  entry.git = manifest.git;
  return Keep(std::move(path), std::move(file), std::move(entry), sealed);
}

// The server would refuse it, after all of it was sealed and signed.
Status Sealer::CheckNeeds(const package::Manifest& manifest) const {
  FERRY_ASSIGN_OR_RETURN(const requires_::Requires needs,
                         requires_::RequiresFromJson(manifest.requires_));
  std::map<std::string, std::vector<std::string>> published;
  for (const auto& [path, entry] : targets_.entries)
    if (entry.kind == trust::ArtefactKind::kFull) published[entry.package].push_back(entry.version);
  return requires_::CheckPublished(needs, published)
      .Context("{} {}", manifest.name, manifest.version);
}

Status Sealer::Delta(const package::Package& base) {
  const package::Manifest& from = base.manifest();
  const trust::TargetEntry* published = FullEntry(from.version);
  const trust::Hash base_sha256 = crypto::Sha256(base.bytes());
  if (from.name != entry_.package || from.version == entry_.version || published == nullptr ||
      published->plain_sha256 != base_sha256) {
    return Status::Of(Code::kNotFound, "base {} {} was never published with this content",
                      from.name, from.version);
  }
  trust::TargetEntry entry = entry_;
  entry.kind = trust::ArtefactKind::kDelta;
  entry.base_version = from.version;
  entry.base_sha256 = base_sha256;
  std::string file = NextFile();
  Progress progress(fmt::format("delta of {} {} from {}", from.name, entry.version, from.version));
  FERRY_ASSIGN_OR_RETURN(
      const package::SealedArtefact sealed,
      package::SealDelta(sys::SystemFileSystem(), file, base.bytes(), source_.bytes(),
                         sys::SystemRandom(),
                         [&](uint64_t done, uint64_t all) { progress.Show(done, all); }));
  if (sealed.length * 100 > full_length_ * kMaxDeltaPercent)
    return sys::SystemFileSystem().Remove(file);
  return Keep(trust::DeltaPath(entry.package, entry.version, from.version), std::move(file), entry,
              sealed);
}

Status Sealer::Exclusive(const std::string& name, const std::string& file) {
  if (!trust::IsName(name)) {
    return Status::Of(Code::kInvalidArgument, "\"{}\" is no name for an exclusive file", name);
  }
  FERRY_ASSIGN_OR_RETURN(const Bytes plain, sys::ReadFile(sys::SystemFileSystem(), file));
  trust::TargetEntry entry = entry_;
  entry.kind = trust::ArtefactKind::kExclusive;
  entry.fallback.reset();
  std::string sealed_file = NextFile();
  FERRY_ASSIGN_OR_RETURN(
      const package::SealedArtefact sealed,
      package::SealArtefact(sys::SystemFileSystem(), sealed_file, plain, sys::SystemRandom()));
  return Keep(trust::ExclusivePath(entry.package, entry.version, name), std::move(sealed_file),
              entry, sealed);
}

Result<package::Package> OpenWhole(const std::string& path) {
  FERRY_ASSIGN_OR_RETURN(package::Package out,
                         package::Package::OpenFile(sys::SystemFileSystem(), path));
  FERRY_TRY(out.VerifyFiles().Context("{}", path));
  return out;
}

Status SealAll(const PublisherDirectory& directory, const PublishRequest& request,
               trust::Targets& targets, Publication& out, Json& keys) {
  FERRY_ASSIGN_OR_RETURN(const package::Package source, OpenWhole(request.package));
  out.name = source.manifest().name;
  out.version = source.manifest().version;
  std::vector<package::Package> bases;
  for (const std::string& path : request.bases) {
    FERRY_ASSIGN_OR_RETURN(package::Package base, OpenWhole(path));
    bases.push_back(std::move(base));
  }
  std::optional<std::string> first_base;
  if (!bases.empty()) first_base = bases.front().manifest().version;
  for (const std::string& path : request.more_bases) {
    FERRY_ASSIGN_OR_RETURN(package::Package base, OpenWhole(path));
    const bool named = std::any_of(bases.begin(), bases.end(), [&](const package::Package& other) {
      return other.manifest().version == base.manifest().version;
    });
    if (!named) bases.push_back(std::move(base));
  }
  Sealer sealer(directory, source, targets, out);
  FERRY_TRY(sealer.SetCounterAndFallback(request, first_base));
  FERRY_TRY(sealer.CheckGit(request.scenario));
  FERRY_TRY(sealer.Full());
  for (const package::Package& base : bases) FERRY_TRY(sealer.Delta(base));
  for (const auto& [name, file] : request.exclusive) FERRY_TRY(sealer.Exclusive(name, file));
  keys = sealer.TakeKeys();
  return OkStatus();
}

}  // namespace

Publication::Publication(Publication&&) noexcept = default;
Publication& Publication::operator=(Publication&&) noexcept = default;

Publication::~Publication() {
  if (!folder.empty()) (void)sys::SystemFileSystem().RemoveTree(folder);
}

Result<Publication> PreparePublication(const PublisherDirectory& directory,
                                       const PublishRequest& request, int64_t now_ms) {
  // Keys first: sealing may take long.
  if (!request.stage_only) FERRY_TRY(directory.SignersOf(directory.root().targets, "targets"));
  if (request.stage_only) FERRY_TRY(CheckOneDocument(directory.targets()));
  Publication out;
  out.folder = fmt::format("{}/sealing-{}", directory.path(), ::getpid());
  FERRY_TRY(sys::SystemFileSystem().MakeDirectories(out.folder));
  trust::Targets targets;
  targets.version = 0;
  if (directory.targets() != nullptr) targets = *directory.targets();
  Json keys;
  FERRY_TRY(SealAll(directory, request, targets, out, keys));
  ++targets.version;
  targets.expires_ms = now_ms + kTargetsDays * trust::kDayMs;
  if (request.stage_only) {
    FERRY_ASSIGN_OR_RETURN(out.targets.top, directory.SignTargetsHere(targets));
  } else {
    FERRY_ASSIGN_OR_RETURN(out.targets, directory.SignTargets(targets));
  }
  out.body = BodyOf(out.targets);
  out.body["keys"] = std::move(keys);
  return out;
}

Status SyncTargets(const Api& api, PublisherDirectory& directory) {
  FERRY_TRY(CheckSamePublisher(api, directory));
  const auto answer = api.Get("/metadata/targets");
  if (answer.code() == Code::kNotFound) return OkStatus();
  FERRY_TRY(answer);
  FERRY_ASSIGN_OR_RETURN(const int64_t version, GetInt(*answer, "version"));
  if (directory.targets() != nullptr && directory.targets()->version >= version) return OkStatus();
  FERRY_ASSIGN_OR_RETURN(const trust::TargetsDocuments documents,
                         TargetsOfServer(api, directory.documents()));
  return directory.KeepTargets(documents).Context("targets version {} of the server", version);
}

Result<Json> Upload(const Api& api, const Publication& publication) {
  for (const SealedFile& file : publication.files) {
    const std::string at = "/content/" + ToHex(file.entry.sha256);
    Progress progress("uploading " + file.path);
    FERRY_TRY(
        api.PutFile(at, file.file, [&](uint64_t done, uint64_t all) { progress.Show(done, all); })
            .Context("uploading {}", file.path));
  }
  const Working working("the server checks " + publication.name + " " + publication.version);
  return PostTargets(api, publication.body);
}

Json PublicationToJson(const Publication& publication) {
  Json artefacts = Json::array();
  std::optional<std::string> fallback;
  const trust::GitOrigin* git = nullptr;
  int64_t counter = 0;
  for (const SealedFile& file : publication.files) {
    artefacts.push_back({{"path", file.path},
                         {"length", file.entry.length},
                         {"sha256", ToHex(file.entry.sha256)},
                         {"plain_length", file.entry.plain_length}});
    counter = file.entry.release_counter;
    if (file.entry.fallback) fallback = file.entry.fallback->version;
    if (file.entry.git) git = &*file.entry.git;
  }
  Json json = {{"package", publication.name},
               {"version", publication.version},
               {"release_counter", counter},
               {"fallback", fallback ? Json(*fallback) : Json()},
               {"artefacts", std::move(artefacts)}};
  if (git != nullptr) json["git"] = trust::GitOriginToJson(*git);
  return json;
}

}  // namespace ferry::cli
