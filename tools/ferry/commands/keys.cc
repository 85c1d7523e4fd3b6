// ferry keys: the offline keys of a publisher.
#include "common/sys/clock.h"
#include "common/trust/time.h"
#include "tools/ferry/command.h"
#include "tools/ferry/publisher/directory.h"
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

Json RoleJson(const PublisherDirectory& directory, const trust::RoleKeys& role,
              std::string_view name) {
  const auto here = directory.SignersOf({role.key_ids, 0}, name);
  return {{"threshold", role.threshold},
          {"keys", role.key_ids},
          {"private_keys_here", here.ok() ? here->size() : 0}};
}

Output Describe(const PublisherDirectory& directory, std::string_view done) {
  const trust::Root& root = directory.root();
  Output out;
  out.json() = {{"directory", directory.path()},
                {"root_version", root.version},
                {"root_sha256", crypto::Sha256Hex(directory.root_document())},
                {"expires", trust::FormatTime(root.expires_ms)},
                {"roles",
                 {{"root", RoleJson(directory, root.root, "root")},
                  {"targets", RoleJson(directory, root.targets, "targets")},
                  {"snapshot", RoleJson(directory, root.snapshot, "snapshot")},
                  {"timestamp", RoleJson(directory, root.timestamp, "timestamp")},
                  {"director", RoleJson(directory, root.director, "director")}}},
                {"targets_version",
                 directory.targets() == nullptr ? Json() : Json(directory.targets()->version)}};
  out.text = fmt::format("{}{}: root version {}, expires {}\n  SHA-256 {}\n", done,
                         directory.path(), root.version, trust::FormatTime(root.expires_ms),
                         crypto::Sha256Hex(directory.root_document()));
  const std::pair<const char*, const trust::RoleKeys*> roles[] = {{"root", &root.root},
                                                                  {"targets", &root.targets},
                                                                  {"snapshot", &root.snapshot},
                                                                  {"timestamp", &root.timestamp},
                                                                  {"director", &root.director}};
  for (const auto& [name, role] : roles) {
    out.text += fmt::format("  {:<10} {} of {}:", name, role->threshold, role->key_ids.size());
    for (const std::string& id : role->key_ids) out.text += fmt::format(" {:.12}", id);
    out.text += "\n";
  }
  return out;
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
}

Result<Output> Rotate(const KeysOptions& options) {
  FERRY_ASSIGN_OR_RETURN(PublisherDirectory directory, PublisherDirectory::Open(options.directory));
  const int64_t now_ms = sys::SystemClock().NowUnixMs();
  trust::Root next = directory.root();
  next.expires_ms = now_ms + options.wanted.root_days * trust::kDayMs;
  std::vector<PublisherDirectory::MadeKey> made;
  if (options.role == "root") FERRY_TRY(Replace(directory, "root", next, next.root, made));
  if (options.role == "targets") FERRY_TRY(Replace(directory, "targets", next, next.targets, made));
  if (options.role == "online") {
    if (options.online_keys.empty()) {
      return Status(Code::kInvalidArgument, "--role online needs --online-keys FILE");
    }
    FERRY_ASSIGN_OR_RETURN(const trust::OnlineKeys online, ReadOnlineKeys(options.online_keys));
    ReplaceOnline(online, next);
  }
  FERRY_TRY(directory.RotateTo(std::move(next), made));
  if (options.role == "targets" && directory.targets() != nullptr) {
    trust::Targets targets = *directory.targets();
    ++targets.version;
    FERRY_ASSIGN_OR_RETURN(const Bytes document, directory.SignTargets(targets));
    FERRY_TRY(directory.KeepTargets(document));
  }
  return Describe(directory, "rotated; now `ferry keys upload`. ");
}

// Roots that the server lacks, oldest first; then targets when they are newer here.
// The server's root of the newest version that both have must be this publisher's, byte for byte:
// another publisher's root has version numbers, too.
Status CheckSameRoot(const Api& api, const PublisherDirectory& directory, int64_t there) {
  const int64_t version = std::min(there, directory.root().version);
  if (version == 0) return OkStatus();
  FERRY_ASSIGN_OR_RETURN(const Json answer,
                         api.Get(fmt::format("/metadata/root?version={}", version)));
  FERRY_ASSIGN_OR_RETURN(const std::string text, GetString(answer, "document"));
  FERRY_ASSIGN_OR_RETURN(const Bytes theirs, FromBase64(text).Context("document"));
  FERRY_ASSIGN_OR_RETURN(const Bytes ours, directory.RootVersion(version));
  if (theirs == ours) return OkStatus();
  return Status::Of(Code::kFailedPrecondition,
                    "{} has another publisher's root version {}: SHA-256 {}, here {}", api.url(),
                    version, crypto::Sha256Hex(theirs), crypto::Sha256Hex(ours));
}

Result<Output> Upload(const KeysOptions& options, const GlobalOptions& global) {
  FERRY_ASSIGN_OR_RETURN(const PublisherDirectory directory,
                         PublisherDirectory::Open(options.directory));
  FERRY_ASSIGN_OR_RETURN(const Api api, Api::Open(global));
  const auto version_of = [&](const std::string& role) -> Result<int64_t> {
    const auto answer = api.Get("/metadata/" + role);
    if (answer.code() == Code::kNotFound) return 0;
    FERRY_TRY(answer);
    return GetInt(*answer, "version");
  };
  FERRY_ASSIGN_OR_RETURN(const int64_t there, version_of("root"));
  FERRY_TRY(CheckSameRoot(api, directory, there));
  for (int64_t version = there + 1; version <= directory.root().version; ++version) {
    FERRY_ASSIGN_OR_RETURN(const Bytes document, directory.RootVersion(version));
    FERRY_TRY(api.Put("/metadata/root", {{"document", ToBase64(document)}})
                  .Context("root version {}", version));
  }
  bool sent_targets = false;
  if (directory.targets() != nullptr && there > 0) {
    FERRY_ASSIGN_OR_RETURN(const int64_t targets, version_of("targets"));
    if (targets > 0 && targets < directory.targets()->version) {
      FERRY_TRY(api.Post("/packages", {{"targets", ToBase64(directory.targets_document())},
                                       {"keys", Json::array()}}));
      sent_targets = true;
    }
  }
  Output out = Describe(directory, fmt::format("{} has it: ", api.url()));
  out.json()["uploaded_roots"] = std::max<int64_t>(0, directory.root().version - there);
  out.json()["uploaded_targets"] = sent_targets;
  return out;
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

  CLI::App* rotate = commands.Add(group, "rotate",
                                  "sign the next root: fresh keys for one role, or a later expiry",
                                  "ferry keys rotate --dir publisher --role targets",
                                  [options](const GlobalOptions&) { return Rotate(*options); });
  add_directory(rotate);
  rotate->add_option("--role", options->role, "root, targets, online, or none (only the expiry)")
      ->required()
      ->check(CLI::IsMember({"root", "targets", "online", "none"}));
  rotate->add_option("--online-keys", options->online_keys, "for --role online");
  rotate->add_option("--days", options->wanted.root_days, "until the root expires")
      ->check(CLI::Range(1, 3650))
      ->capture_default_str();

  CLI::App* upload = commands.AddOnline(
      group, "upload", "give the server the roots that it lacks",
      "ferry keys upload --dir publisher",
      [options](const GlobalOptions& global) { return Upload(*options, global); });
  add_directory(upload);
}

}  // namespace ferry::cli
