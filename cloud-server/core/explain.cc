#include "cloud-server/core/apply.h"
#include "cloud-server/core/tally.h"

namespace ferry::server {
namespace {

std::string MemberText(const ReleaseRow& release, const MemberRow& member) {
  std::string what = fmt::format("{} {}", release.package, release.version);
  if (member.told == "keep")
    return fmt::format("has {}, from which no signed way leads back", what);
  if (member.back)
    return fmt::format("was offered {} and {} sent back to {}", what,
                       member.done ? "was" : "is being", release.fallback_version);
  switch (member.outcome) {
    case Outcome::kHealthy:
      return fmt::format("has {} and reported well", what);
    case Outcome::kFailed:
      return fmt::format("was offered {} and failed: {}", what,
                         member.error_text.empty() ? member.step : member.error_text);
    case Outcome::kDeviceCause:
      return fmt::format("was offered {} and could not take it for a cause of its own: {}", what,
                         member.error_text.empty() ? member.step : member.error_text);
    case Outcome::kOpen:
      break;
  }
  if (member.step == "confirmed")
    return fmt::format("has {} and confirmed it{}", what,
                       member.overdue ? "; nothing was heard from it since" : "");
  return fmt::format("was offered {}; last step: {}", what,
                     member.step.empty() ? "none yet" : member.step);
}

}  // namespace

Result<Why> Explain(const ReleaseRow& release, const DeviceRow& device, const MemberRow* member,
                    bool in_bins) {
  FERRY_ASSIGN_OR_RETURN(stage::Plan plan, PlanOf(release));
  target::Attributes attributes = AttributesOf(device);
  target::Explanation rule = stage::ExplainRule(plan, attributes, release.salt);
  Why why;
  why.matches_rule = rule.matches;
  why.assigned = member != nullptr && !member->back;
  if (member != nullptr) {
    why.text = MemberText(release, *member);
    return why;
  }
  if (device.blocked) {
    why.text = "the device is blocked";
  } else if (!rule.matches) {
    why.text = "outside the rule: " + rule.reason;
  } else if (release.state == ReleaseState::kPaused) {
    why.text = "matches the rule; the release is paused";
  } else if (!TakesDevices(release.state)) {
    why.text = fmt::format("matches the rule; the release is {}: {}", NameOf(release.state),
                           release.reason);
  } else if (IsStopped(release, target::SlicesOf(attributes))) {
    why.text = fmt::format("matches the rule; of a slice that a gate stopped alone: {}",
                           fmt::join(release.stopped_slices, ", "));
  } else {
    target::Explanation included =
        stage::Includes(plan, static_cast<size_t>(release.stage), attributes, release.salt);
    const bool waits = plan.when.empty() || device.reads_when;
    const bool compared =
        plan.stages[static_cast<size_t>(release.stage)].control == 0 || device.observes;
    const bool reads = !in_bins || device.reads_bins;
    why.text =
        included.matches && !reads
            ? "matches rule and stage; the signed targets lie in bins, which its runtime does "
              "not fetch: it needs a newer one (or `ferry keys bins --bits 0`)"
        : included.matches && !waits
            ? "matches rule and stage; its runtime does not know to wait for the conditions"
        : included.matches && !compared
            ? "matches rule and stage; the stage compares with devices that are held back, "
              "and its runtime does not report what that takes: a later stage offers it"
        : included.matches && plan.rate
            ? "matches rule and stage; offered as soon as the release's rate allows"
        : included.matches ? "matches rule and stage; the next look at the release offers it"
                           : "matches the rule; not in the present stage: " + included.reason;
  }
  return why;
}

Status CheckKeyFor(const ReleaseRow& release, const DeviceRow& device) {
  FERRY_ASSIGN_OR_RETURN(const stage::Plan plan, PlanOf(release));
  if (!plan.trusted_only) return OkStatus();
  const target::Explanation rule = stage::ExplainRule(plan, AttributesOf(device), release.salt);
  if (rule.matches) return OkStatus();
  return Status::Of(Code::kPermissionDenied,
                    "release {} gives keys by the operator's word alone, and for device {} {}",
                    release.id, device.id, rule.reason);
}

}  // namespace ferry::server
