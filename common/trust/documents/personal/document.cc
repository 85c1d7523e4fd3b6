#include <array>

#include "common/base/json.h"
#include "common/trust/documents/header.h"
#include "common/trust/documents/personal/personal.h"
#include "common/trust/envelope.h"

namespace ferry::trust {
namespace {

constexpr std::string_view kPersonalVersion = "personal";
constexpr std::array<std::string_view, 9> kRunnableEndings = {
    ".dll", ".dylib", ".fbc", ".flm", ".fm", ".fpk", ".onnx", ".py", ".so"};

}  // namespace

std::string PersonalPath(std::string_view package, std::string_view name) {
  return fmt::format("personal/{}/{}", package, name);
}

std::string PersonalName(std::string_view path) {
  return std::string(path.substr(path.rfind('/') + 1));
}

TargetEntry PersonalEntry(std::string_view package) {
  TargetEntry entry;
  entry.kind = ArtefactKind::kPersonal;
  entry.package = package;
  entry.version = kPersonalVersion;
  entry.release_counter = 1;
  return entry;
}

Status CheckDataName(std::string_view name) {
  if (!IsName(name)) {
    return Status::Of(Code::kInvalidArgument,
                      "\"{:.200}\" is no name: 1 to {} of A-Z a-z 0-9 . _ + -, not a dot first",
                      name, kMaxNameBytes);
  }
  for (const std::string_view ending : kRunnableEndings) {
    if (!name.ends_with(ending)) continue;
    return Status::Of(Code::kInvalidArgument,
                      "\"{}\" ends in {}: personal files are data only, never what is run", name,
                      ending);
  }
  return OkStatus();
}

Json PersonalToJson(const PersonalTargets& personal) {
  Json out = HeaderToJson("targets", {personal.version, personal.expires_ms});
  Json entries = Json::object();
  for (const auto& [path, entry] : personal.entries) entries[path] = TargetEntryToJson(entry);
  out["targets"] = std::move(entries);
  out["ferry"] = {{"device", personal.device}};
  return out;
}

Result<PersonalTargets> PersonalFromJson(const Json& signed_part) {
  FERRY_ASSIGN_OR_RETURN(const Header header, HeaderFromJson(signed_part, "targets"));
  FERRY_ASSIGN_OR_RETURN(const Json* ferry, GetObject(signed_part, "ferry"));
  FERRY_ASSIGN_OR_RETURN(const Json* entries, GetObject(signed_part, "targets"));
  if (entries->size() > kMaxPersonalFiles) {
    return Status::Of(Code::kLimitExceeded, "{} personal files, at most {}", entries->size(),
                      kMaxPersonalFiles);
  }
  PersonalTargets out;
  out.version = header.version;
  out.expires_ms = header.expires_ms;
  FERRY_ASSIGN_OR_RETURN(out.device, GetString(*ferry, "device"));
  for (const auto& [path, value] : entries->items()) {
    FERRY_ASSIGN_OR_RETURN(TargetEntry entry,
                           TargetEntryFromJson(value).Context("target \"{:.200}\"", path));
    if (path != PersonalPath(entry.package, PersonalName(path))) {
      return Status::Of(Code::kMalformed, "target \"{:.200}\" does not fit its package \"{}\"",
                        path, entry.package);
    }
    out.entries.emplace(path, std::move(entry));
  }
  return out;
}

Status CheckDelegated(const PersonalDelegation& delegation, std::string_view path,
                      const TargetEntry& entry) {
  if (!delegation.data_only) {
    return Status(Code::kNotAuthorizedTarget,
                  "targets delegate personal files that are not data only: none is taken");
  }
  if (!TakesPath(delegation, path)) {
    return Status::Of(Code::kNotAuthorizedTarget,
                      "\"{:.200}\" is outside of what targets delegate as personal", path);
  }
  if (Status named = CheckDataName(PersonalName(path));
      entry.kind != ArtefactKind::kPersonal || !named.ok()) {
    return Status::Of(Code::kNotAuthorizedTarget, "\"{:.200}\" is not data only{}{}", path,
                      named.ok() ? "" : ": ", named.message());
  }
  if (entry.plain_length <= delegation.max_bytes) return OkStatus();
  return Status::Of(Code::kLimitExceeded, "\"{:.200}\" has {} bytes, targets delegate at most {}",
                    path, entry.plain_length, delegation.max_bytes);
}

Status CheckDelegated(const PersonalDelegation& delegation, const PersonalTargets& personal) {
  uint64_t total = 0;
  for (const auto& [path, entry] : personal.entries) {
    FERRY_TRY(CheckDelegated(delegation, path, entry));
    total += entry.plain_length;
  }
  if (total <= kMaxPersonalTotalBytes) return OkStatus();
  return Status::Of(Code::kLimitExceeded, "{} bytes of personal files, at most {}", total,
                    kMaxPersonalTotalBytes);
}

Result<Bytes> SignPersonal(const PersonalTargets& personal, const SigningKey& signer) {
  return SignDocument(PersonalToJson(personal), {&signer, 1});
}

}  // namespace ferry::trust
