// ferry keys: the offline keys of a publisher.
#include <optional>

#include "common/sys/clock.h"
#include "common/trust/time.h"
#include "tools/ferry/command.h"
#include "tools/ferry/publisher/describe.h"
#include "tools/ferry/publisher/key_commands.h"
#include "tools/ferry/publisher/roots.h"
#include "tools/ferry/remote/api.h"

namespace ferry::cli {
namespace {

constexpr uint64_t kMaxOnlineKeysFile = 64 << 10;

struct KeysOptions {
  std::string directory;
  std::string online_keys;
  std::string role;
  NewKeys wanted;
};

Result<trust::OnlineKeys> ReadOnlineKeys(const std::string& path) {
  FERRY_ASSIGN_OR_RETURN(const Bytes text,
                         sys::ReadFile(sys::SystemFileSystem(), path, kMaxOnlineKeysFile));
  return trust::OnlineKeysFromText(AsText(text)).Context("{}", path);
}

Output Describe(const PublisherDirectory& directory, std::string_view done) {
  return DescribeKeys(directory, done, sys::SystemClock().NowUnixMs());
}

Result<Output> Init(const KeysOptions& options) {
  FERRY_ASSIGN_OR_RETURN(const trust::OnlineKeys online, ReadOnlineKeys(options.online_keys));
  FERRY_ASSIGN_OR_RETURN(const PublisherDirectory directory,
                         PublisherDirectory::Create(options.directory, online, options.wanted,
                                                    sys::SystemClock().NowUnixMs()));
  return Describe(directory, "made ");
}

Result<Output> Show(const KeysOptions& options) {
  FERRY_ASSIGN_OR_RETURN(const PublisherDirectory directory,
                         PublisherDirectory::Open(options.directory));
  return Describe(directory, "");
}

Result<Output> UploadFrom(PublisherDirectory& directory, const Api& api, std::string_view done) {
  FERRY_ASSIGN_OR_RETURN(const Uploaded sent, UploadRoots(api, directory));
  Output out = Describe(directory, fmt::format("{}{} has it: ", done, api.url()));
  out.json()["uploaded_roots"] = sent.roots;
  out.json()["uploaded_targets"] = sent.targets;
  return out;
}

Result<Output> Upload(const KeysOptions& options, const GlobalOptions& global) {
  FERRY_ASSIGN_OR_RETURN(PublisherDirectory directory, PublisherDirectory::Open(options.directory));
  FERRY_ASSIGN_OR_RETURN(const Api api, Api::Open(global));
  return UploadFrom(directory, api, "");
}

// As many fresh keys as the role has, in their place.
Status Replace(const PublisherDirectory& directory, std::string_view name, trust::Root& next,
               trust::RoleKeys& role, std::vector<PublisherDirectory::MadeKey>& made) {
  const size_t count = role.key_ids.size();
  for (const std::string& id : role.key_ids) next.keys.erase(id);
  role.key_ids.clear();
  for (size_t i = 0; i < count; ++i) {
    FERRY_ASSIGN_OR_RETURN(auto key, directory.MakeKey(name, i));
    next.AddKey(role, key.key.public_key());
    made.push_back(std::move(key));
  }
  return OkStatus();
}

void ReplaceOnline(const trust::OnlineKeys& online, trust::Root& next) {
  for (trust::RoleKeys* role : {&next.snapshot, &next.timestamp, &next.director}) {
    for (const std::string& id : role->key_ids) next.keys.erase(id);
    role->key_ids.clear();
  }
  next.AddKey(next.snapshot, online.snapshot);
  next.AddKey(next.timestamp, online.timestamp);
  next.AddKey(next.director, online.director);
  next.escrow = online.escrow;
  if (online.line) next.line = *online.line;
}

// From the file, or from the server that `api` is then opened to.
Result<trust::OnlineKeys> NextOnlineKeys(const KeysOptions& options, const GlobalOptions& global,
                                         std::optional<Api>& api) {
  if (!options.online_keys.empty()) return ReadOnlineKeys(options.online_keys);
  auto opened = Api::Open(global);
  if (opened.code() == Code::kFailedPrecondition) {
    return Status(Code::kInvalidArgument, "--role online needs --online-keys FILE or a server");
  }
  FERRY_TRY(opened);
  api = *std::move(opened);
  FERRY_ASSIGN_OR_RETURN(const Json answer, api->Get("/online-keys"));
  FERRY_ASSIGN_OR_RETURN(const Json* keys, GetObject(answer, "keys"));
  return trust::OnlineKeysFromText(WriteJson(*keys)).Context("{}", api->url());
}

// Signs targets anew where they delegate personal files to a key that the server replaced. Without
// the targets keys at hand the one before stays in use.
Status UsePersonalKey(const trust::OnlineKeys& online, PublisherDirectory& directory) {
  const trust::Targets* targets = directory.targets();
  if (targets == nullptr || !targets->personal || !online.personal) return OkStatus();
  if (trust::NamesKey(*targets->personal, trust::KeyIdOf(*online.personal))) return OkStatus();
  if (!directory.SignersOf(directory.root().targets, "targets").ok()) return OkStatus();
  trust::Targets next = *targets;
  ++next.version;
  FERRY_ASSIGN_OR_RETURN(next.personal,
                         trust::MakePersonalDelegation(*online.personal, next.personal->patterns,
                                                       next.personal->max_bytes));
  FERRY_ASSIGN_OR_RETURN(const trust::TargetsDocuments documents, directory.SignTargets(next));
  return directory.KeepTargets(documents);
}

Result<Output> Rotate(const KeysOptions& options, const GlobalOptions& global) {
  FERRY_ASSIGN_OR_RETURN(PublisherDirectory directory, PublisherDirectory::Open(options.directory));
  const int64_t now_ms = sys::SystemClock().NowUnixMs();
  trust::Root next = directory.root();
  next.expires_ms = now_ms + options.wanted.root_days * trust::kDayMs;
  std::vector<PublisherDirectory::MadeKey> made;
  std::optional<Api> api;  // where the online keys came from
  std::optional<trust::OnlineKeys> online;
  if (options.role == "root") FERRY_TRY(Replace(directory, "root", next, next.root, made));
  if (options.role == "targets") FERRY_TRY(Replace(directory, "targets", next, next.targets, made));
  if (options.role == "online") {
    FERRY_ASSIGN_OR_RETURN(online, NextOnlineKeys(options, global, api));
    ReplaceOnline(*online, next);
  }
  FERRY_TRY(directory.RotateTo(std::move(next), made));
  if (online) FERRY_TRY(UsePersonalKey(*online, directory));
  if (options.role == "targets" && directory.targets() != nullptr) {
    trust::Targets targets = *directory.targets();
    ++targets.version;
    FERRY_ASSIGN_OR_RETURN(const trust::TargetsDocuments documents, directory.SignTargets(targets));
    FERRY_TRY(directory.KeepTargets(documents));
  }
  if (api) return UploadFrom(directory, *api, "rotated; ");
  return Describe(directory, "rotated; now `ferry keys upload`. ");
}

}  // namespace

void AddKeysCommand(Commands& commands) {
  const auto options = std::make_shared<KeysOptions>();
  CLI::App* group = commands.Group("keys", "offline keys of a publisher, and the root they sign");
  const auto add_directory = [&](CLI::App* command) {
    command->add_option("--dir", options->directory, "the publisher's folder")->required();
  };
  CLI::App* init =
      commands.Add(group, "init", "make root and targets keys and sign the first root",
                   "ferry keys init --dir publisher --online-keys server/online-keys.json",
                   [options](const GlobalOptions&) { return Init(*options); });
  add_directory(init);
  init->add_option("--online-keys", options->online_keys, "what `ferry-server init` wrote")
      ->required();
  init->add_option("--root-keys", options->wanted.root_keys, "how many root keys")
      ->capture_default_str();
  init->add_option("--root-threshold", options->wanted.root_threshold, "how many must sign a root")
      ->capture_default_str();
  init->add_option("--targets-keys", options->wanted.targets_keys, "how many targets keys")
      ->capture_default_str();
  init->add_option("--targets-threshold", options->wanted.targets_threshold,
                   "how many must sign a publication")
      ->capture_default_str();
  init->add_option("--days", options->wanted.root_days, "until the root expires")
      ->check(CLI::Range(1, 3650))
      ->capture_default_str();

  CLI::App* show = commands.Add(group, "show", "print roles, key ids and versions",
                                "ferry keys show --dir publisher",
                                [options](const GlobalOptions&) { return Show(*options); });
  add_directory(show);

  CLI::App* rotate = commands.AddOnline(
      group, "rotate", "sign the next root: fresh keys for one role, or a later expiry",
      "ferry keys rotate --dir publisher --role targets",
      [options](const GlobalOptions& global) { return Rotate(*options, global); });
  add_directory(rotate);
  rotate->add_option("--role", options->role, "root, targets, online, or none (only the expiry)")
      ->required()
      ->check(CLI::IsMember({"root", "targets", "online", "none"}));
  rotate->add_option("--online-keys", options->online_keys,
                     "for --role online: what `ferry-server keys rotate` wrote; without it they "
                     "come from the server, which gets the root at once");
  rotate->add_option("--days", options->wanted.root_days, "until the root expires")
      ->check(CLI::Range(1, 3650))
      ->capture_default_str();

  CLI::App* upload = commands.AddOnline(
      group, "upload", "give the server the roots that it lacks",
      "ferry keys upload --dir publisher",
      [options](const GlobalOptions& global) { return Upload(*options, global); });
  add_directory(upload);
  AddKeysBins(commands, group);
  AddKeysPersonal(commands, group);
  AddKeysRefresh(commands, group);
  AddKeysSign(commands, group);
  AddKeysTake(commands, group);
}

}  // namespace ferry::cli
