#include "cloud-server/rollout/new_release.h"
#include "cloud-server/rollout/plan.h"
#include "cloud-server/rollout/rollout.h"
#include "common/base/json.h"
#include "policy/requires/requires.h"

namespace ferry::server {

namespace {

// Counts every device, and keeps those that are shown.
class PreviewMaker {
 public:
  PreviewMaker(const PreviewAsk& ask, const stage::Plan& plan, std::string salt)
      : ask_(ask), plan_(plan) {
    preview_.salt = std::move(salt);
    for (const stage::Stage& stage : plan.stages)
      preview_.stages.push_back({stage.name, std::string(stage::KindName(stage.kind)), 0, {}});
  }

  void Add(const target::Attributes& device, bool blocked) {
    std::optional<size_t> first;
    if (!blocked) first = stage::FirstStage(plan_, device, preview_.salt);
    if (!first) return AddOutside(device, blocked);
    ++preview_.matched;
    ++preview_.stages[*first].planned;
    if (device.device_id <= ask_.devices_after) return;
    preview_.more_devices = preview_.devices.size() >= ask_.limit;
    if (preview_.more_devices) return;
    preview_.devices.push_back(device.device_id);
    preview_.stages[*first].adds.push_back(device.device_id);
  }

  Preview Take() { return std::move(preview_); }

 private:
  // Words for those alone that are shown: there may be very many others.
  void AddOutside(const target::Attributes& device, bool blocked) {
    ++preview_.left_out;
    if (device.device_id <= ask_.outside_after) return;
    preview_.more_outside = preview_.outside.size() >= ask_.limit;
    if (preview_.more_outside) return;
    const target::Explanation rule = stage::ExplainRule(plan_, device, preview_.salt);
    const char* other =
        blocked ? "the device is blocked" : "matches the rule, but no stage takes it";
    preview_.outside.push_back(
        {device.device_id, !blocked && !rule.matches ? rule.reason : std::string(other)});
  }

  const PreviewAsk& ask_;
  const stage::Plan& plan_;
  Preview preview_;
};

}  // namespace

Result<Preview> Rollout::PreviewOf(const PreviewAsk& ask) {
  FERRY_ASSIGN_OR_RETURN(const stage::Plan plan, CompletePlan(ask.plan));
  PreviewMaker maker(ask, plan, ask.salt.empty() ? DrawSalt() : ask.salt);
  if (ask.each_device) {
    FERRY_TRY(ask.each_device(
        [&](const target::Attributes& device, bool blocked) { maker.Add(device, blocked); }));
    return maker.Take();
  }
  std::vector<DeviceRow> devices;
  FERRY_TRY(options_.store->Read([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(devices, tx.devices().All(options_.tenant));
    return OkStatus();
  }));
  for (const DeviceRow& device : devices) maker.Add(AttributesOf(device), device.blocked);
  return maker.Take();
}

Result<Preview> Rollout::PreviewOf(const Json& plan, const std::string& salt) {
  PreviewAsk ask;
  ask.plan = plan;
  ask.salt = salt;
  return PreviewOf(ask);
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
