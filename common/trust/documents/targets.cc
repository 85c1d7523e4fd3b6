#include "common/trust/targets.h"

#include "common/base/json.h"
#include "common/trust/documents/entries.h"
#include "common/trust/documents/header.h"

namespace ferry::trust {

std::string FullPath(std::string_view package, std::string_view version) {
  return fmt::format("{}/{}/full", package, version);
}

std::string DeltaPath(std::string_view package, std::string_view version, std::string_view base) {
  return fmt::format("{}/{}/delta-from-{}", package, version, base);
}

std::string MadeDeltaPath(std::string_view package, std::string_view version,
                          std::string_view base) {
  return fmt::format("{}/{}/made-delta-from-{}", package, version, base);
}

std::string ExclusivePath(std::string_view package, std::string_view version,
                          std::string_view name) {
  return fmt::format("{}/{}/exclusive/{}", package, version, name);
}

bool IsName(std::string_view text) {
  if (text.empty() || text.size() > kMaxNameBytes || text.front() == '.') return false;
  for (const char c : text) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (!letter && c != '.' && c != '_' && c != '+' && c != '-') return false;
  }
  return true;
}

Json TargetsToJson(const Targets& targets) {
  Json out = HeaderToJson("targets", {targets.version, targets.expires_ms});
  out["targets"] = targets.bins ? Json::object() : EntriesToJson(targets.entries);
  Json ferry = Json::object();
  if (!targets.withdrawn.empty()) ferry = WithdrawalsToJson(targets.withdrawn);
  if (targets.bins) {
    out["delegations"] = HashBinsToJson(*targets.bins);
    ferry["bins"] = targets.bins->versions;
  }
  // TUF knows named roles or bins below one document, not both.
  if (targets.personal) {
    (targets.bins ? ferry["personal"] : out["delegations"]) =
        PersonalDelegationToJson(*targets.personal);
  }
  if (!ferry.empty()) out["ferry"] = std::move(ferry);
  return out;
}

Result<Targets> TargetsFromJson(const Json& signed_part) {
  FERRY_ASSIGN_OR_RETURN(const Header header, HeaderFromJson(signed_part, "targets"));
  Targets out;
  out.version = header.version;
  out.expires_ms = header.expires_ms;
  FERRY_ASSIGN_OR_RETURN(out.entries, EntriesFromJson(signed_part));
  FERRY_ASSIGN_OR_RETURN(const Json* ferry, GetObjectOrNull(signed_part, "ferry"));
  if (ferry != nullptr) {
    if (ferry->contains("bin")) return Status(Code::kMalformed, "this is one bin of the targets");
    FERRY_ASSIGN_OR_RETURN(out.withdrawn, WithdrawalsFromJson(*ferry));
  }
  FERRY_ASSIGN_OR_RETURN(const Json* delegations, GetObjectOrNull(signed_part, "delegations"));
  if (delegations == nullptr) return out;
  FERRY_ASSIGN_OR_RETURN(out.bins, HashBinsFromJson(*delegations, ferry));
  if (!out.bins) {
    FERRY_ASSIGN_OR_RETURN(out.personal, PersonalDelegationFromJson(*delegations));
    return out;
  }
  if (!out.entries.empty()) {
    return Status::Of(Code::kMalformed, "{} targets beside bins", out.entries.size());
  }
  FERRY_ASSIGN_OR_RETURN(const Json* personal, GetObjectOrNull(*ferry, "personal"));
  if (personal != nullptr) {
    FERRY_ASSIGN_OR_RETURN(out.personal, PersonalDelegationFromJson(*personal));
  }
  return out;
}

Json BinToJson(const TargetsBin& bin, std::string_view name) {
  Json out = HeaderToJson("targets", {bin.version, bin.expires_ms});
  out["targets"] = EntriesToJson(bin.entries);
  out["ferry"] = {{"bin", name}};
  return out;
}

Result<TargetsBin> BinFromJson(const Json& signed_part, const HashBins& bins,
                               std::string_view name) {
  FERRY_ASSIGN_OR_RETURN(const Header header, HeaderFromJson(signed_part, "targets"));
  FERRY_ASSIGN_OR_RETURN(const Json* ferry, GetObject(signed_part, "ferry"));
  FERRY_ASSIGN_OR_RETURN(const std::string says, GetString(*ferry, "bin"));
  if (says != name || !BinNumber(bins, name)) {
    return Status::Of(Code::kMalformed, "it says to be \"{:.40}\"", says);
  }
  if (signed_part.contains("delegations")) {
    return Status(Code::kMalformed, "a bin delegates nothing");
  }
  TargetsBin out;
  out.version = header.version;
  out.expires_ms = header.expires_ms;
  FERRY_ASSIGN_OR_RETURN(out.entries, EntriesFromJson(signed_part));
  for (const auto& [path, entry] : out.entries) {
    const std::string bin = BinOf(bins, path);
    if (bin == name) continue;
    return Status::Of(Code::kMalformed, "target \"{:.200}\" belongs into {}", path, bin);
  }
  return out;
}

}  // namespace ferry::trust
