// ferry publish: seals, signs and uploads a package.
#include "common/package/manifest.h"
#include "common/package/reader.h"
#include "common/sys/clock.h"
#include "tools/ferry/command.h"
#include "tools/ferry/local/git_source.h"
#include "tools/ferry/local/scratch_folder.h"
#include "tools/ferry/progress.h"
#include "tools/ferry/publisher/bases.h"
#include "tools/ferry/publisher/bundle.h"
#include "tools/ferry/publisher/kept.h"
#include "tools/ferry/publisher/staged.h"

namespace ferry::cli {
namespace {

struct PublishOptions {
  PublishRequest request;
  std::string directory;
  std::string bundle;
  std::string from_bundle;
  std::string signed_file;
  std::vector<std::string> exclusive;
  GitSource git;
  bool again = false;
  int deltas = 0;
  std::vector<BaseChoice> chosen;  // for them
};

// "name=file", split at the first "=".
Status SplitExclusive(PublishOptions& options) {
  for (const std::string& text : options.exclusive) {
    const size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
      return Status::Of(Code::kInvalidArgument, "--exclusive \"{}\", wanted name=file", text);
    }
    options.request.exclusive.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  return OkStatus();
}

std::string Describe(const Publication& publication, std::string_view where) {
  std::string out =
      fmt::format("published {} {} to {}\n", publication.name, publication.version, where);
  for (const SealedFile& file : publication.files)
    if (file.entry.git) out += fmt::format("  {}\n", trust::OriginText(*file.entry.git));
  for (const SealedFile& file : publication.files) {
    out += fmt::format("  {:<44} {:>12} sealed, {} plain\n", file.path, SizeText(file.entry.length),
                       SizeText(file.entry.plain_length));
  }
  return out;
}

// A server that was restored from a backup lacks what the targets name besides the new package, and
// refuses them: it gets that first.
Result<Json> UploadOrBringAgain(const Api& api, PublisherDirectory& directory,
                                const Publication& publication, int64_t now_ms, Output& out) {
  auto answer = Upload(api, publication);
  if (answer.code() != Code::kInvalidArgument || directory.targets() == nullptr) return answer;
  FERRY_ASSIGN_OR_RETURN(const BroughtAgain brought, PublishAgain(api, directory, false, now_ms));
  if (brought.targets_version == 0) return answer;
  out.json()["brought_again"] = ToJson(brought);
  out.text += Describe(brought, api.url());
  return Upload(api, publication);
}

// What was staged, once enough keys have signed it.
Result<Output> PublishSigned(const PublishOptions& options, const GlobalOptions& global) {
  FERRY_ASSIGN_OR_RETURN(PublisherDirectory directory, PublisherDirectory::Open(options.directory));
  FERRY_ASSIGN_OR_RETURN(const Api api, Api::Open(global));
  FERRY_ASSIGN_OR_RETURN(Json answer, PublishStaged(api, directory, options.signed_file));
  FERRY_TRY(SweepPublished(directory));
  return Output{std::move(answer),
                fmt::format("published {} to {}\n", options.signed_file, api.url())};
}

// The tag's package, in a folder that goes when it is sealed.
Result<ScratchFolder> PackForPublication(PublishOptions& options) {
  FERRY_ASSIGN_OR_RETURN(ScratchFolder folder, ScratchFolder::Make());
  PackRequest request;
  request.out = sys::JoinPath(folder.path(), "task.fpk");
  FERRY_TRY(AsStatus(PackTag(options.git, request)));
  options.request.package = request.out;
  return folder;
}

Result<Publication> Prepare(PublishOptions& options, const PublisherDirectory& directory,
                            const Api* api, int64_t now_ms) {
  if (!options.git.given() && options.deltas == 0)
    return PreparePublication(directory, options.request, now_ms);
  std::string beside = sys::ParentPath(options.request.package);
  if (beside.empty()) beside = ".";
  FERRY_ASSIGN_OR_RETURN(const ScratchFolder folder,
                         options.git.given() ? PackForPublication(options) : ScratchFolder::Make());
  if (options.deltas > 0 && api != nullptr) {
    FERRY_ASSIGN_OR_RETURN(
        const package::Package source,
        package::Package::OpenFile(sys::SystemFileSystem(), options.request.package));
    FERRY_ASSIGN_OR_RETURN(
        options.chosen,
        ChooseBases(*api, directory, source.manifest().name, source.manifest().version,
                    static_cast<size_t>(options.deltas), beside, options.git, folder.path()));
    for (const BaseChoice& choice : options.chosen)
      if (!choice.file.empty()) options.request.more_bases.push_back(choice.file);
  }
  return PreparePublication(directory, options.request, now_ms);
}

void AddChosen(const std::vector<BaseChoice>& chosen, Output& out) {
  Json bases = Json::array();
  for (const BaseChoice& choice : chosen) {
    bases.push_back({{"version", choice.version}, {"devices", choice.devices}});
    bases.back()["why_not"] = choice.why.empty() ? Json() : Json(choice.why);
    if (choice.why.empty()) continue;
    out.text += fmt::format("no delta from {}, which {} devices run: {}\n", choice.version,
                            choice.devices, choice.why);
  }
  out.json()["bases"] = std::move(bases);
}

Result<Output> Publish(PublishOptions options, const GlobalOptions& global) {
  if (!options.from_bundle.empty()) {
    FERRY_ASSIGN_OR_RETURN(const Api api, Api::Open(global));
    FERRY_ASSIGN_OR_RETURN(Json answer, UploadBundle(api, options.from_bundle));
    return Output{std::move(answer), fmt::format("published {}\n", options.from_bundle)};
  }
  if (!options.signed_file.empty()) return PublishSigned(options, global);
  FERRY_TRY(SplitExclusive(options));
  options.request.scenario = options.git.scenario;
  FERRY_ASSIGN_OR_RETURN(PublisherDirectory directory, PublisherDirectory::Open(options.directory));
  const int64_t now_ms = sys::SystemClock().NowUnixMs();
  std::optional<Api> api;
  if (options.bundle.empty()) {
    FERRY_ASSIGN_OR_RETURN(api, Api::Open(global));
    FERRY_TRY(SyncTargets(*api, directory));
  }
  if (options.again) {
    FERRY_ASSIGN_OR_RETURN(const BroughtAgain brought, PublishAgain(*api, directory, true, now_ms));
    return Output{ToJson(brought), Describe(brought, api->url())};
  }
  FERRY_ASSIGN_OR_RETURN(Publication publication,
                         Prepare(options, directory, api ? &*api : nullptr, now_ms));
  FERRY_TRY(KeepPublished(directory.path(), publication));
  Output out;
  out.json() = PublicationToJson(publication);
  if (options.deltas > 0) AddChosen(options.chosen, out);
  if (options.request.stage_only) {
    FERRY_ASSIGN_OR_RETURN(const std::string staged, StagePublication(directory, publication));
    out.json()["staged"] = staged;
    out.text += fmt::format(
        "staged {} {}: `ferry keys sign {} --key KEY`, then `ferry publish --signed {} --dir {}`\n",
        publication.name, publication.version, staged, staged, directory.path());
    return out;
  }
  if (api) {
    FERRY_ASSIGN_OR_RETURN(const Json answer,
                           UploadOrBringAgain(*api, directory, publication, now_ms, out));
    out.json()["answer"] = answer;
    out.text += Describe(publication, api->url());
  } else {
    FERRY_TRY(WriteBundle(options.bundle, publication));
    out.json()["bundle"] = options.bundle;
    out.text += Describe(publication, options.bundle);
  }
  FERRY_TRY(directory.KeepTargets(publication.targets));
  FERRY_TRY(SweepPublished(directory));
  return out;
}

}  // namespace

void AddPublishCommand(Commands& commands) {
  const auto options = std::make_shared<PublishOptions>();
  CLI::App* publish = commands.AddOnline(
      nullptr, "publish", "seal, sign and upload a package, with deltas from older versions",
      "ferry publish digits-2.0.0.fpk --dir publisher --base digits-1.0.0.fpk",
      [options](const GlobalOptions& global) { return Publish(*options, global); });
  auto* package = publish->add_option("package", options->request.package, "the .fpk file");
  auto* directory = publish->add_option("--dir", options->directory, "the publisher's folder");
  publish->add_option("--base", options->request.bases,
                      "an older package that devices may run: makes a delta (may repeat)");
  auto* deltas = publish->add_option(
      "--deltas", options->deltas,
      "deltas from so many of the versions that most devices run, as far as NAME-VERSION.fpk lies "
      "beside the package, or, with --git, their tags are there");
  deltas->check(CLI::Range(1, kMaxChosenBases));
  publish->add_option("--exclusive", options->exclusive,
                      "name=file: a file for single devices, beside the package (may repeat)");
  publish->add_option("--fallback", options->request.fallback,
                      "the one version to which devices may be sent back, or none; else the first "
                      "base, else the newest version");
  auto* bundle = publish->add_option("--bundle", options->bundle, "write a bundle, upload nothing");
  auto* from = publish->add_option("--from-bundle", options->from_bundle, "upload a bundle");
  from->excludes(package)->excludes(directory)->excludes(bundle);
  deltas->excludes(bundle)->excludes(from);
  auto* again = publish->add_flag("--again", options->again,
                                  "no package: bring the server what it lacks of all that was "
                                  "published, after it was restored from a backup");
  again->excludes(package)->excludes(from)->excludes(bundle);
  auto* stage = publish->add_flag("--stage-only", options->request.stage_only,
                                  "upload nothing: other machines sign first (ferry keys sign)");
  stage->excludes(bundle)->excludes(from)->excludes(again);
  auto* ready = publish->add_option("--signed", options->signed_file,
                                    "the staged targets.json, signed by enough keys: upload it");
  ready->excludes(package)->excludes(from)->excludes(bundle)->excludes(again)->excludes(stage);
  auto* git = AddGitOptions(publish, &options->git);
  git->excludes(package)->excludes(from)->excludes(again)->excludes(ready);
  publish->callback([package, directory, from, again, ready, git, &commands, options] {
    const bool named = !package->empty() || !git->empty() || !again->empty() || !ready->empty();
    if (from->empty() && (!named || directory->empty())) {
      throw CLI::RequiredError(
          "a package or --git, with --dir, --again and --dir, --signed and --dir, or "
          "--from-bundle");
    }
    commands.Choose([options](const GlobalOptions& global) { return Publish(*options, global); });
  });
}

}  // namespace ferry::cli
