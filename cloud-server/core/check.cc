#include <algorithm>
#include <map>

#include "cloud-server/core/apply.h"
#include "common/base/json.h"

namespace ferry::server {

target::Attributes AttributesOf(const DeviceRow& device) {
  auto known = [](const std::string& text) {
    return text.empty() ? std::nullopt : std::optional<std::string>(text);
  };
  target::Attributes attributes;
  attributes.device_id = device.id;
  attributes.os = known(device.os);
  attributes.app_version = known(device.app_version);
  attributes.device_class = known(device.device_class);
  attributes.runtime_version = known(device.runtime_version);
  attributes.tags = device.tags;
  attributes.operator_tags = device.operator_tags;
  attributes.extra = device.extra;
  if (device.memory_bytes >= 0) attributes.memory_bytes = device.memory_bytes;
  if (device.free_bytes >= 0) attributes.free_bytes = device.free_bytes;
  attributes.isa = device.isa;
  attributes.measured_class = known(device.measured_class);
  attributes.user = device.user;
  attributes.at_rest = device.at_rest;
  attributes.groups = device.groups;
  attributes.fleet_groups = device.fleet.all;
  return attributes;
}

Result<std::vector<std::string>> OperatorTagsFrom(std::vector<std::string> tags) {
  std::sort(tags.begin(), tags.end());
  tags.erase(std::unique(tags.begin(), tags.end()), tags.end());
  if (tags.size() > kMaxOperatorTags)
    return Status::Of(Code::kLimitExceeded, "{} tags, at most {}", tags.size(), kMaxOperatorTags);
  for (const std::string& tag : tags) {
    if (tag.empty()) return Status(Code::kInvalidArgument, "a tag is empty");
    if (tag.size() > target::kMaxAttributeBytes)
      return Status::Of(Code::kLimitExceeded, "a tag of {} bytes, at most {}", tag.size(),
                        target::kMaxAttributeBytes);
  }
  return tags;
}

namespace {

constexpr size_t kMaxRead = 64;

// What `read` makes of a text, remembered: each report and tick is about one of a few releases.
template <typename T, typename ReadText>
Result<T> ReadOnce(const std::string& text, const ReadText& read) {
  thread_local std::map<std::string, T, std::less<>> known;
  if (const auto found = known.find(text); found != known.end()) return found->second;
  FERRY_ASSIGN_OR_RETURN(const Json json, ParseJson(text));
  FERRY_ASSIGN_OR_RETURN(T value, read(json));
  if (known.size() >= kMaxRead) known.clear();
  known[text] = value;
  return value;
}

}  // namespace

Result<stage::Plan> PlanOf(const ReleaseRow& release) {
  return ReadOnce<stage::Plan>(release.plan_json, stage::PlanFromJson)
      .Context("plan of release {}", release.id);
}

Result<gate::Settings> SettingsOf(const ReleaseRow& release) {
  return ReadOnce<gate::Settings>(release.settings_json, gate::SettingsFromJson)
      .Context("gate settings of release {}", release.id);
}

Status CheckRelease(const ReleaseRow& release) {
  if (release.package.empty() || release.version.empty())
    return Status(Code::kInvalidArgument, "a release needs a package and a version");
  if (release.salt.empty() || release.salt.size() > kMaxSaltBytes)
    return Status::Of(Code::kInvalidArgument, "salt: {} bytes, not 1 to {}", release.salt.size(),
                      kMaxSaltBytes);
  FERRY_ASSIGN_OR_RETURN(stage::Plan plan, PlanOf(release));
  FERRY_TRY(stage::CheckPlan(plan));
  if (plan.stages.empty())
    return Status(Code::kInvalidArgument, "a release needs at least one stage");
  return AsStatus(SettingsOf(release));
}

}  // namespace ferry::server
