#include "common/base/json.h"

#include <algorithm>
#include <set>

#include "pipeline/event/members.h"
#include "pipeline/rule/rule.h"

namespace ferry::rule {
namespace {

constexpr std::string_view kRuleMembers[] = {"name", "per",      "steps",   "within_ms",
                                             "skip", "max_runs", "max_keys"};
constexpr std::string_view kStepMembers[] = {"name",  "event",      "page", "where",
                                             "times", "optional",   "not",  "greedy",
                                             "until", "contiguity", "inner"};
constexpr std::string_view kConditionMembers[] = {"event", "page", "where"};
constexpr std::string_view kContiguities[] = {"strict", "relaxed", "any"};

Result<Contiguity> ContiguityOf(const Json& json, std::string_view member) {
  FERRY_ASSIGN_OR_RETURN(const std::string text, GetStringOr(json, member, "relaxed"));
  for (size_t k = 0; k < std::size(kContiguities); ++k)
    if (kContiguities[k] == text) return static_cast<Contiguity>(k);
  return Status::Of(Code::kMalformed, "{} \"{}\" is none of strict, relaxed, any", member, text);
}

// The text forms have no blanks around an expression.
std::string Trimmed(const std::string& text) {
  const size_t begin = text.find_first_not_of(" \t\n");
  return begin == text.npos ? "" : text.substr(begin, text.find_last_not_of(" \t\n") - begin + 1);
}

Result<Condition> ConditionFrom(const Json& json) {
  Condition out;
  FERRY_ASSIGN_OR_RETURN(out.event, GetStringOr(json, "event", ""));
  FERRY_ASSIGN_OR_RETURN(out.page, GetStringOr(json, "page", ""));
  FERRY_ASSIGN_OR_RETURN(const std::string where, GetStringOr(json, "where", ""));
  out.where = Trimmed(where);
  return out;
}

// One number of `times`; what is too large stays so until the limit is asked for.
Result<uint32_t> OneTime(const Json& json) {
  if (!json.is_number_integer())
    return Status(Code::kMalformed, "times is a whole number or two of them");
  const auto* large = json.get_ptr<const Json::number_unsigned_t*>();
  if (large == nullptr) return Status(Code::kMalformed, "times is negative");
  return static_cast<uint32_t>(std::min<uint64_t>(*large, UINT32_MAX));
}

Status ReadTimes(const Json& json, Step* step) {
  const auto times = json.find("times");
  if (times == json.end() || times->is_null()) return OkStatus();
  const Json* least = &*times;
  const Json* most = least;
  if (times->is_array()) {
    if (times->size() != 2)
      return Status::Of(Code::kMalformed, "times has {} numbers, not 2", times->size());
    least = &(*times)[0];
    most = &(*times)[1];
  }
  FERRY_ASSIGN_OR_RETURN(step->least, OneTime(*least));
  FERRY_ASSIGN_OR_RETURN(step->most, OneTime(*most));
  if (step->least == 0 && step->most > 0) {  // from none on: the same as optional
    step->least = 1;
    step->optional = true;
  }
  return OkStatus();
}

Result<Step> StepFrom(const Json& json) {
  if (!json.is_object()) return Status(Code::kMalformed, "a step is a JSON object");
  FERRY_TRY(event::CheckMembers(json, kStepMembers));
  Step step;
  FERRY_ASSIGN_OR_RETURN(step.name, GetString(json, "name"));
  FERRY_ASSIGN_OR_RETURN(step.fits, ConditionFrom(json));
  FERRY_ASSIGN_OR_RETURN(step.optional, GetBoolOr(json, "optional", false));
  FERRY_TRY(ReadTimes(json, &step));
  FERRY_ASSIGN_OR_RETURN(step.negated, GetBoolOr(json, "not", false));
  FERRY_ASSIGN_OR_RETURN(step.greedy, GetBoolOr(json, "greedy", false));
  if (const auto until = json.find("until"); until != json.end() && !until->is_null()) {
    if (until->is_object()) {
      FERRY_TRY(event::CheckMembers(*until, kConditionMembers).Context("until"));
      auto condition = ConditionFrom(*until).Context("until");
      FERRY_ASSIGN_OR_RETURN(step.until, std::move(condition));
    } else {
      FERRY_ASSIGN_OR_RETURN(const std::string where, GetString(json, "until"));
      step.until = Condition{"", "", Trimmed(where)};
    }
  }
  FERRY_ASSIGN_OR_RETURN(step.contiguity, ContiguityOf(json, "contiguity"));
  FERRY_ASSIGN_OR_RETURN(step.inner, ContiguityOf(json, "inner"));
  return step;
}

Status ReadSkip(const Json& json, Rule* rule) {
  FERRY_ASSIGN_OR_RETURN(const std::string text, GetStringOr(json, "skip", "past_last"));
  if (text == "none")
    rule->skip = SkipKind::kNone;
  else if (text == "next")
    rule->skip = SkipKind::kNext;
  else if (text == "past_last")
    rule->skip = SkipKind::kPastLast;
  else if (text.rfind("first:", 0) == 0)
    rule->skip = SkipKind::kFirst, rule->skip_to = text.substr(6);
  else if (text.rfind("last:", 0) == 0)
    rule->skip = SkipKind::kLast, rule->skip_to = text.substr(5);
  else
    return Status::Of(Code::kMalformed,
                      "skip \"{}\" is none of none, next, past_last, first:NAME, last:NAME",
                      text.substr(0, 64));
  return OkStatus();
}

Result<uint32_t> LimitOf(const Json& json, std::string_view member, uint32_t fallback) {
  FERRY_ASSIGN_OR_RETURN(const int64_t value, GetIntOr(json, member, fallback));
  if (value < 1) return Status::Of(Code::kMalformed, "{} {} is below 1", member, value);
  return static_cast<uint32_t>(std::min<int64_t>(value, UINT32_MAX));
}

Status ReadRest(const Json& json, Rule* rule) {
  FERRY_TRY(event::CheckMembers(json, kRuleMembers));
  FERRY_ASSIGN_OR_RETURN(rule->per, GetStringsOr(json, "per"));
  FERRY_ASSIGN_OR_RETURN(const Json* steps, GetArray(json, "steps"));
  if (steps->size() > kMaxSteps)
    return Status::Of(Code::kLimitExceeded, "{} steps, the limit is {}", steps->size(), kMaxSteps);
  for (const Json& item : *steps) {
    auto step = StepFrom(item).Context("step {}", rule->steps.size() + 1);
    FERRY_ASSIGN_OR_RETURN(Step made, std::move(step));
    rule->steps.push_back(std::move(made));
  }
  FERRY_ASSIGN_OR_RETURN(rule->within_ms, GetIntOr(json, "within_ms", 0));
  FERRY_TRY(ReadSkip(json, rule));
  FERRY_ASSIGN_OR_RETURN(rule->max_runs, LimitOf(json, "max_runs", kDefaultMaxRuns));
  FERRY_ASSIGN_OR_RETURN(rule->max_keys, LimitOf(json, "max_keys", kDefaultMaxKeys));
  return CheckRule(*rule);
}

Json ConditionToJson(const Condition& condition) {
  Json out = Json::object();
  if (!condition.event.empty()) out["event"] = condition.event;
  if (!condition.page.empty()) out["page"] = condition.page;
  if (!condition.where.empty()) out["where"] = condition.where;
  return out;
}

Json StepToJson(const Step& step) {
  Json out = ConditionToJson(step.fits);
  out["name"] = step.name;
  if (step.least != 1 || step.most != 1) out["times"] = {step.least, step.most};
  if (step.optional) out["optional"] = true;
  if (step.negated) out["not"] = true;
  if (step.greedy) out["greedy"] = true;
  if (step.until && step.until->event.empty() && step.until->page.empty())
    out["until"] = step.until->where;
  else if (step.until)
    out["until"] = ConditionToJson(*step.until);
  if (step.contiguity != Contiguity::kRelaxed)
    out["contiguity"] = kContiguities[static_cast<size_t>(step.contiguity)];
  if (step.inner != Contiguity::kRelaxed)
    out["inner"] = kContiguities[static_cast<size_t>(step.inner)];
  return out;
}

std::string SkipToText(const Rule& rule) {
  static constexpr std::string_view kTexts[] = {"none", "next", "past_last", "first:", "last:"};
  return std::string(kTexts[static_cast<size_t>(rule.skip)]) + rule.skip_to;
}

}  // namespace

Result<Rule> RuleFromJson(const Json& json) {
  if (!json.is_object()) return Status(Code::kMalformed, "a rule is a JSON object");
  Rule rule;
  FERRY_ASSIGN_OR_RETURN(rule.name, GetString(json, "name"));
  FERRY_TRY(ReadRest(json, &rule).Context("rule {}", rule.name.substr(0, 64)));
  return rule;
}

Json RuleToJson(const Rule& rule) {
  Json steps = Json::array();
  for (const Step& step : rule.steps) steps.push_back(StepToJson(step));
  Json out = {{"name", rule.name}, {"steps", std::move(steps)}};
  if (!rule.per.empty()) out["per"] = rule.per;
  if (rule.within_ms != 0) out["within_ms"] = rule.within_ms;
  if (rule.skip != SkipKind::kPastLast) out["skip"] = SkipToText(rule);
  if (rule.max_runs != kDefaultMaxRuns) out["max_runs"] = rule.max_runs;
  if (rule.max_keys != kDefaultMaxKeys) out["max_keys"] = rule.max_keys;
  return out;
}

Result<std::vector<Rule>> RulesFromJson(const Json& json) {
  const Json* list = &json;
  if (json.is_object()) {
    constexpr std::string_view kKnown[] = {"rules"};
    FERRY_TRY(event::CheckMembers(json, kKnown));
    FERRY_ASSIGN_OR_RETURN(list, GetArray(json, "rules"));
  }
  if (!list->is_array()) return Status(Code::kMalformed, "rules are {\"rules\":[..]} or an array");
  if (list->size() > kMaxRules)
    return Status::Of(Code::kLimitExceeded, "{} rules, the limit is {}", list->size(), kMaxRules);
  std::vector<Rule> out;
  std::set<std::string> names;
  for (const Json& item : *list) {
    auto rule = RuleFromJson(item).Context("rules[{}]", out.size());
    FERRY_ASSIGN_OR_RETURN(Rule made, std::move(rule));
    if (!names.insert(made.name).second)
      return Status::Of(Code::kMalformed, "two rules have the name {}", made.name);
    out.push_back(std::move(made));
  }
  return out;
}

}  // namespace ferry::rule
