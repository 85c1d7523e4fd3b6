// ferry keys personal: lets a server sign files of single devices, within limits.
#include <optional>

#include "common/base/json.h"
#include "common/sys/clock.h"
#include "common/trust/time.h"
#include "tools/ferry/publisher/describe.h"
#include "tools/ferry/publisher/documents.h"
#include "tools/ferry/publisher/key_commands.h"
#include "tools/ferry/publisher/staged.h"
#include "tools/ferry/remote/api.h"

namespace ferry::cli {
namespace {

struct PersonalOptions {
  std::string directory, online_keys;
  std::vector<std::string> packages = {"*"};
  uint64_t max_bytes = 1 << 20;
  bool off = false;
  bool stage_only = false;
};

constexpr uint64_t kMaxKeysFile = 64 << 10;

// Of the file, or of the server, which says the key that is to be used next.
Result<trust::PublicKey> PersonalKey(const PersonalOptions& options,
                                     const std::optional<Api>& api) {
  std::string text, from = options.online_keys;
  if (!from.empty()) {
    FERRY_ASSIGN_OR_RETURN(const Bytes bytes,
                           sys::ReadFile(sys::SystemFileSystem(), from, kMaxKeysFile));
    text = AsText(bytes);
  } else if (api) {
    from = api->url();
    FERRY_ASSIGN_OR_RETURN(const Json answer, api->Get("/online-keys"));
    FERRY_ASSIGN_OR_RETURN(const Json* keys, GetObject(answer, "keys"));
    text = WriteJson(*keys);
  } else {
    return Status(Code::kInvalidArgument, "the server's key: --online-keys FILE or a server");
  }
  FERRY_ASSIGN_OR_RETURN(const trust::OnlineKeys keys,
                         trust::OnlineKeysFromText(text).Context("{}", from));
  if (keys.personal) return *keys.personal;
  return Status::Of(Code::kFailedPrecondition,
                    "{}: the server has no key for personal files: `ferry-server keys rotate "
                    "personal` makes one",
                    from);
}

Result<trust::Targets> NextTargetsWith(const PersonalOptions& options,
                                       const PublisherDirectory& directory,
                                       const std::optional<Api>& api) {
  trust::Targets next;
  next.version = 0;
  if (directory.targets() != nullptr) next = *directory.targets();
  ++next.version;
  next.expires_ms = sys::SystemClock().NowUnixMs() + kTargetsDays * trust::kDayMs;
  next.personal.reset();
  if (options.off) return next;
  FERRY_ASSIGN_OR_RETURN(const trust::PublicKey key, PersonalKey(options, api));
  std::vector<std::string> patterns;
  for (const std::string& package : options.packages)
    patterns.push_back("personal/" + package + "/*");
  FERRY_ASSIGN_OR_RETURN(next.personal,
                         trust::MakePersonalDelegation(key, patterns, options.max_bytes));
  return next;
}

Result<Output> Personal(const PersonalOptions& options, const GlobalOptions& global) {
  FERRY_ASSIGN_OR_RETURN(PublisherDirectory directory, PublisherDirectory::Open(options.directory));
  std::optional<Api> api;
  auto opened = Api::Open(global);
  if (!opened.ok() && opened.code() != Code::kFailedPrecondition) return opened.status();
  if (opened.ok()) {
    api = *std::move(opened);
    FERRY_TRY(SyncTargets(*api, directory));
  }
  FERRY_ASSIGN_OR_RETURN(const trust::Targets next, NextTargetsWith(options, directory, api));
  if (options.stage_only) {
    FERRY_ASSIGN_OR_RETURN(const Bytes document, directory.SignTargetsHere(next));
    FERRY_ASSIGN_OR_RETURN(const std::string staged,
                           StageDocument(directory, "targets.json", document));
    Output out;
    out.json() = {{"staged", staged}};
    out.text = fmt::format(
        "{} waits for signatures: `ferry keys sign`, then `ferry publish --signed {} --dir {}`\n",
        staged, staged, directory.path());
    return out;
  }
  FERRY_ASSIGN_OR_RETURN(const trust::TargetsDocuments documents, directory.SignTargets(next));
  if (api) FERRY_TRY(PostTargets(*api, BodyOf(documents)));
  FERRY_TRY(directory.KeepTargets(documents));
  return DescribeKeys(directory, api ? "" : "now `ferry keys upload`. ",
                      sys::SystemClock().NowUnixMs());
}

}  // namespace

void AddKeysPersonal(Commands& commands, CLI::App* group) {
  const auto options = std::make_shared<PersonalOptions>();
  CLI::App* personal = commands.AddOnline(
      group, "personal", "let the server sign files of single devices: data only, within limits",
      "ferry keys personal --dir publisher --package 'sums*' --max-bytes 65536",
      [options](const GlobalOptions& global) { return Personal(*options, global); });
  personal->add_option("--dir", options->directory, "the publisher's folder")->required();
  personal->add_option("--package", options->packages,
                       "packages whose devices may get files, * for any characters (may repeat)");
  personal->add_option("--max-bytes", options->max_bytes, "of one file")->capture_default_str();
  personal->add_option("--online-keys", options->online_keys,
                       "what `ferry-server` wrote; without it the key comes from the server");
  personal->add_flag("--off", options->off, "no more: devices drop the files that they have");
  personal->add_flag("--stage-only", options->stage_only,
                     "upload nothing: other machines sign first (ferry keys sign)");
}

}  // namespace ferry::cli
