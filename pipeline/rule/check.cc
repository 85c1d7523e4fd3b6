#include <algorithm>
#include <set>

#include "pipeline/event/event.h"
#include "pipeline/expression/expression.h"
#include "pipeline/rule/rule.h"

namespace ferry::rule {
namespace {

// Captures an expression of step `own` may use: an earlier step's, or its own where it repeats.
Status CheckUses(const Rule& rule, size_t own, const expression::Expression& where) {
  for (const expression::CaptureUse& use : where.captures()) {
    const Step& used = rule.steps[use.capture];
    if (used.negated)
      return Status::Of(Code::kMalformed, "column {}: {} is a `not` step and has no events",
                        use.column, used.name);
    if (use.capture > own)
      return Status::Of(Code::kMalformed, "column {}: {} is a later step", use.column, used.name);
    if (use.capture == own && used.most == 1)
      return Status::Of(Code::kMalformed, "column {}: {} is the step itself and does not repeat",
                        use.column, used.name);
  }
  return OkStatus();
}

Status CheckCondition(const Rule& rule, size_t own, std::span<const std::string> names,
                      const Condition& condition) {
  if (!condition.event.empty()) FERRY_TRY(event::CheckName("event", condition.event));
  if (!condition.page.empty()) FERRY_TRY(event::CheckName("page", condition.page));
  if (condition.where.empty()) return OkStatus();
  auto where = expression::Expression::Parse(condition.where, names).Context("where");
  FERRY_TRY(where);
  if (where->needs_key())
    return Status(Code::kMalformed, "where: keyed_hash is for streams: rules have no key");
  return CheckUses(rule, own, *where).Context("where");
}

Status CheckTimes(const Step& step) {
  if (step.least < 1 || step.most < 1) return Status(Code::kMalformed, "times has a 0");
  if (step.least > step.most)
    return Status::Of(Code::kMalformed, "times goes from {} down to {}", step.least, step.most);
  if (step.most > kMaxTimes)
    return Status::Of(Code::kLimitExceeded, "times is {}, the limit is {}", step.most, kMaxTimes);
  return OkStatus();
}

Status CheckStep(const Rule& rule, size_t k, std::span<const std::string> names) {
  const Step& step = rule.steps[k];
  FERRY_TRY(CheckTimes(step));
  FERRY_TRY(CheckCondition(rule, k, names, step.fits));
  if (step.negated && (step.most > 1 || step.optional || step.greedy || step.until))
    return Status(Code::kMalformed, "a `not` step has no times, optional, greedy or until");
  if (!step.until) return OkStatus();
  if (step.until->event.empty() && step.until->page.empty() && step.until->where.empty())
    return Status(Code::kMalformed, "until fits every event");
  return CheckCondition(rule, k, names, *step.until).Context("until");
}

Status CheckSteps(const Rule& rule) {
  if (rule.steps.empty()) return Status(Code::kMalformed, "a rule without steps");
  if (rule.steps.size() > kMaxSteps)
    return Status::Of(Code::kLimitExceeded, "{} steps, the limit is {}", rule.steps.size(),
                      kMaxSteps);
  std::vector<std::string> names;
  for (const Step& step : rule.steps) {
    FERRY_TRY(event::CheckName("the name", step.name).Context("step {}", names.size() + 1));
    if (std::find(names.begin(), names.end(), step.name) != names.end())
      return Status::Of(Code::kMalformed, "two steps have the name {}", step.name);
    names.push_back(step.name);
  }
  uint64_t positions = 0;
  for (size_t k = 0; k < rule.steps.size(); ++k) {
    FERRY_TRY(CheckStep(rule, k, names).Context("step {}", names[k]));
    positions += rule.steps[k].most;
  }
  if (positions > kMaxPositions)
    return Status::Of(Code::kLimitExceeded, "a match may have {} events, the limit is {}",
                      positions, kMaxPositions);
  if (rule.steps[0].negated)
    return Status::Of(Code::kMalformed, "step {}: `not` cannot be the first", names[0]);
  if (rule.steps.back().negated && rule.within_ms == 0)
    return Status::Of(Code::kMalformed, "step {}: `not` as the last step needs within_ms",
                      names.back());
  return OkStatus();
}

Status CheckPer(const Rule& rule) {
  if (rule.per.size() > kMaxPer)
    return Status::Of(Code::kLimitExceeded, "per has {} fields, the limit is {}", rule.per.size(),
                      kMaxPer);
  for (const std::string& field : rule.per) FERRY_TRY(event::CheckName("per", field));
  return OkStatus();
}

Status CheckLimits(const Rule& rule) {
  if (rule.within_ms < 0) return Status(Code::kMalformed, "within_ms is negative");
  if (rule.within_ms > kMaxWithinMs)
    return Status::Of(Code::kLimitExceeded, "within_ms is {}, the limit is {}", rule.within_ms,
                      kMaxWithinMs);
  if (rule.max_runs < 1 || rule.max_keys < 1)
    return Status(Code::kMalformed, "max_runs or max_keys is 0");
  if (rule.max_runs > kMaxRunsLimit)
    return Status::Of(Code::kLimitExceeded, "max_runs is {}, the limit is {}", rule.max_runs,
                      kMaxRunsLimit);
  if (rule.max_keys > kMaxKeysLimit)
    return Status::Of(Code::kLimitExceeded, "max_keys is {}, the limit is {}", rule.max_keys,
                      kMaxKeysLimit);
  return OkStatus();
}

Status CheckSkip(const Rule& rule) {
  const bool named = rule.skip == SkipKind::kFirst || rule.skip == SkipKind::kLast;
  if (!named) return OkStatus();
  for (const Step& step : rule.steps)
    if (step.name == rule.skip_to && !step.negated) return OkStatus();
  return Status::Of(Code::kMalformed, "skip names {}, which is no step with events",
                    rule.skip_to.substr(0, 64));
}

}  // namespace

Status CheckRule(const Rule& rule) {
  FERRY_TRY(event::CheckName("the name", rule.name));
  FERRY_TRY(CheckPer(rule));
  FERRY_TRY(CheckLimits(rule));
  FERRY_TRY(CheckSteps(rule));
  return CheckSkip(rule);
}

}  // namespace ferry::rule
