#include "tools/ferry/publisher/key_commands.h"

#include <optional>

#include "common/base/json.h"
#include "common/sys/clock.h"
#include "common/trust/time.h"
#include "tools/ferry/publisher/describe.h"
#include "tools/ferry/publisher/roots.h"
#include "tools/ferry/publisher/staged.h"
#include "tools/ferry/remote/api.h"

namespace ferry::cli {
namespace {

struct RefreshOptions {
  std::string directory;
  std::string role = "all";
  int64_t root_days = 365;
  int64_t targets_days = kTargetsDays;
  bool stage_only = false;

  bool Root() const { return role != "targets"; }
  bool Targets() const { return role != "root"; }
};

trust::Targets NextTargets(const PublisherDirectory& directory, int64_t expires_ms) {
  trust::Targets next = *directory.targets();
  ++next.version;
  next.expires_ms = expires_ms;
  return next;
}

Result<Output> StageRefresh(const RefreshOptions& options, const PublisherDirectory& directory,
                            int64_t now_ms) {
  Output out;
  out.json() = {{"staged", Json::array()}};
  const auto note = [&](const std::string& path) {
    out.json()["staged"].push_back(path);
    out.text +=
        fmt::format("{} waits for signatures: `ferry keys sign {} --key KEY`\n", path, path);
  };
  if (options.Root()) {
    trust::Root next = directory.root();
    next.expires_ms = now_ms + options.root_days * trust::kDayMs;
    FERRY_ASSIGN_OR_RETURN(const Bytes document, directory.SignNextRootHere(std::move(next)));
    FERRY_ASSIGN_OR_RETURN(const std::string path, StageDocument(directory, "root.json", document));
    note(path);
  }
  if (options.Targets() && directory.targets() != nullptr) {
    FERRY_ASSIGN_OR_RETURN(const Bytes document,
                           directory.SignTargetsHere(NextTargets(
                               directory, now_ms + options.targets_days * trust::kDayMs)));
    FERRY_ASSIGN_OR_RETURN(const std::string path,
                           StageDocument(directory, "targets.json", document));
    note(path);
  }
  return out;
}

Result<Output> Refresh(const RefreshOptions& options, const GlobalOptions& global) {
  FERRY_ASSIGN_OR_RETURN(PublisherDirectory directory, PublisherDirectory::Open(options.directory));
  const int64_t now_ms = sys::SystemClock().NowUnixMs();
  std::optional<Api> api;
  auto opened = Api::Open(global);
  if (opened.ok()) {
    api = *std::move(opened);
    FERRY_TRY(SyncTargets(*api, directory));
  } else if (opened.code() != Code::kFailedPrecondition) {
    return opened.status();
  }
  if (options.stage_only) return StageRefresh(options, directory, now_ms);
  // All keys first, so that a missing one leaves nothing half done.
  const bool targets = options.Targets() && directory.targets() != nullptr;
  if (options.Root()) FERRY_TRY(directory.SignersOf(directory.root().root, "root"));
  if (targets) FERRY_TRY(directory.SignersOf(directory.root().targets, "targets"));
  if (options.Root()) {
    trust::Root next = directory.root();
    next.expires_ms = now_ms + options.root_days * trust::kDayMs;
    FERRY_TRY(directory.RotateTo(std::move(next), {}));
  }
  if (targets) {
    const trust::Targets next =
        NextTargets(directory, now_ms + options.targets_days * trust::kDayMs);
    FERRY_ASSIGN_OR_RETURN(const trust::TargetsDocuments documents,
                           directory.SignTargets(next, /*all_bins=*/true));
    FERRY_TRY(directory.KeepTargets(documents));
  }
  if (!api) return DescribeKeys(directory, "refreshed; now `ferry keys upload`. ", now_ms);
  FERRY_ASSIGN_OR_RETURN(const Uploaded sent, UploadRoots(*api, directory));
  Output out = DescribeKeys(directory, fmt::format("refreshed; {} has it: ", api->url()), now_ms);
  out.json()["uploaded_roots"] = sent.roots;
  out.json()["uploaded_targets"] = sent.targets;
  return out;
}

struct SignOptions {
  std::string file, key, root, directory;
};

Result<Output> Sign(const SignOptions& options) {
  FERRY_ASSIGN_OR_RETURN(Json done, SignStaged(options.file, options.key, options.root));
  const Json& needed = done["needed"];
  std::string text =
      fmt::format("signed {}: {} version {}, {} of {} signatures\n", options.file,
                  done["role"].get<std::string>(), done["version"].get<int64_t>(),
                  done["signatures"].get<int64_t>(), needed.is_null() ? "?" : needed.dump());
  return Output{std::move(done), std::move(text)};
}

Result<Output> Take(const SignOptions& options) {
  FERRY_ASSIGN_OR_RETURN(PublisherDirectory directory, PublisherDirectory::Open(options.directory));
  FERRY_TRY(TakeStaged(directory, options.file));
  return DescribeKeys(directory, "taken; now `ferry keys upload`. ",
                      sys::SystemClock().NowUnixMs());
}

}  // namespace

void AddKeysRefresh(Commands& commands, CLI::App* group) {
  const auto options = std::make_shared<RefreshOptions>();
  CLI::App* refresh = commands.AddOnline(
      group, "refresh", "sign root and targets anew with a later expiry, and give them the server",
      "ferry keys refresh --dir publisher",
      [options](const GlobalOptions& global) { return Refresh(*options, global); });
  refresh->add_option("--dir", options->directory, "the publisher's folder")->required();
  refresh->add_option("--role", options->role, "root, targets or all")
      ->check(CLI::IsMember({"root", "targets", "all"}))
      ->capture_default_str();
  refresh->add_option("--days", options->root_days, "until the root expires")
      ->check(CLI::Range(1, 3650))
      ->capture_default_str();
  refresh->add_option("--targets-days", options->targets_days, "until the targets expire")
      ->check(CLI::Range(1, 3650))
      ->capture_default_str();
  refresh->add_flag("--stage-only", options->stage_only,
                    "keep them in staged/ for `ferry keys sign`, with the keys at hand");
}

void AddKeysSign(Commands& commands, CLI::App* group) {
  const auto options = std::make_shared<SignOptions>();
  CLI::App* sign = commands.Add(group, "sign", "add one signature to a staged root or targets",
                                "ferry keys sign targets.json --key keys/targets-2.json",
                                [options](const GlobalOptions&) { return Sign(*options); });
  sign->add_option("file", options->file, "the document; it is changed in place")->required();
  sign->add_option("--key", options->key, "the private key's file")->required();
  sign->add_option("--root", options->root, "the present root.json: checks the key's role");
}

void AddKeysTake(Commands& commands, CLI::App* group) {
  const auto options = std::make_shared<SignOptions>();
  CLI::App* take =
      commands.Add(group, "take", "take a root or targets that enough keys signed into the folder",
                   "ferry keys take publisher/staged/root.json --dir publisher",
                   [options](const GlobalOptions&) { return Take(*options); });
  take->add_option("file", options->file, "the signed document")->required();
  take->add_option("--dir", options->directory, "the publisher's folder")->required();
}

}  // namespace ferry::cli
