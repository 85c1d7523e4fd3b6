#include "policy/gate/settings.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "common/base/json.h"

namespace ferry::gate {
namespace {

Status CheckRate(std::string_view what, double value) {
  if (value > 0 && value < 1) return OkStatus();
  return Status::Of(Code::kInvalidArgument, "{} {} is not between 0 and 1", what, value);
}

Status CheckCount(std::string_view what, int64_t value, int64_t most) {
  if (value >= 0 && value <= most) return OkStatus();
  return Status::Of(Code::kInvalidArgument, "{} {} is not from 0 to {}", what, value, most);
}

Result<MetricRule> RuleFromJson(const Json& json) {
  if (!json.is_object()) return Status(Code::kMalformed, "a metric is no JSON object");
  MetricRule out;
  FERRY_ASSIGN_OR_RETURN(out.name, GetString(json, "name"));
  FERRY_ASSIGN_OR_RETURN(const std::string worse, GetStringOr(json, "worse", "higher"));
  FERRY_ASSIGN_OR_RETURN(out.tolerated_rate,
                         GetNumberOr(json, "tolerated_rate", out.tolerated_rate));
  if (json.contains("limit")) {
    FERRY_ASSIGN_OR_RETURN(const double limit, GetNumber(json, "limit"));
    if (!std::isfinite(limit)) return Status(Code::kInvalidArgument, "limit is not finite");
    out.limit = limit;
  }
  if (out.name.empty() || out.name.size() > kMaxMetricNameBytes)
    return Status(Code::kInvalidArgument, "a metric's name is empty or too long");
  if (worse != "higher" && worse != "lower")
    return Status::Of(Code::kInvalidArgument, "worse is \"higher\" or \"lower\", not \"{}\"",
                      worse);
  out.lower_is_worse = worse == "lower";
  FERRY_TRY(CheckRate("tolerated_rate", out.tolerated_rate));
  return out;
}

Result<std::vector<MetricRule>> RulesFromJson(const Json& json) {
  std::vector<MetricRule> out;
  FERRY_ASSIGN_OR_RETURN(const Json* rules, GetArrayOrNull(json, "metrics"));
  if (rules == nullptr) return out;
  if (rules->size() > kMaxMetricRules)
    return Status::Of(Code::kLimitExceeded, "{} metrics, the limit is {}", rules->size(),
                      kMaxMetricRules);
  std::set<std::string> names = {"failure"};
  for (const Json& item : *rules) {
    auto rule = RuleFromJson(item).Context("metric {}", out.size() + 1);
    FERRY_ASSIGN_OR_RETURN(MetricRule value, std::move(rule));
    if (!names.insert(value.name).second)
      return Status::Of(Code::kInvalidArgument, "the metric {} is taken", value.name);
    out.push_back(std::move(value));
  }
  return out;
}

Json RuleToJson(const MetricRule& rule) {
  Json out = {{"name", rule.name},
              {"worse", rule.lower_is_worse ? "lower" : "higher"},
              {"tolerated_rate", rule.tolerated_rate}};
  if (rule.limit) out["limit"] = *rule.limit;
  return out;
}

}  // namespace

Result<Settings> SettingsFromJson(const Json& json) {
  Settings out;
  if (json.is_null()) return out;
  if (!json.is_object()) return Status(Code::kMalformed, "gate settings are no JSON object");
  FERRY_ASSIGN_OR_RETURN(out.tolerated_rate,
                         GetNumberOr(json, "tolerated_rate", out.tolerated_rate));
  FERRY_ASSIGN_OR_RETURN(out.alpha, GetNumberOr(json, "alpha", out.alpha));
  FERRY_ASSIGN_OR_RETURN(out.window_ms, GetIntOr(json, "window_ms", out.window_ms));
  FERRY_ASSIGN_OR_RETURN(out.max_failed_percent,
                         GetNumberOr(json, "max_failed_percent", out.max_failed_percent));
  FERRY_ASSIGN_OR_RETURN(out.max_failed_min_devices,
                         GetIntOr(json, "max_failed_min_devices", out.max_failed_min_devices));
  FERRY_ASSIGN_OR_RETURN(out.stop_slices_alone,
                         GetBoolOr(json, "stop_slices_alone", out.stop_slices_alone));
  FERRY_ASSIGN_OR_RETURN(out.metrics, RulesFromJson(json));
  FERRY_TRY(CheckRate("tolerated_rate", out.tolerated_rate));
  FERRY_TRY(CheckRate("alpha", out.alpha));
  FERRY_TRY(CheckCount("window_ms", out.window_ms, kMaxWindowMs));
  FERRY_TRY(CheckCount("max_failed_min_devices", out.max_failed_min_devices, kMaxMinDevices));
  if (!(out.max_failed_percent > 0 && out.max_failed_percent <= 100))
    return Status::Of(Code::kInvalidArgument, "max_failed_percent {} is not above 0 and up to 100",
                      out.max_failed_percent);
  return out;
}

Json SettingsToJson(const Settings& settings) {
  const Settings usual;
  Json out = {{"tolerated_rate", settings.tolerated_rate}, {"alpha", settings.alpha}};
  if (settings.window_ms != 0) out["window_ms"] = settings.window_ms;
  if (settings.max_failed_percent != usual.max_failed_percent)
    out["max_failed_percent"] = settings.max_failed_percent;
  if (settings.max_failed_min_devices != usual.max_failed_min_devices)
    out["max_failed_min_devices"] = settings.max_failed_min_devices;
  if (settings.stop_slices_alone) out["stop_slices_alone"] = true;
  for (const MetricRule& rule : settings.metrics) out["metrics"].push_back(RuleToJson(rule));
  return out;
}

int64_t WindowMs(const Settings& settings, int64_t min_healthy_ms, int64_t report_timeout_ms) {
  if (settings.window_ms > 0) return settings.window_ms;
  return std::max(min_healthy_ms, report_timeout_ms > 0 ? report_timeout_ms : kUsualWindowMs);
}

}  // namespace ferry::gate
