#include "common/trust/desired.h"

#include <algorithm>
#include <array>

#include "common/base/check.h"
#include "common/base/json.h"
#include "common/trust/documents/header.h"
#include "common/trust/envelope.h"
#include "common/trust/targets.h"
#include "common/trust/time.h"

namespace ferry::trust {
namespace {

constexpr std::array<std::string_view, 3> kStateNames = {"run", "disabled", "absent"};

Result<std::string> GetShortName(const Json& object, std::string_view key) {
  FERRY_ASSIGN_OR_RETURN(std::string text, GetString(object, key));
  if (text.size() > kMaxNameBytes)
    return Status::Of(Code::kLimitExceeded, "field \"{}\" has {} bytes, at most {}", key,
                      text.size(), kMaxNameBytes);
  return text;
}

}  // namespace

std::string_view NameOf(DesiredState state) {
  return kStateNames[static_cast<size_t>(state)];
}

Result<DesiredState> DesiredStateFromName(std::string_view name) {
  for (size_t i = 0; i < kStateNames.size(); ++i)
    if (kStateNames[i] == name) return static_cast<DesiredState>(i);
  return Status::Of(Code::kMalformed, "field \"state\" is \"{:.40}\"", name);
}

namespace {

Json MadeToJson(const MadeDelta& made) {
  return {{"base_version", made.base_version},
          {"base_sha256", ToHex(made.base_sha256)},
          {"length", made.length},
          {"sha256", ToHex(made.sha256)}};
}

Result<std::optional<MadeDelta>> MadeFromJson(const Json& package) {
  FERRY_ASSIGN_OR_RETURN(const Json* object, GetObjectOrNull(package, "made"));
  if (object == nullptr) return std::optional<MadeDelta>();
  MadeDelta out;
  FERRY_ASSIGN_OR_RETURN(out.base_version, GetShortName(*object, "base_version"));
  if (!IsName(out.base_version))
    return Status(Code::kMalformed, "field \"base_version\" is no name");
  FERRY_ASSIGN_OR_RETURN(out.base_sha256, GetHash32(*object, "base_sha256"));
  FERRY_ASSIGN_OR_RETURN(const int64_t length,
                         GetIntIn(*object, "length", 1, static_cast<int64_t>(kMaxArtefactBytes)));
  out.length = static_cast<uint64_t>(length);
  FERRY_ASSIGN_OR_RETURN(out.sha256, GetHash32(*object, "sha256"));
  return std::optional<MadeDelta>(std::move(out));
}

}  // namespace

TargetEntry MadeEntryOf(const TargetEntry& full, const MadeDelta& made) {
  TargetEntry out = full;
  out.kind = ArtefactKind::kDelta;
  out.length = made.length;
  out.sha256 = made.sha256;
  out.base_version = made.base_version;
  out.base_sha256 = made.base_sha256;
  out.requires_json.clear();
  out.licence.clear();
  out.description.clear();
  return out;
}

Json DesiredPackageToJson(const DesiredPackage& package) {
  Json json = {{"state", NameOf(package.state)}, {"version", package.version},
               {"release", package.release},     {"attempt", package.attempt},
               {"back", package.back},           {"targets", package.targets},
               {"files", package.files}};
  if (package.made) json["made"] = MadeToJson(*package.made);
  if (!package.observe.empty()) json["observe"] = package.observe;
  if (package.when.empty()) return json;
  Result<Json> when = ParseJson(package.when);
  CHECK(when.ok()) << "conditions that are no JSON: " << package.when;
  json["when"] = *std::move(when);
  return json;
}

Result<DesiredPackage> DesiredPackageFromJson(const Json& object) {
  DesiredPackage out;
  FERRY_ASSIGN_OR_RETURN(const std::string state, GetString(object, "state"));
  FERRY_ASSIGN_OR_RETURN(out.state, DesiredStateFromName(state));
  FERRY_ASSIGN_OR_RETURN(out.version, GetShortName(object, "version"));
  FERRY_ASSIGN_OR_RETURN(out.release, GetShortName(object, "release"));
  FERRY_ASSIGN_OR_RETURN(out.attempt, GetIntIn(object, "attempt", 0, kMaxVersion));
  FERRY_ASSIGN_OR_RETURN(out.back, GetBool(object, "back"));
  FERRY_ASSIGN_OR_RETURN(out.targets, GetPaths(object, "targets"));
  FERRY_ASSIGN_OR_RETURN(out.files, GetPaths(object, "files"));
  FERRY_ASSIGN_OR_RETURN(out.made, MadeFromJson(object).Context("field \"made\""));
  FERRY_ASSIGN_OR_RETURN(const Json* when, GetObjectOrNull(object, "when"));
  if (when != nullptr) out.when = WriteJson(*when);
  if (out.when.size() > kMaxWhenBytes)
    return Status::Of(Code::kLimitExceeded, "field \"when\" has {} bytes, at most {}",
                      out.when.size(), kMaxWhenBytes);
  if (object.contains("observe")) {
    FERRY_ASSIGN_OR_RETURN(out.observe, GetShortName(object, "observe"));
  }
  const bool wanted = out.state != DesiredState::kAbsent;
  if (wanted != !out.version.empty() || wanted != !out.targets.empty())
    return Status::Of(Code::kMalformed, "a package that is {} has the version \"{:.40}\", {} paths",
                      NameOf(out.state), out.version, out.targets.size());
  return out;
}

Json DesiredToJson(const Desired& desired) {
  Json packages = Json::object();
  for (const auto& [name, package] : desired.packages)
    packages[name] = DesiredPackageToJson(package);
  Json out = {{"_type", "desired"},
              {"device", desired.device},
              {"counter", desired.counter},
              {"packages", std::move(packages)},
              {"unanswered", desired.unanswered},
              {"expires", FormatTime(desired.expires_ms)}};
  if (desired.personal) out["personal"] = MetaToJson(*desired.personal);
  return out;
}

Result<Desired> DesiredFromJson(const Json& signed_part) {
  FERRY_ASSIGN_OR_RETURN(const std::string type, GetString(signed_part, "_type"));
  if (type != "desired")
    return Status::Of(Code::kMalformed, "_type is \"{:.40}\", wanted \"desired\"", type);
  Desired out;
  FERRY_ASSIGN_OR_RETURN(out.device, GetString(signed_part, "device"));
  FERRY_ASSIGN_OR_RETURN(out.counter, GetIntIn(signed_part, "counter", 1, kMaxVersion));
  FERRY_ASSIGN_OR_RETURN(const Json* packages, GetObject(signed_part, "packages"));
  if (packages->size() > kMaxDesiredPackages)
    return Status::Of(Code::kLimitExceeded, "{} packages, at most {}", packages->size(),
                      kMaxDesiredPackages);
  for (const auto& [name, object] : packages->items()) {
    if (name.empty() || name.size() > kMaxNameBytes)
      return Status::Of(Code::kMalformed, "a package has a name of {} bytes", name.size());
    FERRY_ASSIGN_OR_RETURN(out.packages[name],
                           DesiredPackageFromJson(object).Context("package {}", name));
  }
  if (const auto unanswered = signed_part.find("unanswered"); unanswered != signed_part.end()) {
    for (const Json& name : *unanswered)
      if (name.is_string() && out.packages.contains(name)) out.unanswered.insert(name);
  }
  FERRY_ASSIGN_OR_RETURN(const std::string expires, GetString(signed_part, "expires"));
  FERRY_ASSIGN_OR_RETURN(out.expires_ms, ParseTime(expires).Context("field \"expires\""));
  FERRY_ASSIGN_OR_RETURN(const Json* personal, GetObjectOrNull(signed_part, "personal"));
  if (personal != nullptr) {
    FERRY_ASSIGN_OR_RETURN(out.personal, MetaFromJson(*personal).Context("field \"personal\""));
  }
  return out;
}

Result<Bytes> SignDesired(const Desired& desired, const SigningKey& director) {
  return SignDocument(DesiredToJson(desired), {&director, 1});
}

Assignment AssignmentOf(const Desired& desired, const DesiredPackage& package) {
  Assignment out;
  out.device = desired.device;
  out.counter = desired.counter;
  out.epoch = desired.counter;
  out.release = package.release;
  out.action = package.state == DesiredState::kAbsent ? Action::kNone
               : package.back                         ? Action::kRollback
                                                      : Action::kInstall;
  out.targets = package.targets;
  out.exclusive = package.files;
  out.expires_ms = desired.expires_ms;
  return out;
}

}  // namespace ferry::trust
