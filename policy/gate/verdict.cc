#include <algorithm>
#include <cmath>

#include "common/base/json.h"
#include "policy/gate/weigh.h"

namespace ferry::gate {
namespace {

constexpr double kMaxLog = 700;  // exp of it is still finite, and JSON has no infinity

std::string Seen(const Finding& finding) {
  const TwoCohorts& counts = finding.counts;
  std::string text = fmt::format("{} of {} devices ", counts.bad, counts.bad + counts.good);
  text += finding.metric == kFailureMetric
              ? "failed"
              : fmt::format("are past the bound of {}", finding.metric);
  text += fmt::format(" in slice {}", finding.slice);
  if (!finding.stage.empty()) text += fmt::format(" from stage {} on", finding.stage);
  if (finding.compared)
    text += fmt::format(", and {} of {} that are held back", counts.control_bad,
                        counts.control_bad + counts.control_good);
  return text;
}

}  // namespace

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

Verdict VerdictOf(const Finding& finding) {
  Verdict out;
  out.decision = finding.decision;
  out.stage = finding.stage;
  out.metric = finding.metric;
  out.slice = finding.slice;
  out.value = std::exp(std::min(finding.log_evidence, kMaxLog));
  out.threshold = std::exp(std::min(finding.log_limit, kMaxLog));
  out.failed = finding.counts.bad;
  out.healthy = finding.counts.good;
  if (finding.compared) out.control = finding.counts.control_bad + finding.counts.control_good;
  out.reason = Seen(finding);
  const std::string values = fmt::format("{:.4g}", out.value);
  const std::string limit = fmt::format("the limit {:.4g}", out.threshold);
  if (finding.decision == Decision::kStop) {
    out.reason += fmt::format(": evidence {} reached {}", values, limit);
    if (finding.tolerated_rate > 0)
      out.reason += fmt::format(" for a tolerated rate of {:.4g}%", 100 * finding.tolerated_rate);
  } else if (finding.decision == Decision::kWait) {
    out.reason += fmt::format(
        ": more than the tolerated {:.4g}%, but evidence {} that they differ from those held back "
        "is under {}",
        100 * finding.tolerated_rate, values, limit);
  } else {
    out.reason += fmt::format(": evidence {} is under {}", values, limit);
  }
  return out;
}

Json VerdictToJson(const Verdict& verdict) {
  Json out = {{"gate", verdict.gate},       {"decision", DecisionName(verdict.decision)},
              {"stage", verdict.stage},     {"metric", verdict.metric},
              {"slice", verdict.slice},     {"evidence", verdict.value},
              {"value", verdict.value},     {"threshold", verdict.threshold},
              {"failed", verdict.failed},   {"healthy", verdict.healthy},
              {"control", verdict.control}, {"reason", verdict.reason}};
  if (verdict.stops_slice) out["stops_slice"] = true;
  return out;
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
  FERRY_ASSIGN_OR_RETURN(out.stage, GetStringOr(json, "stage", ""));
  FERRY_ASSIGN_OR_RETURN(out.metric, GetStringOr(json, "metric", ""));
  FERRY_ASSIGN_OR_RETURN(out.slice, GetStringOr(json, "slice", ""));
  FERRY_ASSIGN_OR_RETURN(const double value, GetNumberOr(json, "value", 0));
  FERRY_ASSIGN_OR_RETURN(out.value, GetNumberOr(json, "evidence", value));
  FERRY_ASSIGN_OR_RETURN(out.threshold, GetNumberOr(json, "threshold", 0));
  FERRY_ASSIGN_OR_RETURN(out.failed, GetIntOr(json, "failed", 0));
  FERRY_ASSIGN_OR_RETURN(out.healthy, GetIntOr(json, "healthy", 0));
  FERRY_ASSIGN_OR_RETURN(out.control, GetIntOr(json, "control", 0));
  FERRY_ASSIGN_OR_RETURN(out.stops_slice, GetBoolOr(json, "stops_slice", false));
  FERRY_ASSIGN_OR_RETURN(out.reason, GetStringOr(json, "reason", ""));
  return out;
}

}  // namespace ferry::gate
