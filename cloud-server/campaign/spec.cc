#include "cloud-server/campaign/spec.h"

#include <algorithm>

#include "common/trust/time.h"
#include "policy/gate/gate.h"
#include "policy/stage/plan.h"

namespace ferry::server {
namespace {

Status CheckMembers(const Json& json, std::initializer_list<std::string_view> known) {
  if (!json.is_object()) return Status(Code::kMalformed, "it is no object");
  for (const auto& [key, value] : json.items())
    if (std::find(known.begin(), known.end(), key) == known.end())
      return Status::Of(Code::kMalformed, "there is no member \"{:.40}\"", key);
  return OkStatus();
}

Status CheckName(const std::string& name) {
  const bool plain = std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-';
  });
  if (plain && !name.empty() && name.size() <= kMaxCampaignName) return OkStatus();
  return Status::Of(Code::kInvalidArgument, "name \"{:.80}\": 1 to {} of letters, digits and ._-",
                    name, kMaxCampaignName);
}

Result<int64_t> TimeOr(const Json& json, std::string_view key) {
  FERRY_ASSIGN_OR_RETURN(const std::string text, GetStringOr(json, key, ""));
  if (text.empty()) return int64_t{0};
  return trust::ParseTime(text).Context("{}", key);
}

// The member of the release, or of the campaign where it has none.
void Inherit(const Json& campaign, const Json& release, const char* key, Json* plan) {
  for (const Json* from : {&release, &campaign}) {
    if (!from->contains(key) || (*from)[key].is_null()) continue;
    (*plan)[key] = (*from)[key];
    return;
  }
}

// Each must begin before both its own deadline and that of the campaign.
Status AddDeadline(int64_t deadline_ms, Json* plan) {
  if (deadline_ms == 0) return OkStatus();
  Json& when = (*plan)["when"];
  if (when.is_null()) when = Json::object();
  if (!when.is_object()) return OkStatus();  // reading the plan says so
  FERRY_ASSIGN_OR_RETURN(const int64_t own_ms, GetIntOr(when, "deadline_ms", 0));
  when["deadline_ms"] = own_ms > 0 ? std::min(own_ms, deadline_ms) : deadline_ms;
  return OkStatus();
}

Result<CampaignRelease> ReleaseFromJson(const Json& campaign, const Json& json,
                                        int64_t deadline_ms) {
  FERRY_TRY(CheckMembers(json, {"package", "version", "rule", "stages", "gate", "trusted_only",
                                "salt", "again", "after", "rate", "retries", "when"}));
  CampaignRelease out;
  NewRelease& release = out.release;
  FERRY_ASSIGN_OR_RETURN(release.package, GetString(json, "package"));
  FERRY_ASSIGN_OR_RETURN(release.version, GetString(json, "version"));
  FERRY_ASSIGN_OR_RETURN(release.salt, GetStringOr(json, "salt", ""));
  FERRY_ASSIGN_OR_RETURN(release.again, GetBoolOr(json, "again", false));
  FERRY_ASSIGN_OR_RETURN(std::string rule, GetStringOr(json, "rule", ""));
  FERRY_ASSIGN_OR_RETURN(const bool trusted_only, GetBoolOr(json, "trusted_only", false));
  FERRY_ASSIGN_OR_RETURN(const Json* stages, GetArrayOrNull(json, "stages"));
  FERRY_ASSIGN_OR_RETURN(const Json* gate, GetObjectOrNull(json, "gate"));
  FERRY_ASSIGN_OR_RETURN(const std::string after, GetStringOr(json, "after", "complete"));
  if (after != "complete" && after != "first_stage")
    return Status::Of(Code::kInvalidArgument, "after \"{:.40}\" is not complete or first_stage",
                      after);
  out.after = after == "complete" ? After::kComplete : After::kFirstStage;
  release.plan = {{"rule", rule.empty() ? "all" : rule}};
  if (trusted_only) release.plan["trusted_only"] = true;
  if (stages != nullptr) release.plan["stages"] = *stages;
  if (gate != nullptr) release.settings = *gate;
  for (const char* key : {"rate", "retries", "when"}) Inherit(campaign, json, key, &release.plan);
  FERRY_TRY(AddDeadline(deadline_ms, &release.plan));
  // Found here rather than in the middle of a campaign.
  FERRY_TRY(stage::PlanFromJson(release.plan));
  FERRY_TRY(gate::SettingsFromJson(gate == nullptr ? Json::object() : *gate).Context("gate"));
  return out;
}

}  // namespace

Result<CampaignSpec> SpecFromJson(const Json& json) {
  FERRY_TRY(CheckMembers(
      json, {"name", "start", "deadline", "on_stop", "rate", "retries", "when", "releases"}));
  CampaignSpec spec;
  FERRY_ASSIGN_OR_RETURN(spec.name, GetString(json, "name"));
  FERRY_TRY(CheckName(spec.name));
  FERRY_ASSIGN_OR_RETURN(spec.start_ms, TimeOr(json, "start"));
  FERRY_ASSIGN_OR_RETURN(spec.deadline_ms, TimeOr(json, "deadline"));
  if (spec.deadline_ms != 0 && spec.deadline_ms <= spec.start_ms)
    return Status(Code::kInvalidArgument, "deadline: it is not after the start");
  FERRY_ASSIGN_OR_RETURN(const std::string on_stop, GetStringOr(json, "on_stop", "stop"));
  if (on_stop != "stop" && on_stop != "rollback_all")
    return Status::Of(Code::kInvalidArgument, "on_stop \"{:.40}\" is not stop or rollback_all",
                      on_stop);
  spec.on_stop = on_stop == "stop" ? OnStop::kStop : OnStop::kRollbackAll;
  FERRY_ASSIGN_OR_RETURN(const Json* releases, GetArray(json, "releases"));
  if (releases->empty()) return Status(Code::kInvalidArgument, "releases: there is none");
  if (releases->size() > kMaxCampaignReleases)
    return Status::Of(Code::kLimitExceeded, "releases: {}, at most {}", releases->size(),
                      kMaxCampaignReleases);
  for (size_t i = 0; i < releases->size(); ++i) {
    FERRY_ASSIGN_OR_RETURN(
        CampaignRelease release,
        ReleaseFromJson(json, (*releases)[i], spec.deadline_ms).Context("releases[{}]", i));
    for (const CampaignRelease& before : spec.releases)
      if (before.release.package == release.release.package && release.after == After::kFirstStage)
        return Status::Of(Code::kInvalidArgument,
                          "releases[{}].after: {} has an earlier release here, which must be "
                          "complete first",
                          i, release.release.package);
    spec.releases.push_back(std::move(release));
  }
  if (const size_t bytes = WriteJson(json).size(); bytes > kMaxCampaignBytes)
    return Status::Of(Code::kLimitExceeded, "{} bytes, at most {}", bytes, kMaxCampaignBytes);
  return spec;
}

Result<CampaignSpec> SpecFromText(const std::string& text) {
  FERRY_ASSIGN_OR_RETURN(const Json json, ParseJson(text));
  return SpecFromJson(json);
}

}  // namespace ferry::server
