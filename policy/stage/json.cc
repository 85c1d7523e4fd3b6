#include <algorithm>
#include <cmath>

#include "common/base/json.h"
#include "policy/stage/plan.h"
#include "policy/text/rule_text.h"

namespace ferry::stage {
namespace {

constexpr int64_t kMinuteMs = 60'000;

Result<Kind> KindFromName(const std::string& name) {
  for (const Kind kind : {Kind::kSimulation, Kind::kBeta, Kind::kGray, Kind::kFull})
    if (KindName(kind) == name) return kind;
  return Status::Of(Code::kMalformed, "there is no kind \"{}\": simulation, beta, gray, full",
                    name);
}

// Writes of "percent" and "control": a JSON number, read with at most six decimals.
Result<target::Share> ShareFromJson(const Json& json, std::string_view key) {
  FERRY_ASSIGN_OR_RETURN(double percent, GetNumber(json, key));
  if (!(percent >= 0 && percent <= 100))
    return Status::Of(Code::kMalformed, "{} {} is not from 0 to 100", key, percent);
  return static_cast<target::Share>(std::llround(percent * target::kOnePercent));
}

// Absent: not judged. A written zero would judge everything and is none.
Result<double> RatioFromJson(const Json& json, std::string_view key) {
  FERRY_ASSIGN_OR_RETURN(const double ratio, GetNumberOr(json, key, 0));
  if (ratio > 0 || !json.contains(key) || json.at(std::string(key)).is_null()) return ratio;
  return Status::Of(Code::kMalformed, "{} {} is not above 0", key, ratio);
}

std::string DefaultName(const Stage& stage) {
  if (stage.kind != Kind::kGray) return std::string(KindName(stage.kind));
  return fmt::format("gray {}%", target::PrintShare(stage.share));
}

Result<Stage> StageFromJson(const Json& json) {
  if (!json.is_object()) return Status(Code::kMalformed, "not an object");
  for (const auto& [key, value] : json.items()) {
    static constexpr std::string_view kKnown[] = {
        "kind",        "name", "who",     "percent",      "min_healthy_ms", "report_timeout_ms",
        "min_reports", "hold", "control", "same_outputs", "max_time_ratio", "max_memory_ratio"};
    if (std::find(std::begin(kKnown), std::end(kKnown), key) == std::end(kKnown))
      return Status::Of(Code::kMalformed, "there is no member \"{}\"", key);
  }
  Stage stage;
  FERRY_ASSIGN_OR_RETURN(std::string kind, GetString(json, "kind"));
  FERRY_ASSIGN_OR_RETURN(stage.kind, KindFromName(kind));
  if (stage.kind == Kind::kGray) {
    FERRY_ASSIGN_OR_RETURN(stage.share, ShareFromJson(json, "percent"));
  }
  if (stage.kind == Kind::kBeta) {
    FERRY_ASSIGN_OR_RETURN(stage.who_text, GetString(json, "who"));
    auto who = text::ParseRule(stage.who_text).Context("who");
    FERRY_ASSIGN_OR_RETURN(stage.who, std::move(who));
  }
  FERRY_ASSIGN_OR_RETURN(stage.name, GetStringOr(json, "name", DefaultName(stage)));
  FERRY_ASSIGN_OR_RETURN(stage.min_healthy_ms, GetIntOr(json, "min_healthy_ms", 0));
  FERRY_ASSIGN_OR_RETURN(stage.report_timeout_ms, GetIntOr(json, "report_timeout_ms", 0));
  FERRY_ASSIGN_OR_RETURN(stage.min_reports, GetIntOr(json, "min_reports", 0));
  FERRY_ASSIGN_OR_RETURN(stage.hold, GetBoolOr(json, "hold", false));
  if (json.contains("control")) {
    FERRY_ASSIGN_OR_RETURN(stage.control, ShareFromJson(json, "control"));
  }
  FERRY_ASSIGN_OR_RETURN(stage.same_outputs, GetBoolOr(json, "same_outputs", false));
  FERRY_ASSIGN_OR_RETURN(stage.max_time_ratio, RatioFromJson(json, "max_time_ratio"));
  FERRY_ASSIGN_OR_RETURN(stage.max_memory_ratio, RatioFromJson(json, "max_memory_ratio"));
  return stage;
}

double PercentOf(target::Share share) {
  return static_cast<double>(share) / static_cast<double>(target::kOnePercent);
}

Json StageToJson(const Stage& stage) {
  Json out = {{"kind", KindName(stage.kind)}, {"name", stage.name}};
  if (stage.kind == Kind::kBeta) out["who"] = stage.who_text;
  if (stage.kind == Kind::kGray) out["percent"] = PercentOf(stage.share);
  if (stage.min_healthy_ms != 0) out["min_healthy_ms"] = stage.min_healthy_ms;
  if (stage.report_timeout_ms != 0) out["report_timeout_ms"] = stage.report_timeout_ms;
  if (stage.min_reports != 0) out["min_reports"] = stage.min_reports;
  if (stage.hold) out["hold"] = true;
  if (stage.control != 0) out["control"] = PercentOf(stage.control);
  if (stage.same_outputs) out["same_outputs"] = true;
  if (stage.max_time_ratio != 0) out["max_time_ratio"] = stage.max_time_ratio;
  if (stage.max_memory_ratio != 0) out["max_memory_ratio"] = stage.max_memory_ratio;
  return out;
}

// How fast it goes, how often it is tried, and when.
Status ReadPace(const Json& json, Plan* plan) {
  FERRY_ASSIGN_OR_RETURN(const Json* rate, GetObjectOrNull(json, "rate"));
  if (rate != nullptr) {
    FERRY_ASSIGN_OR_RETURN(plan->rate, RateFromJson(*rate).Context("rate"));
  }
  FERRY_ASSIGN_OR_RETURN(const Json* retries, GetObjectOrNull(json, "retries"));
  if (retries != nullptr) {
    FERRY_ASSIGN_OR_RETURN(plan->retries, RetriesFromJson(*retries).Context("retries"));
  }
  FERRY_ASSIGN_OR_RETURN(const Json* when, GetObjectOrNull(json, "when"));
  if (when != nullptr) {
    FERRY_ASSIGN_OR_RETURN(plan->when, when::WhenFromJson(*when, true).Context("when"));
  }
  return OkStatus();
}

}  // namespace

Result<Plan> PlanFromJson(const Json& json) {
  if (!json.is_object()) return Status(Code::kMalformed, "a plan is a JSON object");
  Plan plan;
  FERRY_ASSIGN_OR_RETURN(plan.rule_text, GetString(json, "rule"));
  auto rule = text::ParseRule(plan.rule_text).Context("rule");
  FERRY_ASSIGN_OR_RETURN(plan.rule, std::move(rule));
  FERRY_ASSIGN_OR_RETURN(plan.trusted_only, GetBoolOr(json, "trusted_only", false));
  FERRY_TRY(ReadPace(json, &plan));
  FERRY_ASSIGN_OR_RETURN(const Json* stages, GetArrayOrNull(json, "stages"));
  if (stages == nullptr) {
    plan.stages = DefaultStages();
    return plan;
  }
  if (stages->size() > kMaxStages)
    return Status::Of(Code::kLimitExceeded, "{} stages, the limit is {}", stages->size(),
                      kMaxStages);
  for (const Json& item : *stages) {
    auto stage = StageFromJson(item).Context("stage {}", plan.stages.size() + 1);
    FERRY_ASSIGN_OR_RETURN(Stage value, std::move(stage));
    plan.stages.push_back(std::move(value));
  }
  FERRY_TRY(CheckPlan(plan));
  return plan;
}

Json PlanToJson(const Plan& plan) {
  Json stages = Json::array();
  for (const Stage& stage : plan.stages) stages.push_back(StageToJson(stage));
  Json out = {{"rule", plan.rule_text}, {"stages", std::move(stages)}};
  if (plan.trusted_only) out["trusted_only"] = true;
  if (plan.rate) out["rate"] = RateToJson(*plan.rate);
  if (plan.retries.count > 0) out["retries"] = RetriesToJson(plan.retries);
  if (!plan.when.empty()) out["when"] = when::WhenToJson(plan.when);
  return out;
}

std::vector<Stage> DefaultStages() {
  std::vector<Stage> stages(5);
  stages[0].kind = Kind::kSimulation;
  stages[1].kind = Kind::kBeta;
  stages[1].who_text = "tag(\"beta\")";
  if (auto who = text::ParseRule(stages[1].who_text); who.ok()) stages[1].who = *who;
  stages[2].kind = stages[3].kind = Kind::kGray;
  stages[2].share = 10 * target::kOnePercent;
  stages[3].share = 50 * target::kOnePercent;
  stages[4].kind = Kind::kFull;
  for (Stage& stage : stages) {
    stage.name = DefaultName(stage);
    if (stage.kind != Kind::kSimulation) stage.min_healthy_ms = kMinuteMs;
  }
  return stages;
}

}  // namespace ferry::stage
