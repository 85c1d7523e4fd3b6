// ferry publish: seals, signs and uploads a package.
#include "common/sys/clock.h"
#include "tools/ferry/command.h"
#include "tools/ferry/progress.h"
#include "tools/ferry/publisher/bundle.h"

namespace ferry::cli {
namespace {

struct PublishOptions {
  PublishRequest request;
  std::string directory;
  std::string bundle;
  std::string from_bundle;
  std::vector<std::string> exclusive;
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
  for (const SealedFile& file : publication.files) {
    out += fmt::format("  {:<44} {:>12} sealed, {} plain\n", file.path, SizeText(file.entry.length),
                       SizeText(file.entry.plain_length));
  }
  return out;
}

Result<Output> Publish(PublishOptions options, const GlobalOptions& global) {
  if (!options.from_bundle.empty()) {
    FERRY_ASSIGN_OR_RETURN(const Api api, Api::Open(global));
    FERRY_ASSIGN_OR_RETURN(Json answer, UploadBundle(api, options.from_bundle));
    return Output{std::move(answer), fmt::format("published {}\n", options.from_bundle)};
  }
  FERRY_TRY(SplitExclusive(options));
  FERRY_ASSIGN_OR_RETURN(PublisherDirectory directory, PublisherDirectory::Open(options.directory));
  std::optional<Api> api;
  if (options.bundle.empty()) {
    FERRY_ASSIGN_OR_RETURN(api, Api::Open(global));
    FERRY_TRY(SyncTargets(*api, directory));
  }
  FERRY_ASSIGN_OR_RETURN(
      const Publication publication,
      PreparePublication(directory, options.request, sys::SystemClock().NowUnixMs()));
  Output out;
  out.json() = PublicationToJson(publication);
  if (api) {
    FERRY_ASSIGN_OR_RETURN(const Json answer, Upload(*api, publication));
    out.json()["answer"] = answer;
    out.text = Describe(publication, api->url());
  } else {
    FERRY_TRY(WriteBundle(options.bundle, publication));
    out.json()["bundle"] = options.bundle;
    out.text = Describe(publication, options.bundle);
  }
  FERRY_TRY(directory.KeepTargets(publication.targets));
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
  publish->add_option("--exclusive", options->exclusive,
                      "name=file: a file for single devices, beside the package (may repeat)");
  publish->add_option("--fallback", options->request.fallback,
                      "the one version to which devices may be sent back, or none; else the first "
                      "base, else the newest version");
  auto* bundle = publish->add_option("--bundle", options->bundle, "write a bundle, upload nothing");
  auto* from = publish->add_option("--from-bundle", options->from_bundle, "upload a bundle");
  from->excludes(package)->excludes(directory)->excludes(bundle);
  publish->callback([publish, package, directory, from, &commands, options] {
    if (from->empty() && (package->empty() || directory->empty())) {
      throw CLI::RequiredError("a package and --dir, or --from-bundle");
    }
    commands.Choose([options](const GlobalOptions& global) { return Publish(*options, global); });
  });
}

}  // namespace ferry::cli
