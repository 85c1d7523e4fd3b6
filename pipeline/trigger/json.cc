#include "pipeline/trigger/trigger.h"

#include "common/base/json.h"
#include "pipeline/event/event.h"
#include "pipeline/event/members.h"

namespace ferry::trigger {
namespace {

constexpr std::string_view kTriggerMembers[] = {"sequence", "within_ms", "after_match"};
constexpr std::string_view kTriggerStepMembers[] = {"event", "page"};

}  // namespace

Result<Trigger> TriggerFromJson(const Json& json) {
  if (!json.is_object()) return Status(Code::kMalformed, "a trigger is a JSON object");
  FERRY_TRY(event::CheckMembers(json, kTriggerMembers));
  Trigger trigger;
  FERRY_ASSIGN_OR_RETURN(const Json* sequence, GetArray(json, "sequence"));
  if (sequence->empty()) return Status(Code::kMalformed, "sequence has no step");
  if (sequence->size() > kMaxSteps)
    return Status::Of(Code::kLimitExceeded, "sequence has {} steps, the limit is {}",
                      sequence->size(), kMaxSteps);
  for (const Json& item : *sequence) {
    const size_t number = trigger.steps.size() + 1;
    if (!item.is_object()) return Status::Of(Code::kMalformed, "step {} is no object", number);
    FERRY_TRY(event::CheckMembers(item, kTriggerStepMembers).Context("step {}", number));
    Step step;
    auto id = GetStringOr(item, "event", "").Context("step {}", number);
    FERRY_ASSIGN_OR_RETURN(step.event, std::move(id));
    auto page = GetStringOr(item, "page", "").Context("step {}", number);
    FERRY_ASSIGN_OR_RETURN(step.page, std::move(page));
    if (step.event.empty() && step.page.empty())
      return Status::Of(Code::kMalformed, "step {} names neither event nor page", number);
    if (!step.event.empty())
      FERRY_TRY(event::CheckName("event", step.event).Context("step {}", number));
    if (!step.page.empty())
      FERRY_TRY(event::CheckName("page", step.page).Context("step {}", number));
    trigger.steps.push_back(std::move(step));
  }
  FERRY_ASSIGN_OR_RETURN(trigger.within_ms, GetIntOr(json, "within_ms", 0));
  if (trigger.within_ms < 0) return Status(Code::kMalformed, "within_ms is negative");
  FERRY_ASSIGN_OR_RETURN(std::string after, GetStringOr(json, "after_match", "restart"));
  if (after != "restart" && after != "keep")
    return Status::Of(Code::kMalformed, "after_match \"{}\" is neither restart nor keep", after);
  trigger.keep = after == "keep";
  return trigger;
}

Json TriggerToJson(const Trigger& trigger) {
  Json sequence = Json::array();
  for (const Step& step : trigger.steps) {
    Json item = Json::object();
    if (!step.event.empty()) item["event"] = step.event;
    if (!step.page.empty()) item["page"] = step.page;
    sequence.push_back(std::move(item));
  }
  Json out = {{"sequence", std::move(sequence)}};
  if (trigger.within_ms != 0) out["within_ms"] = trigger.within_ms;
  if (trigger.keep) out["after_match"] = "keep";
  return out;
}

}  // namespace ferry::trigger
