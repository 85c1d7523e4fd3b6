#include "policy/stage/plan.h"

#include <set>

namespace ferry::stage {
namespace {

// Order in which kinds may follow each other.
int Rank(Kind kind) {
  return static_cast<int>(kind);
}

Status Bad(size_t index, const Stage& stage, std::string_view why) {
  return Status::Of(Code::kInvalidArgument, "stage {} ({}): {}", index + 1, stage.name, why);
}

Status CheckTime(size_t index, const Stage& stage, std::string_view what, int64_t value) {
  if (value >= 0 && value <= kMaxStageMs) return OkStatus();
  return Bad(index, stage, fmt::format("{} is not from 0 to {}", what, kMaxStageMs));
}

// Zero stands for a ratio that is not judged.
bool IsRatio(double ratio) {
  return ratio == 0 || (ratio >= kMinRatio && ratio <= kMaxRatio);
}

Status CheckComparison(size_t index, const Stage& stage) {
  const bool asks = stage.same_outputs || stage.max_time_ratio != 0 || stage.max_memory_ratio != 0;
  if (asks && stage.kind != Kind::kSimulation)
    return Bad(index, stage,
               "same_outputs, max_time_ratio and max_memory_ratio belong to a simulation");
  if (!IsRatio(stage.max_time_ratio))
    return Bad(index, stage,
               fmt::format("max_time_ratio is not from {} to {}", kMinRatio, kMaxRatio));
  if (IsRatio(stage.max_memory_ratio)) return OkStatus();
  return Bad(index, stage,
             fmt::format("max_memory_ratio is not from {} to {}", kMinRatio, kMaxRatio));
}

Status CheckOne(const Plan& plan, size_t index) {
  const Stage& stage = plan.stages[index];
  FERRY_TRY(CheckTime(index, stage, "min_healthy_ms", stage.min_healthy_ms));
  FERRY_TRY(CheckTime(index, stage, "report_timeout_ms", stage.report_timeout_ms));
  if (stage.min_reports < 0) return Bad(index, stage, "min_reports is negative");
  if (stage.control < 0 || stage.control > kMaxControl)
    return Bad(index, stage, "control is not from 0 to 90 percent");
  if (stage.control > 0 && stage.kind == Kind::kSimulation)
    return Bad(index, stage, "a simulation has no devices to hold back");
  FERRY_TRY(CheckComparison(index, stage));
  const bool gray = stage.kind == Kind::kGray;
  if (gray && (stage.share <= 0 || stage.share >= target::kWholeShare))
    return Bad(index, stage, "percent must lie between 0 and 100");
  if (index == 0) return OkStatus();
  const Stage& before = plan.stages[index - 1];
  if (Rank(before.kind) > Rank(stage.kind))
    return Bad(index, stage, "the order is simulation, beta, gray, full");
  const bool single = stage.kind == Kind::kSimulation || stage.kind == Kind::kFull;
  if (single && before.kind == stage.kind) return Bad(index, stage, "there may be one of its kind");
  if (gray && before.kind == Kind::kGray && stage.share <= before.share)
    return Bad(index, stage, "percent must be larger than in the stage before");
  return OkStatus();
}

}  // namespace

std::string_view KindName(Kind kind) {
  switch (kind) {
    case Kind::kSimulation:
      return "simulation";
    case Kind::kBeta:
      return "beta";
    case Kind::kGray:
      return "gray";
    case Kind::kFull:
      return "full";
  }
  return "";
}

Status CheckPlan(const Plan& plan) {
  if (plan.stages.empty()) return Status(Code::kInvalidArgument, "a plan without stages");
  if (plan.stages.size() > kMaxStages)
    return Status::Of(Code::kLimitExceeded, "{} stages, the limit is {}", plan.stages.size(),
                      kMaxStages);
  std::set<std::string> names;
  for (size_t k = 0; k < plan.stages.size(); ++k) {
    FERRY_TRY(CheckOne(plan, k));
    if (!names.insert(plan.stages[k].name).second)
      return Bad(k, plan.stages[k], "the name is taken by an earlier stage");
  }
  const size_t last = plan.stages.size() - 1;
  if (plan.stages[last].kind != Kind::kFull)
    return Bad(last, plan.stages[last], "the last stage must be full");
  return OkStatus();
}

target::Explanation ExplainRule(const Plan& plan, const target::Attributes& device,
                                std::string_view salt) {
  if (!plan.trusted_only) return target::Explain(plan.rule, device, salt);
  return target::Explain(plan.rule, target::WithoutClaims(device), salt);
}

target::Explanation Includes(const Plan& plan, size_t stage, const target::Attributes& said,
                             std::string_view salt) {
  const target::Attributes device = plan.trusted_only ? target::WithoutClaims(said) : said;
  target::Explanation rule = target::Explain(plan.rule, device, salt);
  if (!rule.matches) return rule;
  std::string reason = "the stage reaches no device";
  for (size_t k = 0; k <= stage && k < plan.stages.size(); ++k) {
    const Stage& step = plan.stages[k];
    if (step.kind == Kind::kFull) return rule;
    if (step.kind == Kind::kBeta) {
      target::Explanation who = target::Explain(step.who, device, salt);
      if (who.matches) return who;
      reason = std::move(who.reason);
    }
    if (step.kind == Kind::kGray) {
      if (target::InShare(step.share, salt, device.device_id)) return rule;
      const double bucket = static_cast<double>(target::BucketOf(salt, device.device_id)) /
                            static_cast<double>(target::kOnePercent);
      reason = device.device_id.empty()
                   ? "the device id is not known"
                   : fmt::format("the device stands at {:.2f} of 100, the stage takes {} percent",
                                 bucket, target::PrintShare(step.share));
    }
  }
  return {false, std::move(reason)};
}

// As Includes of each stage in turn says, without its words: previews ask it of whole fleets.
std::optional<size_t> FirstStage(const Plan& plan, const target::Attributes& said,
                                 std::string_view salt) {
  target::Attributes bare;
  if (plan.trusted_only) bare = target::WithoutClaims(said);
  const target::Attributes& device = plan.trusted_only ? bare : said;
  if (!target::Matches(plan.rule, device, salt)) return std::nullopt;
  for (size_t k = 0; k < plan.stages.size(); ++k) {
    const Stage& step = plan.stages[k];
    if (step.kind == Kind::kFull) return k;
    if (step.kind == Kind::kBeta && target::Matches(step.who, device, salt)) return k;
    if (step.kind == Kind::kGray && target::InShare(step.share, salt, device.device_id)) return k;
  }
  return std::nullopt;
}

bool IsHeldBack(const Stage& stage, std::string_view device_id, std::string_view salt) {
  if (stage.control == 0) return false;
  return target::InShare(stage.control, std::string(salt) + "/control", device_id);
}

}  // namespace ferry::stage
