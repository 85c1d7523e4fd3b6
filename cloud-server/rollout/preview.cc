#include "cloud-server/rollout/plan.h"
#include "cloud-server/rollout/rollout.h"
#include "common/base/json.h"
#include "policy/requires/requires.h"

namespace ferry::server {

Result<Preview> Rollout::PreviewOf(const Json& plan_json, const std::string& wanted_salt) {
  const std::string salt = wanted_salt.empty() ? DrawSalt() : wanted_salt;
  FERRY_ASSIGN_OR_RETURN(stage::Plan plan, CompletePlan(plan_json));
  std::vector<DeviceRow> devices;
  FERRY_TRY(options_.store->Read([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(devices, tx.devices().All(options_.tenant));
    return OkStatus();
  }));
  Preview preview;
  preview.salt = salt;
  for (const stage::Stage& stage : plan.stages)
    preview.stages.push_back({stage.name, std::string(stage::KindName(stage.kind)), {}});
  for (const DeviceRow& device : devices) {
    target::Attributes attributes = AttributesOf(device);
    target::Explanation rule = stage::ExplainRule(plan, attributes, salt);
    if (device.blocked || !rule.matches) {
      preview.outside.push_back(
          {device.id, device.blocked ? "the device is blocked" : rule.reason});
      continue;
    }
    std::optional<size_t> first = stage::FirstStage(plan, attributes, salt);
    if (!first) {
      preview.outside.push_back({device.id, "matches the rule, but no stage takes it"});
      continue;
    }
    preview.devices.push_back(device.id);
    preview.stages[*first].adds.push_back(device.id);
  }
  return preview;
}

Result<Rollout::Answer> Rollout::WhyOf(const std::string& device, const std::string& release) {
  Answer answer;
  FERRY_TRY(options_.store->Read([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(DeviceRow row, tx.devices().Get(device));
    ReleaseRow about;
    if (release.empty()) {
      FERRY_ASSIGN_OR_RETURN(std::vector<ReleaseRow> all, tx.releases().All());
      if (all.empty()) return Status(Code::kNotFound, "there is no release yet");
      about = all[0];
    } else {
      FERRY_ASSIGN_OR_RETURN(about, tx.releases().Get(release));
    }
    FERRY_ASSIGN_OR_RETURN(std::optional<MemberRow> member, tx.releases().Member(about.id, device));
    FERRY_ASSIGN_OR_RETURN(const int64_t bins, tx.packages().TargetsBins());
    FERRY_ASSIGN_OR_RETURN(answer.why, Explain(about, row, member ? &*member : nullptr, bins > 0));
    answer.release = about.id;
    if (member || !answer.why.matches_rule) return OkStatus();
    FERRY_ASSIGN_OR_RETURN(const PackageRow package,
                           tx.packages().Get(about.package, about.version));
    FERRY_ASSIGN_OR_RETURN(const requires_::Requires needs,
                           requires_::RequiresFromText(package.requires_json));
    std::map<std::string, std::string> beside;
    FERRY_ASSIGN_OR_RETURN(const std::vector<InstalledRow> installed,
                           tx.devices().Installed(device));
    for (const InstalledRow& has : installed) beside[has.package] = has.version;
    const requires_::Fit fit = requires_::CheckRequires(needs, AttributesOf(row), beside);
    if (!fit.fits) answer.why.text = "matches the rule; the package " + fit.why;
    return OkStatus();
  }));
  return answer;
}

}  // namespace ferry::server
