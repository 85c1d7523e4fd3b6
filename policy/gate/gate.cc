#include "policy/gate/gate.h"

#include "common/base/json.h"
#include "policy/gate/gates/make.h"

namespace ferry::gate {
namespace {

Status CheckRate(std::string_view what, double value) {
  if (value > 0 && value < 1) return OkStatus();
  return Status::Of(Code::kInvalidArgument, "{} {} is not between 0 and 1", what, value);
}

}  // namespace

Result<Settings> SettingsFromJson(const Json& json) {
  Settings out;
  if (json.is_null()) return out;
  if (!json.is_object()) return Status(Code::kMalformed, "gate settings are no JSON object");
  FERRY_ASSIGN_OR_RETURN(out.tolerated_rate,
                         GetNumberOr(json, "tolerated_rate", out.tolerated_rate));
  FERRY_ASSIGN_OR_RETURN(out.alpha, GetNumberOr(json, "alpha", out.alpha));
  FERRY_TRY(CheckRate("tolerated_rate", out.tolerated_rate));
  FERRY_TRY(CheckRate("alpha", out.alpha));
  return out;
}

Json SettingsToJson(const Settings& settings) {
  return {{"tolerated_rate", settings.tolerated_rate}, {"alpha", settings.alpha}};
}

std::string_view DecisionName(Decision decision) {
  switch (decision) {
    case Decision::kPass:
      return "pass";
    case Decision::kWait:
      return "wait";
    case Decision::kStop:
      return "stop";
  }
  return "";
}

Json VerdictToJson(const Verdict& verdict) {
  return {{"gate", verdict.gate},           {"decision", DecisionName(verdict.decision)},
          {"slice", verdict.slice},         {"value", verdict.value},
          {"threshold", verdict.threshold}, {"failed", verdict.failed},
          {"healthy", verdict.healthy},     {"reason", verdict.reason}};
}

Result<Verdict> VerdictFromJson(const Json& json) {
  if (!json.is_object()) return Status(Code::kMalformed, "a verdict is a JSON object");
  Verdict out;
  FERRY_ASSIGN_OR_RETURN(out.gate, GetString(json, "gate"));
  FERRY_ASSIGN_OR_RETURN(std::string decision, GetString(json, "decision"));
  if (decision == "wait")
    out.decision = Decision::kWait;
  else if (decision == "stop")
    out.decision = Decision::kStop;
  else if (decision != "pass")
    return Status::Of(Code::kMalformed, "there is no decision \"{}\"", decision);
  FERRY_ASSIGN_OR_RETURN(out.slice, GetStringOr(json, "slice", ""));
  FERRY_ASSIGN_OR_RETURN(out.value, GetNumberOr(json, "value", 0));
  FERRY_ASSIGN_OR_RETURN(out.threshold, GetNumberOr(json, "threshold", 0));
  FERRY_ASSIGN_OR_RETURN(out.failed, GetIntOr(json, "failed", 0));
  FERRY_ASSIGN_OR_RETURN(out.healthy, GetIntOr(json, "healthy", 0));
  FERRY_ASSIGN_OR_RETURN(out.reason, GetStringOr(json, "reason", ""));
  return out;
}

const std::vector<const Gate*>& AllGates() {
  static const auto* const kAll = new std::vector<const Gate*>{
#define FERRY_GATE(Name) Make##Name().release(),
#include "policy/gate/gates/list.inc"
#undef FERRY_GATE
  };
  return *kAll;
}

Judgement JudgeAll(const Settings& settings, const Input& input) {
  Judgement out;
  for (const Gate* gate : AllGates()) {
    Verdict verdict = gate->Judge(settings, input);
    verdict.gate = gate->name();
    if (out.verdicts.empty() || verdict.decision > out.decision) {
      out.decision = verdict.decision;
      out.reason = verdict.reason;
    }
    out.verdicts.push_back(std::move(verdict));
  }
  return out;
}

}  // namespace ferry::gate
